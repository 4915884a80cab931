import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import type { ProgressKeeper } from "@nts/shared/mongo/migration-progress";
import { migrate } from "@nts/shared/mongo/migrations";
import { keepAudit } from "./audit-retention.js";
import { INDEXES } from "./indexes.js";
import { createKeyChangeLog } from "./key-changes.js";
import { MIGRATIONS } from "./migrations.js";

interface Options {
  /** Null keeps the current setting. */
  readonly auditRetentionDays?: number | null;
  readonly progress?: ProgressKeeper;
}

/** Brings the database to the current schema; safe with concurrent processes. */
export async function prepareDatabase(
  db: Db,
  log: Log,
  { auditRetentionDays = null, progress }: Options = {},
): Promise<void> {
  await migrate(db, { migrations: MIGRATIONS, indexes: INDEXES, log, ...(progress && { progress }) });
  await createKeyChangeLog(db).prepare();
  await keepAudit(db, auditRetentionDays);
}
