import type { Db } from "mongodb";
import type { Shares } from "@nts/shared/shares";

// Organizations share the connections: each use takes a turn of its organization's share, a transaction one for all its
// operations. Anonymous requests have no organization and are limited by address at the gateway.

/** The database of the service. */
export interface Database {
  readonly db: Db;
  /** Runs an operation outside a transaction within an organization's share. @throws AppError `rate_limited` */
  readonly share: Shares["use"];
}

/** For a process without other callers; there are no shares. */
export function unshared(db: Db): Database {
  return { db, share: (_organizationId, task) => task() };
}
