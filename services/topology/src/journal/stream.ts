import type { Db, Document } from "mongodb";
import { Long, MongoServerError, Timestamp } from "mongodb";
import { NOTES } from "../storage/authorship.js";
import { COLLECTIONS, hasSightings } from "./entries.rules.js";

// The database's change stream in commit order. Whole batches are read by plain commands: the driver's change stream
// yields single events, and requests the next batch at once.

/** A change of a document, with the fields needed for the journal. */
export interface ChangeEvent {
  readonly _id: Document;
  readonly operationType: "insert" | "update" | "replace" | "delete";
  readonly ns: { readonly coll: string };
  readonly documentKey: { readonly _id: string };
  readonly wallTime?: Date;
  readonly clusterTime: { readonly high: number; readonly low: number };
  readonly lsid?: { readonly id: { toString(encoding: "hex"): string } };
  readonly txnNumber?: Long | number;
  readonly fullDocument?: Document;
  readonly updateDescription?: { readonly updatedFields: Document; readonly removedFields?: readonly string[] };
}

export interface ChangeBatch {
  readonly events: readonly ChangeEvent[];
  /** Resume token after the events. */
  readonly token: Document;
}

export interface ChangeStream {
  /** Resume token at its start. */
  readonly start: Document;
  /** New events; waits for some. @param awaitMs maximum wait @throws the reason of the signal when it aborts */
  next(awaitMs: number, signal?: AbortSignal): Promise<ChangeBatch>;
  close(): Promise<void>;
}

/** Maximum events per batch: processing them blocks the event loop for about ten milliseconds. */
export const MOST_EVENTS = 400;

/** Error codes for a position from which the stream cannot resume. */
const LOST = new Set([9, 260, 280, 286, 40647, 50811]);

/** True if the database no longer has the events after the token. */
export function isLost(error: unknown): boolean {
  return error instanceof MongoServerError && LOST.has(Number(error.code));
}

/** A token starts with its time: type, seconds, and counter. */
const TIME = /^82([0-9A-F]{8})([0-9A-F]{8})/i;

/** The database time covered by a stream position; null if the token does not tell. */
export function timeBefore(token: Document): Timestamp | null {
  const [, seconds, count] = TIME.exec(String(token["_data"])) ?? [];
  if (seconds === undefined || count === undefined) return null;
  const t = parseInt(seconds, 16);
  const i = parseInt(count, 16);
  return i > 0 ? new Timestamp({ t, i: i - 1 }) : new Timestamp({ t: t - 1, i: 0xffffffff });
}

const FIELDS = ["wire", "revision", "form", "by", "missed"] as const;
/** Of a sighting only the transitions: that an entity was found again is written for each, with every import. */
const MISSED = [
  { "updateDescription.updatedFields.missed": { $exists: true } },
  { "updateDescription.removedFields": "missed" },
];
const STAGES = [
  {
    $match: {
      $or: [
        { "ns.coll": { $in: [...COLLECTIONS, "deletions"] }, operationType: { $in: ["insert", "replace", "delete"] } },
        {
          "ns.coll": { $in: COLLECTIONS },
          operationType: "update",
          "updateDescription.updatedFields.wire": { $exists: true },
          "updateDescription.updatedFields.swept_by": { $exists: false },
        },
        { "ns.coll": { $in: COLLECTIONS.filter(hasSightings) }, operationType: "update", $or: MISSED },
        { "ns.coll": NOTES, operationType: "insert" },
      ],
    },
  },
  {
    $project: {
      ...{ operationType: 1, "ns.coll": 1, "documentKey._id": 1, wallTime: 1, clusterTime: 1, lsid: 1, txnNumber: 1 },
      ...Object.fromEntries(
        FIELDS.flatMap((field) =>
          [`fullDocument.${field}`, `updateDescription.updatedFields.${field}`].map((path) => [path, 1]),
        ),
      ),
      "updateDescription.removedFields": 1,
      ...Object.fromEntries(
        ["organization_id", "kind", "ids", "deleted_at"].map((name) => [`fullDocument.${name}`, 1]),
      ),
    },
  },
];

interface Reply {
  /** A number if it is small enough, which the server does not take back as such. */
  readonly id: Long | number;
  readonly firstBatch?: ChangeEvent[];
  readonly nextBatch?: ChangeEvent[];
  readonly postBatchResumeToken: Document;
}

/** Opens the change stream of a database. @param token the position; null for now */
export async function openStream(db: Db, token: Document | null): Promise<ChangeStream> {
  const session = db.client.startSession({ causalConsistency: false });
  const run = async (command: Document, signal?: AbortSignal): Promise<Reply> =>
    (await db.command(command, { session, readPreference: "primary", signal }))["cursor"] as Reply;
  try {
    const $changeStream = token === null ? {} : { resumeAfter: token };
    const pipeline = [{ $changeStream }, ...STAGES];
    const concern = { readConcern: { level: "majority" } };
    const opened = await run({ aggregate: 1, pipeline, cursor: { batchSize: MOST_EVENTS }, ...concern });
    const id = Long.fromValue(opened.id);
    let first = opened.firstBatch ?? [];
    return {
      start: token ?? opened.postBatchResumeToken,
      next: async (awaitMs, signal) => {
        if (first.length > 0) {
          const events = first;
          first = [];
          return { events, token: opened.postBatchResumeToken };
        }
        const getMore = { getMore: id, collection: "$cmd.aggregate", batchSize: MOST_EVENTS };
        const { nextBatch = [], postBatchResumeToken } = await run({ ...getMore, maxTimeMS: awaitMs }, signal);
        return { events: nextBatch, token: postBatchResumeToken };
      },
      close: async () => {
        await run({ killCursors: "$cmd.aggregate", cursors: [id] }).catch(() => null);
        await session.endSession();
      },
    };
  } catch (error) {
    await session.endSession();
    throw error;
  }
}
