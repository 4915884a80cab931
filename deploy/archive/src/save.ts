import type { ClientSession, Db, MongoClient } from "mongodb";
import { SERVER_VERSION } from "@nts/shared/version";
import { requireIntact, type Databases } from "./databases.js";
import { encode, type Piece } from "./format.js";
import { ArchiveProblem } from "./problem.js";

const BATCH = 1_000;
const CHUNK_BYTES = 256 * 1024;
const SNAPSHOT_TOO_OLD = 239;

/**
 * Writes an online backup: all collections of all databases in one snapshot. MongoDB retains the snapshot for five
 * minutes by default; slower backups fail.
 *
 * @throws ArchiveProblem if that took too long, or a restore into one of the databases is incomplete
 */
export async function* save(client: MongoClient, databases: Databases): AsyncGenerator<Uint8Array> {
  await requireIntact(databases);
  const session = client.startSession({ snapshot: true });
  try {
    yield* inChunks(piecesOf(databases, session));
  } catch (error) {
    if ((error as { code?: unknown }).code !== SNAPSHOT_TOO_OLD) throw error;
    throw new ArchiveProblem(
      "The backup took longer than MongoDB keeps the past: raise its parameter minSnapshotHistoryWindowInSeconds (SNAPSHOT_WINDOW_SECONDS in deploy/.env).",
    );
  } finally {
    await session.endSession();
  }
}

async function* piecesOf(databases: Databases, session: ClientSession): AsyncGenerator<Piece> {
  yield { kind: "head", takenAt: new Date(), serverVersion: SERVER_VERSION };
  let documents = 0;
  for (const [database, db] of Object.entries(databases)) {
    for (const collection of await collectionsOf(db)) {
      yield { kind: "collection", database, collection };
      const stored = db.collection(collection).find({}, { session, raw: true, batchSize: BATCH });
      for await (const bytes of stored as AsyncIterable<unknown> as AsyncIterable<Uint8Array>) {
        documents += 1;
        yield { kind: "document", bytes };
      }
    }
  }
  yield { kind: "end", documents };
}

/** The change stream position belongs to this server. Without it, the journal is reconciled with storage. */
const OF_THIS_SERVER = new Set(["journal_tail"]);

async function collectionsOf(db: Db): Promise<string[]> {
  const found = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("system.") && !OF_THIS_SERVER.has(name))
    .sort();
}

/** Streams are slow with many small chunks. */
async function* inChunks(pieces: AsyncIterable<Piece>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const encoded = encode(piece);
    waiting.push(encoded);
    bytes += encoded.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}
