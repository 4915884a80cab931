import type { ClientSession, Db } from "mongodb";
import type { SessionDocument } from "./session.js";

export interface SessionStore {
  insert(session: SessionDocument, transaction: ClientSession): Promise<void>;
  /** Moves the end of a session on, never back. */
  slide(id: string, expiresAt: Date): Promise<void>;
  find(userId: string, id: string): Promise<SessionDocument | null>;
  /** @returns true, or null when there was none any more */
  remove(userId: string, id: string, transaction: ClientSession): Promise<true | null>;
  /** @param keptId of a session that goes on */
  removeAllOf(userId: string, transaction: ClientSession, keptId?: string | null): Promise<void>;
}

export function createSessionStore(db: Db): SessionStore {
  const sessions = db.collection<SessionDocument>("sessions");
  return {
    insert: async (session, transaction) => {
      await sessions.insertOne(session, { session: transaction });
    },
    slide: async (id, expiresAt) => {
      await sessions.updateOne({ _id: id }, { $max: { expires_at: expiresAt } });
    },
    find: (userId, id) => sessions.findOne({ _id: id, user_id: userId }),
    remove: async (userId, id, transaction) => {
      const { deletedCount } = await sessions.deleteOne({ _id: id, user_id: userId }, { session: transaction });
      return deletedCount === 1 ? true : null;
    },
    removeAllOf: async (userId, transaction, keptId = null) => {
      const ended = { user_id: userId, ...(keptId !== null && { _id: { $ne: keptId } }) };
      await sessions.deleteMany(ended, { session: transaction });
    },
  };
}
