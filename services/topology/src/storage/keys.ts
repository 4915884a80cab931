import { randomBytes } from "node:crypto";
import { Binary, type Db } from "mongodb";

// Secret keys stored in the database: shared by all processes, and never changed.

type KeyName = "cursors" | "webhooks";

/** Creates a key if it is missing. */
export async function makeKey(db: Db, name: KeyName, bytes: number): Promise<void> {
  const key = new Binary(randomBytes(bytes));
  await keysIn(db).updateOne({ _id: name }, { $setOnInsert: { key } }, { upsert: true });
}

export async function readKey(db: Db, name: KeyName): Promise<Uint8Array> {
  const found = await keysIn(db).findOne({ _id: name });
  if (found === null) throw new Error(`the database has no key for its ${name}`);
  return found.key.buffer;
}

const keysIn = (db: Db) => db.collection<{ _id: string; key: Binary }>("journal_secrets");
