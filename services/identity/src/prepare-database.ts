import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { migrate } from "@nts/shared/mongo/migrations";
import { keepAudit } from "./audit/retention.js";
import { INDEXES } from "./indexes.js";
import { createKeyChangeLog } from "./key-changes/log.js";
import { MIGRATIONS } from "./migrations.js";

/**
 * Brings the database to the current schema; safe with concurrent processes.
 *
 * @param auditRetentionDays null keeps the current setting
 */
export async function prepareDatabase(db: Db, log: Log, auditRetentionDays: number | null = null): Promise<void> {
  await migrate(db, { migrations: MIGRATIONS, indexes: INDEXES, log });
  await createKeyChangeLog(db).prepare();
  await keepAudit(db, auditRetentionDays);
}
