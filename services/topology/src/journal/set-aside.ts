import { MongoError, MongoInvalidArgumentError, MongoServerError } from "mongodb";
import type { Log } from "@nts/shared/log";
import { SERVER_VERSION } from "@nts/shared/version";
import type { JournalCollections } from "./collections.js";

// An event whose recording throws again and again would stop the journal of all organizations. After some attempts,
// events are recorded one by one, and the ones that throw are set aside for an operator. There is one record per entity:
// recording it later means to compare its stored state with the journal.

/** Failed attempts before events are recorded one by one. */
const ATTEMPTS = 5;
/** Older failures had another cause. */
const TOGETHER_MS = 60_000;
/** Without a failure for so long, the cause has passed; a stream that was just resumed may not have shown its events yet. */
const QUIET_MS = 10_000;
/** Maximum characters of the stored event and error. */
const EVENT_CHARACTERS = 100_000;
const ERROR_CHARACTERS = 2_000;

/** Codes of a server that rejects a document for its content: bad value, invalid or too large BSON, validation. */
const OF_DOCUMENT = new Set([2, 22, 121, 10_334]);

/** An entity of which changes are missing in the journal. */
export interface SetAsideDocument {
  /** Kind and id. */
  _id: string;
  /** Null if the event does not tell. */
  organization_id: string | null;
  /** The collection. */
  kind: string;
  entity_id: string;
  /** When the first and the last of its changes were set aside. */
  first_at: Date;
  last_at: Date;
  /** Number of its changes. */
  events: number;
  /** Of the last one. */
  error: string;
  /** JSON of the last one, cut if long. */
  event: string;
  /** The last version that tried. */
  version: string;
  /** When it was last tried again. */
  tried_at?: Date;
  /** An operator asks to try again. */
  retry?: boolean;
}

export type Faulty = Pick<SetAsideDocument, "kind" | "entity_id" | "organization_id"> & {
  readonly event: unknown;
};

export interface Faults {
  /** Counts an interruption of the journal. */
  interrupted(error: unknown): void;
  /** Everything has been recorded. */
  caughtUp(): void;
  /** True while events are recorded one by one. */
  isolates(): boolean;
  /** Sets an event aside. @throws the error if the event is not its cause */
  setAside(faulty: Faulty, error: unknown): Promise<void>;
}

/** Whether an error is caused by what is recorded, and not by the database or another process. */
export function isOfEvent(error: unknown): boolean {
  if (!(error instanceof MongoError) || error instanceof MongoInvalidArgumentError) return true;
  return error instanceof MongoServerError && OF_DOCUMENT.has(Number(error.code));
}

export function createFaults({ setAside }: Pick<JournalCollections, "setAside">, log: Log): Faults {
  let attempts = 0;
  let lastMs = -Infinity;
  return {
    interrupted: (error) => {
      if (!isOfEvent(error)) return;
      const now = performance.now();
      attempts = now - lastMs > TOGETHER_MS ? 1 : attempts + 1;
      lastMs = now;
    },
    caughtUp: () => {
      if (performance.now() - lastMs > QUIET_MS) attempts = 0;
    },
    isolates: () => attempts >= ATTEMPTS,
    setAside: async ({ kind, entity_id, organization_id, event }, error) => {
      if (!isOfEvent(error)) throw error;
      const last_at = new Date();
      await setAside.updateOne(
        { _id: `${kind}:${entity_id}` },
        {
          $setOnInsert: { organization_id, kind, entity_id, first_at: last_at },
          $set: { last_at, error: textOf(error), event: jsonOf(event), version: SERVER_VERSION },
          $unset: { retry: true },
          $inc: { events: 1 },
        },
        { upsert: true },
      );
      log.error(
        { err: error, organization_id, kind, entity_id },
        "a change was set aside because it could not be recorded in the journal",
      );
    },
  };
}

function textOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, ERROR_CHARACTERS);
}

function jsonOf(event: unknown): string {
  return JSON.stringify(event).slice(0, EVENT_CHARACTERS);
}
