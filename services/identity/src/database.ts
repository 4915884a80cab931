import type { Db } from "mongodb";
import type { Shares } from "@nts/shared/shares";

// The connections belong to all organizations. So whatever is done on behalf of one takes a turn of its share; a transaction
// takes one turn for all that it does. Who has not signed in is of no organization, and is bounded by address at the gateway.

/** The database of the service. */
export interface Database {
  readonly db: Db;
  /** Runs what is no part of a transaction within an organization's share. @throws AppError `rate_limited` */
  readonly share: Shares["use"];
}

/** For a process without other callers: no turns are taken. */
export function unshared(db: Db): Database {
  return { db, share: (_organizationId, task) => task() };
}
