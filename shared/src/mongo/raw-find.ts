import { BSON, type Db, type Document, Long, Timestamp } from "mongodb";
import { OPERATION_MS } from "./connect.js";
import { isRetryableRead } from "./faults.js";

// Reads documents as the bytes that the database sent. The driver's cursors hand out one document at a time and fix the
// size of all batches beforehand; decoding and awaiting each row costs more than everything else about a long list.

/** What a batch should have. MongoDB ends a batch at 16 MiB, which bounds one whose documents suddenly are large. */
const BATCH_BYTES = 262_144;

/** The same where the reader only passes documents on: each batch is a command, which costs as much as 150 KiB do. */
export const PASSED_ON_BYTES = 524_288;
const FIRST_ROWS = 101;

const DOUBLE = 1;
const TEXT = 2;
const OBJECT = 3;
const ARRAY = 4;
const DATE = 9;
const INT32 = 16;
const TIMESTAMP = 17;
const INT64 = 18;

export interface RawFind {
  readonly collection: string;
  readonly filter: Document;
  readonly projection: Document;
  readonly sort?: Document;
  readonly hint?: Document | undefined;
  readonly skip?: number;
  /** 0 for all. */
  readonly limit?: number;
  /** Of a batch, where the reader's work for each is more than passing it on. */
  readonly mostRows?: number;
  /** Of a batch, about; 256 KiB by default. */
  readonly batchBytes?: number;
  /** How long the server may work on all batches together; {@link OPERATION_MS} by default. */
  readonly maxTimeMS?: number;
}

/** Documents in BSON: `bytes` holds them, `starts` tells where each begins. The bytes are the reader's to change. */
export interface RawBatch {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
}

/** The moment that several finds read of: that of the first one, unless it is given. The database remembers five minutes. */
export interface Moment {
  time?: Timestamp | undefined;
}

/** Runs a command that occupies a connection, when there is one for it. */
export type InTurn = <T>(command: () => Promise<T>) => Promise<T>;

/**
 * The documents that match, in batches. A reader that stops early frees the cursor of the database.
 *
 * @param moment of which they are; without one, each batch shows what a majority has by then
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
      if (cursor.batch.starts.length > 0) yield cursor.batch;
      if (id.isZero()) return;
      cursor = await run({ getMore: id, collection, batchSize: rowsAfter(cursor.batch, find) });
    }
  } finally {
    if (!id.isZero()) await db.command({ killCursors: collection, cursors: [id] }, { session }).catch(() => undefined);
    await session.endSession();
  }
}

/** How many documents match at a moment, which is set. */
export async function rawCount(
  db: Db,
  { collection, filter, hint, maxTimeMS = OPERATION_MS }: Pick<RawFind, "collection" | "filter" | "hint" | "maxTimeMS">,
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

/** The fields of a document that are texts, in UTF-8, numbers, or dates, in milliseconds. Others, null among them, are left out. */
export function fieldsIn({ bytes }: RawBatch, start: number): Map<string, Buffer | number> {
  const fields = new Map<string, Buffer | number>();
  for (const [type, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes, start)) {
    const name = bytes.toString("latin1", nameAt, nameAt + nameLength);
    if (type === TEXT) fields.set(name, bytes.subarray(at + 4, at + length - 1));
    else if (type === INT32) fields.set(name, bytes.readInt32LE(at));
    else if (type === INT64 || type === DATE) fields.set(name, Number(bytes.readBigInt64LE(at)));
    else if (type === DOUBLE) fields.set(name, bytes.readDoubleLE(at));
  }
  return fields;
}

/** The values of text fields of a document, in UTF-8. @throws Error when it has not all of them */
export function textsIn(batch: RawBatch, start: number, names: readonly string[]): Buffer[] {
  const fields = fieldsIn(batch, start);
  return names.map((name) => {
    const text = fields.get(name);
    if (typeof text !== "object") throw new Error(`a document has no text in its field ${name}`);
    return text;
  });
}

/** The documents of a batch, decoded. */
export function documentsIn(batch: RawBatch): Document[] {
  return batch.starts.map((start) => documentIn(batch, start));
}

/** One document of a batch, decoded. */
export function documentIn({ bytes }: RawBatch, start: number): Document {
  return BSON.deserialize(bytes.subarray(start, start + bytes.readInt32LE(start)));
}

interface Cursor {
  readonly batch: RawBatch;
  readonly id: Long;
  /** The moment of a snapshot. */
  readonly time?: Timestamp | undefined;
}

function concernOf(moment: Moment | undefined): Document {
  if (moment === undefined) return { level: "majority" };
  return { level: "snapshot", ...(moment.time && { atClusterTime: moment.time }) };
}

function commandOf({ collection, filter, projection, sort, hint, skip = 0, limit = 0, ...more }: RawFind): Document {
  return {
    find: collection,
    filter,
    projection,
    ...(sort && { sort }),
    ...(hint && { hint }),
    ...(skip > 0 && { skip }),
    ...(limit > 0 && { limit }),
    // One more than the limit, so that the database sees the end and keeps no cursor.
    batchSize: limit > 0 && limit < FIRST_ROWS ? limit + 1 : FIRST_ROWS,
    maxTimeMS: more.maxTimeMS ?? OPERATION_MS,
  };
}

/** How many rows the next batch may have, judged by the last one. */
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

/** An array is a document whose names are its indices; each is read over up to the zero at its end. */
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
