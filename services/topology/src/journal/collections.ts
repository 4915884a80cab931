import type { Collection, Db, Document, Timestamp } from "mongodb";
import { type DeletionDocument, openDeletions } from "../storage/deletion-records.js";
import { type NoteDocument, NOTES } from "../storage/authorship.js";
import type { EntityDocument } from "../storage/entities.js";
import type { Happening, JournalDocument } from "./entries.rules.js";

/** The place in the stream up to which everything has its entries. It means nothing to another database. */
export interface TailDocument {
  _id: "topology";
  token: Document;
  /** The time of the database up to which these are. Absent where an earlier version wrote it. */
  told?: Timestamp | null;
}

/** Up to which number the entries of a network are not kept any more. */
export interface GoneDocument {
  _id: string;
  organization_id: string;
  /** Null for what belongs to the organization as a whole; {@link ALL} for all of it together. */
  network_id: string | null;
  n: number;
  /** When that was. */
  at?: Date;
  /** Of all: up to where the entries have been deleted. */
  swept?: number;
}

/** Something that happened, while its organization waits. */
export interface BacklogDocument {
  _id: string;
  organization_id: string;
  at: Date;
  happening: Happening;
}

/** No network has this id. */
export const ALL = "all";

export interface JournalCollections {
  readonly db: Db;
  readonly journal: Collection<JournalDocument>;
  readonly gone: Collection<GoneDocument>;
  readonly tails: Collection<TailDocument>;
  readonly backlog: Collection<BacklogDocument>;
  readonly deletions: Collection<DeletionDocument>;
  readonly notes: Collection<NoteDocument>;
  entities(kind: string): Collection<EntityDocument>;
}

export function journalCollections(db: Db): JournalCollections {
  return {
    db,
    journal: db.collection("journal"),
    gone: db.collection("journal_gone"),
    tails: db.collection("journal_tail"),
    backlog: db.collection("journal_backlog"),
    deletions: openDeletions(db),
    notes: db.collection(NOTES),
    entities: (kind) => db.collection(kind),
  };
}
