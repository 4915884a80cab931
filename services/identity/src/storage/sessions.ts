import type { ClientSession, Filter } from "mongodb";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import { actorFrom, noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Documents, type Forms, openDocuments } from "./documents.js";
import type { UserDocument } from "../model/user.js";
import { rowsIn, storedList, type StoredList } from "./pages.js";
import type { SessionDocument } from "../model/session.js";

/** Whose sessions a call may access; others do not exist for it. */
export interface SessionOwner {
  readonly organizationId: string;
  readonly userId: string;
}

type SessionUser = Pick<UserDocument, "_id" | "email">;

export interface SessionStore {
  /** @param user its owner */
  insert(session: SessionDocument, user: SessionUser, tx: ClientSession): Promise<void>;
  /** Extends a session and its last use, never back. */
  noteUse(id: string, use: Partial<Pick<SessionDocument, "expires_at" | "last_used">>): Promise<void>;
  /** A user's current sessions. */
  list(owner: SessionOwner, query: PageQuery, now: Date): StoredList<SessionDocument>;
  find(organizationId: string, userId: string, id: string): Promise<SessionDocument | null>;
  /** The ids of sessions by token hash, as the caller has the token. */
  idsOf(hashes: readonly string[]): Promise<string[]>;
  /** The ids of a user's sessions beyond the maximum: those that end first. @param hashes of sessions to exclude */
  idsBeyond(userId: string, kept: number, hashes: readonly string[]): Promise<string[]>;
  /** It vouches for another one: both cannot come to be while it ends. @returns false if it has ended */
  vouch(id: string, now: Date, tx: ClientSession): Promise<boolean>;
  /** A second factor code was given in it. */
  confirm(id: string, now: Date, tx: ClientSession): Promise<void>;
  /** Sessions started by a provider: of a user, of a session there, or both. */
  idsStartedBy(
    provider: string,
    whose: { readonly userId?: string; readonly session?: string },
    tx?: ClientSession,
  ): Promise<string[]>;
  count(userId: string, tx: ClientSession): Promise<number>;
  /**
   * Ends sessions whose tokens the caller has.
   *
   * @returns a conflict if they had all ended
   */
  removeMany(ids: readonly string[], tx: ClientSession): Promise<"removed" | "conflict">;
  /** All sessions of an account, in any organization. */
  removeAllOf(user: SessionUser, tx: ClientSession): Promise<void>;
  /** A user's sessions in the organization. */
  removeAllIn(user: SessionUser & Pick<UserDocument, "organization_id">, tx: ClientSession): Promise<void>;
  /** Ends all but one session of a user. @returns their number; a conflict if there were none */
  removeOthers(userId: string, keptId: string, tx: ClientSession): Promise<number | "conflict">;
}

export function createSessionStore({ db, share, readOnce }: Database, forms?: Forms): SessionStore {
  const documents = openDocuments(db, "sessions", forms);
  const { collection: sessions } = documents;

  async function remove(filter: Filter<SessionDocument>, tx: ClientSession): Promise<SessionDocument[]> {
    const found = await sessions.find<SessionDocument>(filter, { session: tx }).toArray();
    if (found.length > 0) await sessions.deleteMany(filter, { session: tx });
    return found.map(documents.understood);
  }

  async function removeTheirs({ _id, email }: SessionUser, those: Filter<SessionDocument>, tx: ClientSession) {
    for (const session of await remove({ user_id: _id, ...those }, tx))
      noteChange(tx, "session", { before: { session, email } });
  }

  /** On behalf of their users. */
  async function noteEnds(ended: readonly SessionDocument[], tx: ClientSession): Promise<void> {
    const users = db.collection<UserDocument>("users");
    const theirs = { _id: { $in: ended.map(({ user_id }) => user_id) } };
    const found = await users.find(theirs, { projection: { email: 1 }, session: tx }).toArray();
    const emails = new Map(found.map((user) => [user._id, user.email]));
    for (const session of ended) {
      const { user_id } = session;
      const email = emails.get(user_id) ?? null;
      noteChange(tx, "session", { before: { session, email: email ?? "" }, actor: { user_id, key_id: null, email } });
    }
  }

  return {
    ...createSessionReads(documents, { share, readOnce }),
    insert: async (session, user, tx) => {
      await documents.insert(session, tx);
      noteChange(tx, "session", { after: { session, email: user.email }, actor: actorFrom(user) });
    },
    noteUse: async (id, use) => {
      await sessions.updateOne({ _id: id }, { $max: use });
    },
    vouch: async (id, now, tx) => {
      const living = { _id: id, expires_at: { $gt: now } };
      return (await sessions.updateOne(living, { $set: { last_used: now } }, { session: tx })).matchedCount === 1;
    },
    confirm: async (id, now, tx) => {
      await sessions.updateOne({ _id: id }, { $set: { confirmed_at: now } }, { session: tx });
    },
    count: (userId, tx) => sessions.countDocuments({ user_id: userId }, { session: tx }),
    removeMany: async (ids, tx) => {
      const ended = await remove({ _id: { $in: [...ids] } }, tx);
      if (ended.length === 0) return "conflict";
      await noteEnds(ended, tx);
      return "removed";
    },
    removeAllOf: (user, tx) => removeTheirs(user, {}, tx),
    removeAllIn: (user, tx) => removeTheirs(user, { organization_id: user.organization_id }, tx),
    removeOthers: async (userId, keptId, tx) => {
      const ended = await remove({ user_id: userId, _id: { $ne: keptId } }, tx);
      if (ended.length === 0) return "conflict";
      await noteEnds(ended, tx);
      return ended.length;
    },
  };
}

function createSessionReads(
  { collection: sessions, find, understood }: Documents<SessionDocument>,
  { share, readOnce }: Pick<Database, "share" | "readOnce">,
): Pick<SessionStore, "list" | "find" | "idsOf" | "idsStartedBy" | "idsBeyond"> {
  return {
    list: (owner, query, now) => {
      const living = { user_id: owner.userId, expires_at: { $gt: now } };
      return storedList({ rows: rowsIn(sessions, living), share, understood }, { name: "Session", ...owner }, query);
    },
    find: (organizationId, userId, id) =>
      readOnce(organizationId, `session ${userId} ${id}`, () => find({ _id: id, user_id: userId })),
    idsOf: async (hashes) => {
      if (hashes.length === 0) return [];
      const found = await sessions.find({ hash: { $in: [...hashes] } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },
    idsStartedBy: async (provider, { userId, session }, tx) => {
      const whose = {
        ...(userId !== undefined && { user_id: userId }),
        ...(session !== undefined && { "provider.session": session }),
      };
      if (Object.keys(whose).length === 0) return [];
      const filter = { ...whose, "provider.id": provider };
      const found = await sessions.find(filter, { projection: { _id: 1 }, session: tx }).toArray();
      return found.map(({ _id }) => _id);
    },
    idsBeyond: async (userId, kept, hashes) => {
      const found = await sessions
        .find({ user_id: userId, hash: { $nin: [...hashes] } }, { projection: { _id: 1 } })
        .sort({ expires_at: -1, _id: -1 })
        .skip(kept)
        .toArray();
      return found.map(({ _id }) => _id);
    },
  };
}
