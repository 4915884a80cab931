import { randomUUID } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { type AuditNote, MOST_AUDIT_NOTES } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { placeOf, placesBehind } from "@nts/shared/numbered";
import type { Origin } from "@nts/shared/work";
import { actorOf, authorOf } from "@nts/shared/author";
import { BY_ID } from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";

// Audit events of topology, noted in their transaction until identity has recorded them. A counter document orders an
// organization's notes by commit.

/** Maximum pending notes per organization; reached only after a long outage of identity. */
export const MOST_WAITING = 1_000;

/** `_id` is its position, plus a suffix that is unique even after restores. */
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

/** An event, as reported by its writer. */
export type Noted = Pick<
  AuditNote,
  "organization_id" | "action" | "entity" | "entity_id" | "name" | "before" | "after"
>;

export interface AuditNotes {
  /**
   * Notes what the transaction does.
   *
   * @param origin the request; null for the server's own actions, which are always accepted
   * @throws AppError `unavailable` if too many notes are pending: unauditable actions are refused
   */
  add(tx: ClientSession, noted: Noted, origin: Origin | null): Promise<void>;
  /** The next notes of all organizations, by id. */
  page(after: string): Promise<AuditNote[]>;
  /** Deletes recorded notes. */
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
      const head = await heads.findOneAndUpdate(
        place,
        { $inc: { n: 1 } },
        {
          ...{ upsert: true, returnDocument: "after", session: tx },
        },
      );
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
