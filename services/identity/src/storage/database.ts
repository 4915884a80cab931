import type { Db } from "mongodb";
import { createQueuedRead, type QueuedRead } from "@nts/shared/scheduling/queued-reads";
import type { Shares } from "@nts/shared/scheduling/shares";

// Organizations share the connections: each use takes a turn of its organization's share, a transaction one for all its
// operations. Anonymous requests have no organization and are limited by address at the gateway.

/** The database of the service. */
export interface Database {
  readonly db: Db;
  /** Runs an operation outside a transaction within an organization's share. @throws AppError `rate_limited` */
  readonly share: Shares["use"];
  /** Reads a document within the share. */
  readonly readOnce: QueuedRead;
}

/** The database of a process whose organizations share it. */
export function sharedBy(db: Db, { use }: Pick<Shares, "use">): Database {
  return { db, share: use, readOnce: createQueuedRead(use) };
}

/** For a process without other callers; there are no shares. */
export function unshared(db: Db): Database {
  return sharedBy(db, { use: (_organizationId, task) => task() });
}
