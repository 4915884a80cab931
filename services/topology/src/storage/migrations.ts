import type { Db } from "mongodb";
import { createCollections, type Migration } from "@nts/shared/mongo/migrations";
import { INDEXES } from "./indexes.js";
import { makeKey } from "./keys.js";

/** Collections without an index other than that of their ids. */
const UNINDEXED = ["journal_tail", "journal_secrets", "audit_notes", "audit_note_heads"];

/** The schema migrations. New ones are appended; released ones never change. */
export const MIGRATIONS: readonly Migration[] = [{ name: "0001-schema", up: createSchema }];

/** Every collection, and the permanent keys of cursors and for the secrets of webhooks. */
async function createSchema(db: Db): Promise<void> {
  await createCollections(db, [...Object.keys(INDEXES), ...UNINDEXED]);
  await makeKey(db, "cursors", 16);
  await makeKey(db, "webhooks", 32);
}
