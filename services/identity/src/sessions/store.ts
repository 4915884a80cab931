import type { ClientSession, Filter } from "mongodb";
import { actorFrom, noteChange } from "../audit/notes.js";
import type { Database } from "../database.js";
import { type Forms, openDocuments } from "../documents.js";
import type { UserDocument } from "../users/user.js";
import type { SessionDocument } from "./session.js";

type SessionUser = Pick<UserDocument, "_id" | "email">;

export interface SessionStore {
  /** @param user whose it is */
  insert(session: SessionDocument, user: SessionUser, tx: ClientSession): Promise<void>;
  /** Moves the end of a session on, never back. */
  slide(id: string, expiresAt: Date): Promise<void>;
  find(organizationId: string, userId: string, id: string): Promise<SessionDocument | null>;
  /** The ids of the sessions whose tokens have these hashes: who knows one has had the token. */
  idsOf(hashes: readonly string[]): Promise<string[]>;
  /** The ids of the sessions of a user beyond so many: those that would end first. @param hashes of sessions not to be counted */
  idsBeyond(userId: string, kept: number, hashes: readonly string[]): Promise<string[]>;
  count(userId: string, tx: ClientSession): Promise<number>;
  /**
   * Ends sessions on behalf of their users: who asks for it has had their tokens.
   *
   * @returns a conflict when there was none of them any more
   */
  removeMany(ids: readonly string[], tx: ClientSession): Promise<"removed" | "conflict">;
  removeAllOf(user: SessionUser, tx: ClientSession): Promise<void>;
}

export function createSessionStore({ db, share }: Database, forms?: Forms): SessionStore {
  const documents = openDocuments(db, "sessions", forms);
  const { collection: sessions } = documents;

  async function remove(filter: Filter<SessionDocument>, tx: ClientSession): Promise<SessionDocument[]> {
    const found = await sessions.find<SessionDocument>(filter, { session: tx }).toArray();
    if (found.length > 0) await sessions.deleteMany(filter, { session: tx });
    return found.map(documents.understood);
  }

  return {
    insert: async (session, user, tx) => {
      await documents.insert(session, tx);
      noteChange(tx, "session", { after: { session, email: user.email }, actor: actorFrom(user) });
    },
    slide: async (id, expiresAt) => {
      await sessions.updateOne({ _id: id }, { $max: { expires_at: expiresAt } });
    },
    find: (organizationId, userId, id) => share(organizationId, () => documents.find({ _id: id, user_id: userId })),
    idsOf: async (hashes) => {
      if (hashes.length === 0) return [];
      const found = await sessions.find({ hash: { $in: [...hashes] } }, { projection: { _id: 1 } }).toArray();
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
    count: (userId, tx) => sessions.countDocuments({ user_id: userId }, { session: tx }),
    removeMany: async (ids, tx) => {
      const ended = await remove({ _id: { $in: [...ids] } }, tx);
      if (ended.length === 0) return "conflict";
      const users = db.collection<UserDocument>("users");
      const theirs = { _id: { $in: ended.map(({ user_id }) => user_id) } };
      const found = await users.find(theirs, { projection: { email: 1 }, session: tx }).toArray();
      const emails = new Map(found.map((user) => [user._id, user.email]));
      for (const session of ended) {
        const { user_id } = session;
        const email = emails.get(user_id) ?? null;
        noteChange(tx, "session", {
          before: { session, email: email ?? "" },
          actor: { user_id, key_id: null, email },
        });
      }
      return "removed";
    },
    removeAllOf: async ({ _id, email }, tx) => {
      for (const session of await remove({ user_id: _id }, tx))
        noteChange(tx, "session", { before: { session, email } });
    },
  };
}
