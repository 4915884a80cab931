import { BSON, type Collection, type Db, type Document } from "mongodb";
import { optionsOf } from "@nts/shared/mongo/collection-options";
import { isIncomplete, markComplete, markIncomplete, RESTORE_MARKER } from "@nts/shared/mongo/restore-marker";
import type { Piece } from "./format.js";
import { ArchiveProblem } from "./problem.js";
import type { Databases } from "./databases.js";

const BATCH = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;

// Documents that a service creates when it starts on an empty database.
const HOUSEKEEPING = new Set([
  ...["breaking_migrations", "counters", "gateways", "key_changes", "locks", "migrations"],
  ...["journal_secrets", "journal_tail"],
]);

// Preserves BSON types exactly instead of converting them to JavaScript numbers and dates.
const EXACTLY = { promoteValues: false, promoteBuffers: false, promoteLongs: false, bsonRegExp: true } as const;

/** Number of documents in a backup, by collection. */
export type Contents = Record<string, number>;

/** Reads a whole backup. @throws ArchiveProblem if it is incomplete */
export async function check(pieces: AsyncIterable<Piece>): Promise<Contents> {
  const contents: Contents = {};
  let current = "";
  for await (const piece of pieces) {
    if (piece.kind === "collection") current = `${piece.database}.${piece.collection}`;
    if (piece.kind === "collection") contents[current] ??= 0;
    if (piece.kind === "document") contents[current] = (contents[current] ?? 0) + 1;
  }
  return contents;
}

/**
 * Restores a backup. Services create the indexes when they start. Nothing may use the databases meanwhile. After a
 * failure they stay marked as incomplete: services refuse them, and the restore must be repeated.
 *
 * @throws ArchiveProblem if a database is not empty, unless it is to be replaced; nothing has changed then
 */
export async function restore(
  pieces: AsyncIterable<Piece>,
  databases: Databases,
  { replace }: { readonly replace: boolean },
): Promise<Contents> {
  const all = Object.values(databases);
  if (!replace) for (const db of all) await requireEmpty(db);
  let writer: Writer | null = null;
  const contents = await check(
    (async function* () {
      for await (const piece of pieces) {
        if (piece.kind === "head") await clear(all);
        if (piece.kind === "collection") {
          await writer?.finish();
          writer = createWriter(await createCollection(databases, piece));
        }
        if (piece.kind === "document") await writer?.add(piece.bytes);
        yield piece;
      }
    })(),
  );
  await (writer as Writer | null)?.finish();
  for (const db of all) await markComplete(db);
  return contents;
}

/** Empties databases. All are marked before the first document is deleted. */
async function clear(databases: readonly Db[]): Promise<void> {
  for (const db of databases) await markIncomplete(db);
  for (const db of databases)
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
      if (name !== RESTORE_MARKER && !name.startsWith("system.")) await db.dropCollection(name);
}

/** The remains of an interrupted restore may be overwritten. */
async function requireEmpty(db: Db): Promise<void> {
  if (await isIncomplete(db)) return;
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    if (!HOUSEKEEPING.has(name) && (await db.collection(name).findOne()) !== null)
      throw new ArchiveProblem(`The database ${db.databaseName} holds data; use --replace to overwrite it.`);
}

async function createCollection(
  databases: Databases,
  { database, collection }: Extract<Piece, { kind: "collection" }>,
): Promise<Collection> {
  const db = databases[database];
  if (db === undefined) throw new ArchiveProblem(`The backup contains an unknown database: ${database}.`);
  return db.createCollection(collection, optionsOf(collection));
}

interface Writer {
  add(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

function createWriter(collection: Collection): Writer {
  let waiting: Document[] = [];
  let waitingBytes = 0;
  const finish = async (): Promise<void> => {
    if (waiting.length > 0) await collection.insertMany(waiting, { ordered: false });
    waiting = [];
    waitingBytes = 0;
  };
  return {
    add: async (bytes) => {
      waiting.push(BSON.deserialize(bytes, EXACTLY));
      waitingBytes += bytes.length;
      if (waiting.length >= BATCH || waitingBytes >= BATCH_BYTES) await finish();
    },
    finish,
  };
}
