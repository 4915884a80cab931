import { BSON, type Db, type Document, Long, Timestamp } from "mongodb";
import { isRetryableRead } from "./faults.js";
import { ARRAY, INT64, OBJECT, TIMESTAMP, type RawBatch } from "./raw-fields.js";
import { DEADLINES } from "../timing.js";

// Reads documents as raw BSON. The driver's cursors return single documents and fix the batch size beforehand, but
// decoding and awaiting each row is most of the cost of a long list.

/** Target batch size. MongoDB ends a batch at 16 MiB, which bounds batches whose documents are unexpectedly large. */
const BATCH_BYTES = 262_144;

/** Target for readers that pass documents on: the fixed cost of a batch's command equals that of 150 KiB. */
export const PASSED_ON_BYTES = 524_288;
const FIRST_ROWS = 101;

export interface RawFind {
  readonly collection: string;
  readonly filter: Document;
  readonly projection: Document;
  readonly sort?: Document;
  readonly hint?: Document | undefined;
  readonly skip?: number;
  /** 0 for no limit. */
  readonly limit?: number;
  /** Maximum rows of a batch, for readers that do more than pass them on. */
  readonly mostRows?: number;
  /** Maximum rows of the first batch, whose size cannot be estimated; 101 by default. */
  readonly firstRows?: number | undefined;
  /** Approximate size of a batch; 256 KiB by default. */
  readonly batchBytes?: number | undefined;
  /** Time limit of the server for all batches together; `DEADLINES.operationMs` by default. */
  readonly maxTimeMS?: number;
}

/** The snapshot time shared by several finds: that of the first unless given. The database retains five minutes. */
export interface Moment {
  time?: Timestamp | undefined;
}

/** Runs a command that occupies a connection, once one is available. */
export type InTurn = <T>(command: () => Promise<T>) => Promise<T>;

/**
 * The matching documents in batches. A reader that stops early closes the cursor.
 *
 * @param moment the snapshot to read; by default, each batch shows what a majority has acknowledged
 */
export async function* rawBatches(
  db: Db,
  find: RawFind,
  moment?: Moment,
  inTurn: InTurn = (command) => command(),
): AsyncGenerator<RawBatch, void, void> {
  const session = db.client.startSession({ causalConsistency: false });
  const run = async (command: Document): Promise<Cursor> => {
    const reply = await inTurn(() => db.command(command, { session, raw: true, readPreference: "primary" }));
    return cursorIn(reply["cursor"] as Buffer);
  };
  const { collection } = find;
  let id = Long.ZERO;
  try {
    let cursor = await retriedOnce(() => run({ ...commandOf(find), readConcern: concernOf(moment) }));
    if (moment !== undefined) moment.time ??= cursor.time;
    for (;;) {
      id = cursor.id;
      // Before its reader may have emptied it.
      const batchSize = rowsAfter(cursor.batch, find);
      if (cursor.batch.starts.length > 0) yield cursor.batch;
      if (id.isZero()) return;
      cursor = await run({ getMore: id, collection, batchSize });
    }
  } finally {
    // The reader does not wait for the end of what it no longer needs.
    const kill = id.isZero() ? Promise.resolve() : db.command({ killCursors: collection, cursors: [id] }, { session });
    void kill.catch(() => undefined).then(() => session.endSession());
  }
}

/** Counts matching documents at the given snapshot. */
export async function rawCount(
  db: Db,
  {
    collection,
    filter,
    hint,
    maxTimeMS = DEADLINES.operationMs,
  }: Pick<RawFind, "collection" | "filter" | "hint" | "maxTimeMS">,
  moment: Moment,
): Promise<number> {
  const session = db.client.startSession({ causalConsistency: false });
  const count = { aggregate: collection, pipeline: [{ $match: filter }, { $count: "found" }], cursor: {} };
  const command = { ...count, ...(hint && { hint }), maxTimeMS, readConcern: concernOf(moment) };
  try {
    const reply = await retriedOnce(() => db.command(command, { session, readPreference: "primary" }));
    const { firstBatch } = reply["cursor"] as { readonly firstBatch: readonly { readonly found: number }[] };
    return firstBatch[0]?.found ?? 0;
  } finally {
    await session.endSession();
  }
}

/** The decoded documents of a batch. */
export function documentsIn(batch: RawBatch): Document[] {
  return batch.starts.map((start) => documentIn(batch, start));
}

/** A decoded document of a batch. */
export function documentIn({ bytes }: RawBatch, start: number): Document {
  return BSON.deserialize(bytes.subarray(start, start + bytes.readInt32LE(start)));
}

interface Cursor {
  readonly batch: RawBatch;
  readonly id: Long;
  /** The time of a snapshot. */
  readonly time?: Timestamp | undefined;
}

function concernOf(moment: Moment | undefined): Document {
  if (moment === undefined) return { level: "majority" };
  return { level: "snapshot", ...(moment.time && { atClusterTime: moment.time }) };
}

function commandOf({ collection, filter, projection, sort, hint, skip = 0, limit = 0, ...more }: RawFind): Document {
  const { firstRows = FIRST_ROWS } = more;
  return {
    find: collection,
    filter,
    projection,
    ...(sort && { sort }),
    ...(hint && { hint }),
    ...(skip > 0 && { skip }),
    ...(limit > 0 && { limit }),
    // One more than the limit, so that the database reaches the end and closes the cursor.
    batchSize: limit > 0 && limit < firstRows ? limit + 1 : firstRows,
    maxTimeMS: more.maxTimeMS ?? DEADLINES.operationMs,
  };
}

/** Maximum rows of the next batch, estimated from the last one. */
function rowsAfter({ bytes, starts }: RawBatch, { mostRows = Infinity, batchBytes = BATCH_BYTES }: RawFind): number {
  return Math.max(1, Math.min(mostRows, Math.floor((batchBytes * starts.length) / bytes.length)));
}

function cursorIn(bytes: Buffer): Cursor {
  let batch: RawBatch = { bytes, starts: [] };
  let id = Long.ZERO;
  let time: Timestamp | undefined;
  for (const [type, , , at, length] of BSON.onDemand.parseToElements(bytes)) {
    if (type === ARRAY) batch = batchIn(bytes.subarray(at, at + length));
    if (type === INT64) id = Long.fromBigInt(bytes.readBigInt64LE(at));
    if (type === TIMESTAMP) time = new Timestamp(bytes.readBigUInt64LE(at));
  }
  return { batch, id, time };
}

/** A BSON array is a document with its indices as names; each name is skipped up to its terminating zero. */
function batchIn(bytes: Buffer): RawBatch {
  const starts: number[] = [];
  for (let at = 4; bytes[at] === OBJECT;) {
    at = bytes.indexOf(0, at + 1) + 1;
    starts.push(at);
    at += bytes.readInt32LE(at);
  }
  return { bytes, starts };
}

async function retriedOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isRetryableRead(error)) throw error;
    return read();
  }
}
