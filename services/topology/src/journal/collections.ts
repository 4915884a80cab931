import type { Collection, Db, Document, Timestamp } from "mongodb";
import { type Moment, rawBatches, type RawFind } from "@nts/shared/mongo/raw-find";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import { type DeletionDocument, openDeletions } from "../storage/deletion-records.js";
import { type NoteDocument, NOTES } from "../storage/authorship.js";
import type { EntityDocument } from "../storage/entities.js";
import type { EntityEvent, JournalDocument } from "./entries.rules.js";
import type { SetAsideDocument } from "./set-aside.js";

/** The stream position up to which everything is recorded; meaningless in another database. */
export interface TailDocument {
  _id: "topology";
  token: Document;
  /** Database time of the recorded events. */
  told: Timestamp | null;
  /** Database time of the events that were read, of which some may wait. */
  read: Timestamp | null;
  /** Whether the entries tell what is missed; absent from builds without such entries. */
  sightings?: boolean;
}

/** The number up to which entries of a network have been deleted. */
export interface GoneDocument {
  _id: string;
  organization_id: string;
  /** Null for organization-level entities; {@link ALL} for everything. */
  network_id: string | null;
  n: number;
  /** When that was. */
  at?: Date;
  /** For all: up to where entries have been deleted. */
  swept?: number;
}

/** An event whose organization is waiting. */
export interface BacklogDocument {
  _id: string;
  organization_id: string;
  at: Date;
  happening: EntityEvent;
}

/** No network has this id. */
export const ALL = "all";

export interface JournalCollections {
  readonly db: Db;
  readonly journal: Collection<JournalDocument>;
  readonly gone: Collection<GoneDocument>;
  readonly tails: Collection<TailDocument>;
  readonly backlog: Collection<BacklogDocument>;
  /** Of all organizations, as are the tails. */
  readonly setAside: Collection<SetAsideDocument>;
  readonly deletions: Collection<DeletionDocument>;
  readonly notes: Collection<NoteDocument>;
  entities(kind: string): Collection<EntityDocument>;
  /** See {@link rawBatches}. */
  batches(find: RawFind, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
}

export function journalCollections(db: Db): JournalCollections {
  return {
    db,
    journal: db.collection("journal"),
    gone: db.collection("journal_gone"),
    tails: db.collection("journal_tail"),
    backlog: db.collection("journal_backlog"),
    setAside: db.collection("journal_set_aside"),
    deletions: openDeletions(db),
    notes: db.collection(NOTES),
    entities: (kind) => db.collection(kind),
    batches: (find, moment) => rawBatches(db, find, moment),
  };
}
