import type { Db } from "mongodb";
import { isIncomplete } from "@nts/shared/mongo/restore-marker";
import { ArchiveProblem } from "./problem.js";

/** The databases of the services, by their owner, which is also their name in a backup. */
export type Databases = Readonly<Record<string, Db>>;

/** @throws ArchiveProblem if a restore into one of them is incomplete */
export async function requireIntact(databases: Databases): Promise<void> {
  for (const db of Object.values(databases))
    if (await isIncomplete(db))
      throw new ArchiveProblem(`The database ${db.databaseName} is incomplete: a restore has not ended. Run it again.`);
}
