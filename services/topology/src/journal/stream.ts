import type { Db, Document, Long } from "mongodb";
import { MongoServerError, Timestamp } from "mongodb";
import { NOTES } from "../storage/authorship.js";
import { COLLECTIONS } from "./entries.rules.js";

// What the database tells of its changes, in the order of their commits. Whole batches are read by plain commands: the driver's
// own change stream hands out one event at a time, and asks for the next as soon as there is one.

/** A change of a document, with the fields that the journal needs. */
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
  readonly updateDescription?: { readonly updatedFields: Document };
}

export interface ChangeBatch {
  readonly events: readonly ChangeEvent[];
  /** From where the next ones come. */
  readonly token: Document;
}

export interface ChangeStream {
  /** From where it began. */
  readonly begun: Document;
  /** What came since; waits a moment for something. @param awaitMs how long at most */
  next(awaitMs: number): Promise<ChangeBatch>;
  close(): Promise<void>;
}

/** Events of one batch: reading them keeps the process from everything else for some ten milliseconds. */
export const MOST_EVENTS = 400;

/** The server's codes for a place in the stream that it cannot go on from. */
const LOST = new Set([9, 260, 280, 286, 40647, 50811]);

/** True when the database does not know any more what came after the token. */
export function isLost(error: unknown): boolean {
  return error instanceof MongoServerError && LOST.has(Number(error.code));
}

/** A token begins with its time: a type, seconds and a count within them. */
const TIME = /^82([0-9A-F]{8})([0-9A-F]{8})/i;

/** The last time of the database of which nothing comes behind a place in the stream; null where the token does not tell. */
export function timeBefore(token: Document): Timestamp | null {
  const [, seconds, count] = TIME.exec(String(token["_data"])) ?? [];
  if (seconds === undefined || count === undefined) return null;
  const [t, i] = [parseInt(seconds, 16), parseInt(count, 16)];
  return i > 0 ? new Timestamp({ t, i: i - 1 }) : new Timestamp({ t: t - 1, i: 0xffffffff });
}

const FIELDS = ["wire", "revision", "form", "by"] as const;
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
        { "ns.coll": NOTES, operationType: "insert" },
      ],
    },
  },
  {
    $project: {
      ...{ operationType: 1, "ns.coll": 1, "documentKey._id": 1, wallTime: 1, clusterTime: 1, lsid: 1, txnNumber: 1 },
      ...Object.fromEntries(FIELDS.flatMap((field) => [`fullDocument.${field}`, `updateDescription.updatedFields.${field}`].map((path) => [path, 1]))), // prettier-ignore
      ...Object.fromEntries(
        ["organization_id", "kind", "ids", "deleted_at"].map((name) => [`fullDocument.${name}`, 1]),
      ),
    },
  },
];

interface Reply {
  readonly id: Long;
  readonly firstBatch?: ChangeEvent[];
  readonly nextBatch?: ChangeEvent[];
  readonly postBatchResumeToken: Document;
}

/** Opens the stream of a database. @param token from where; from now on when null */
export async function openStream(db: Db, token: Document | null): Promise<ChangeStream> {
  const session = db.client.startSession({ causalConsistency: false });
  const run = async (command: Document): Promise<Reply> =>
    (await db.command(command, { session, readPreference: "primary" }))["cursor"] as Reply;
  try {
    const $changeStream = token === null ? {} : { resumeAfter: token };
    const pipeline = [{ $changeStream }, ...STAGES];
    const concern = { readConcern: { level: "majority" } };
    const opened = await run({ aggregate: 1, pipeline, cursor: { batchSize: MOST_EVENTS }, ...concern });
    let first = opened.firstBatch ?? [];
    return {
      begun: token ?? opened.postBatchResumeToken,
      next: async (awaitMs) => {
        if (first.length > 0) {
          const events = first;
          first = [];
          return { events, token: opened.postBatchResumeToken };
        }
        const getMore = { getMore: opened.id, collection: "$cmd.aggregate", batchSize: MOST_EVENTS };
        const { nextBatch = [], postBatchResumeToken } = await run({ ...getMore, maxTimeMS: awaitMs });
        return { events: nextBatch, token: postBatchResumeToken };
      },
      close: async () => {
        await run({ killCursors: "$cmd.aggregate", cursors: [opened.id] }).catch(() => null);
        await session.endSession();
      },
    };
  } catch (error) {
    await session.endSession();
    throw error;
  }
}
