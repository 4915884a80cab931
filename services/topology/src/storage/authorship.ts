import { type ClientSession, type Db, ObjectId } from "mongodb";
import { type Author, authorOf } from "@nts/shared/author";
import { scopedCollection } from "./scoped-collection.js";

// The journal is made from change events, so each document has the author of its last write, and deletions leave a
// note. It is a string that changes with each revision, because events of changed objects only contain differences.

/** What is known about a write. */
export interface Authorship {
  readonly organizationId: string;
  readonly author: Author | null;
}

/** Notes are needed as long as the journal may lag. */
const NOTE_SECONDS = 86_400;

export const NOTES = "journal_notes";
export const NOTES_EXPIRE = { key: { at: 1 }, expireAfterSeconds: NOTE_SECONDS } as const;

/** Short names, because every document has them. */
interface Text {
  readonly o: string;
  readonly v: number;
  readonly u?: string;
  readonly k?: string;
  readonly e?: string;
  readonly r?: string;
  readonly c?: string;
}

/** The field `by` of a document. @param revision of the document, or the time of a sighting, so that each differs */
export function byText(author: Author | undefined, organizationId: string, revision: number): string {
  const text: Text = {
    o: organizationId,
    v: revision,
    ...(author !== undefined && {
      u: author.userId,
      ...(author.keyId !== null && { k: author.keyId }),
      ...(author.email !== null && { e: author.email }),
      r: author.requestId,
      ...(author.comment !== null && { c: author.comment }),
    }),
  };
  return JSON.stringify(text);
}

/** The field `by` for writes of a transaction. */
export function signed(tx: ClientSession, organizationId: string, revision: number): { readonly by: string } {
  return { by: byText(authorOf(tx), organizationId, revision) };
}

/** Parses the field `by` of a document or note. */
export function authorshipIn(by: string): Authorship {
  const { o, u, k = null, e = null, r = "", c = null } = JSON.parse(by) as Text;
  const author = u === undefined ? null : { userId: u, keyId: k, email: e, requestId: r, comment: c };
  return { organizationId: o, author };
}

/** A note of a deleting transaction; or a barrier, which waits for everything before it to be recorded. */
export interface NoteDocument {
  _id: ObjectId;
  organization_id: string;
  by?: string;
  at: Date;
  kind?: typeof BARRIER;
  passed?: boolean;
}

export const BARRIER = "barrier";

/**
 * Leaves a note for the deletions of a transaction, once.
 *
 * @param by the author, if other than that of the transaction
 */
export type Note = (tx: ClientSession, organizationId: string, by?: string) => Promise<void>;

/** Transactions that have left a note. */
const noted = new WeakSet<ClientSession>();

export function createNote(db: Db): Note {
  const notes = scopedCollection<NoteDocument>(db, NOTES);
  return async (tx, organization_id, by = byText(authorOf(tx), organization_id, 0)) => {
    if (noted.has(tx)) return;
    noted.add(tx);
    await notes.insertMany([{ _id: new ObjectId(), organization_id, by, at: new Date() }], { session: tx });
  };
}
