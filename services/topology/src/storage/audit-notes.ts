import { randomUUID } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { type AuditNote, MOST_AUDIT_NOTES } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { placeOf, placesBehind } from "@nts/shared/numbered";
import type { Origin } from "@nts/shared/work";
import { actorOf, authorOf } from "@nts/shared/writes/author";
import { BY_ID } from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";

// The audit log is identity's. What it is to tell of topology is noted in the transaction that does it, and stays until identity
// says that it is written. Notes of an organization are numbered by a document that each of these transactions increases, so they
// have the order of commit.

/** Notes of an organization that may wait; identity has been away for long by then. */
export const MOST_WAITING = 1_000;

/** Its `_id` is its place, and something that makes it unique in all databases that were ever restored. */
interface NoteDocument extends Omit<AuditNote, "id"> {
  _id: string;
  at: Date;
}

interface HeadDocument {
  /** Of the organization. */
  _id: string;
  organization_id: string;
  n: number;
}

/** Something that was done, as its writer tells it. */
export type Noted = Pick<
  AuditNote,
  "organization_id" | "action" | "entity" | "entity_id" | "name" | "before" | "after"
>;

export interface AuditNotes {
  /**
   * Notes what the transaction does.
   *
   * @param origin the request; null for what the server does by itself, which always has room
   * @throws AppError `unavailable` when too much waits: what cannot be told is not done
   */
  add(tx: ClientSession, noted: Noted, origin: Origin | null): Promise<void>;
  /** The next ones of all organizations, in the order of their ids. */
  page(after: string): Promise<AuditNote[]>;
  /** Forgets what is written down. */
  remove(organizationId: string, ids: readonly string[]): Promise<void>;
}

export function createAuditNotes(db: Db): AuditNotes {
  const notes = scopedCollection<NoteDocument>(db, "audit_notes");
  const heads = scopedCollection<HeadDocument>(db, "audit_note_heads");
  const ofAll = db.collection<NoteDocument>("audit_notes");

  async function requireRoom(tx: ClientSession, organization_id: string): Promise<void> {
    const own = { organization_id, _id: placesBehind(organization_id, 0) };
    const waiting = await notes.countDocuments(own, { session: tx, hint: BY_ID, limit: MOST_WAITING });
    if (waiting >= MOST_WAITING) throw new AppError("unavailable");
  }

  return {
    add: async (tx, noted, origin) => {
      const { organization_id } = noted;
      const place = { _id: organization_id, organization_id };
      const head = await heads.findOneAndUpdate(place, { $inc: { n: 1 } }, {
        ...{ upsert: true, returnDocument: "after", session: tx },
      }); // prettier-ignore
      if (head === null) throw new Error("an organization has no place for notes");
      if (origin !== null) await requireRoom(tx, organization_id);
      const author = authorOf(tx);
      const note: NoteDocument = {
        ...{
          _id: `${placeOf(organization_id, head.n)}:${randomUUID()}`,
          at: new Date(),
          ...noted,
          actor: actorOf(author),
        },
        ...{ address: origin?.address ?? "", request_id: origin?.requestId ?? null, comment: author?.comment ?? null },
      };
      await notes.insertMany([note], { session: tx });
    },
    page: async (after) => {
      const found = ofAll.find({ _id: { $gt: after } }, { hint: BY_ID }).sort({ _id: 1 });
      const rows = await found.project<Omit<NoteDocument, "at">>({ at: 0 }).limit(MOST_AUDIT_NOTES).toArray();
      return rows.map(({ _id: id, ...note }) => ({ id, ...note }));
    },
    remove: async (organization_id, ids) => {
      await notes.deleteMany({ organization_id, _id: { $in: [...ids] } }, { hint: BY_ID });
    },
  };
}
