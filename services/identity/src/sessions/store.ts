import type { ClientSession } from "mongodb";
import type { Database } from "../database.js";
import { type Forms, openDocuments } from "../documents.js";
import type { SessionDocument } from "./session.js";

export interface SessionStore {
  insert(session: SessionDocument, tx: ClientSession): Promise<void>;
  /** Moves the end of a session on, never back. */
  slide(id: string, expiresAt: Date): Promise<void>;
  find(organizationId: string, userId: string, id: string): Promise<SessionDocument | null>;
  /** The ids of the sessions whose tokens have these hashes: who knows one has had the token. */
  idsOf(hashes: readonly string[]): Promise<string[]>;
  /** The ids of the sessions of a user beyond so many: those that would end first. @param hashes of sessions not to be counted */
  idsBeyond(userId: string, kept: number, hashes: readonly string[]): Promise<string[]>;
  count(userId: string, tx: ClientSession): Promise<number>;
  /** @returns a conflict when there was none of them any more */
  removeMany(ids: readonly string[], tx: ClientSession): Promise<"removed" | "conflict">;
  removeAllOf(userId: string, tx: ClientSession): Promise<void>;
}

export function createSessionStore({ db, share }: Database, forms?: Forms): SessionStore {
  const documents = openDocuments(db, "sessions", forms);
  const { collection: sessions } = documents;
  return {
    insert: documents.insert,
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
      const { deletedCount } = await sessions.deleteMany({ _id: { $in: [...ids] } }, { session: tx });
      return deletedCount > 0 ? "removed" : "conflict";
    },
    removeAllOf: async (userId, tx) => {
      await sessions.deleteMany({ user_id: userId }, { session: tx });
    },
  };
}
