import type { ClientSession, Db } from "mongodb";
import type { Notifications } from "@nts/shared/contract/notifications";

// What users want to be told by mail, each with a position in the journal of topology: what was mailed is behind it.

export const NOTIFICATIONS = "notifications";

export interface NotificationDocument extends Notifications {
  /** User and organization. */
  _id: string;
  user_id: string;
  organization_id: string;
  /** Where the next news begin; null for those from now on. */
  cursor: string | null;
  /** Certificates were looked at until then. */
  certificates_at: Date;
  /** When to look next; null if nothing is wanted. */
  due_at: Date | null;
  /** When a mail was last queued; null before. */
  mailed_at: Date | null;
}

type Progress = Pick<NotificationDocument, "cursor" | "certificates_at" | "due_at" | "mailed_at">;

export interface NotificationStore {
  find(userId: string, organizationId: string): Promise<NotificationDocument | null>;
  save(userId: string, organizationId: string, wanted: Notifications, now: Date): Promise<void>;
  /** The one that is due longest. */
  due(now: Date): Promise<NotificationDocument | null>;
  /** When a user, in any organization, was last sent one; null if never. */
  lastMailed(userId: string): Promise<Date | null>;
  /** @returns false if another process moved it, or its user changed it */
  move(read: NotificationDocument, progress: Partial<Progress>, tx?: ClientSession): Promise<boolean>;
  remove(read: NotificationDocument): Promise<void>;
}

export function createNotificationStore(db: Db): NotificationStore {
  const notifications = db.collection<NotificationDocument>(NOTIFICATIONS);
  const idOf = (userId: string, organizationId: string): string => `${userId} ${organizationId}`;
  return {
    find: (userId, organizationId) => notifications.findOne({ _id: idOf(userId, organizationId) }),
    save: async (userId, organizationId, wanted, now) => {
      const isWanted = wanted.events.length > 0;
      const before = await notifications.findOne({ _id: idOf(userId, organizationId) });
      // What happened before somebody wanted to know is not told.
      const continues = before !== null && before.events.length > 0;
      const progress = continues
        ? { due_at: isWanted ? (before.due_at ?? now) : null }
        : { due_at: isWanted ? now : null, cursor: null, certificates_at: now };
      await notifications.updateOne(
        { _id: idOf(userId, organizationId) },
        {
          $set: { ...wanted, ...progress, user_id: userId, organization_id: organizationId },
          $setOnInsert: { mailed_at: null },
        },
        { upsert: true },
      );
    },
    due: (now) => notifications.findOne({ due_at: { $lte: now } }, { sort: { due_at: 1 } }),
    lastMailed: async (userId) => {
      const [found] = await notifications.find({ user_id: userId }).sort({ mailed_at: -1 }).limit(1).toArray();
      return found?.mailed_at ?? null;
    },
    move: async ({ _id, cursor, due_at, events }, progress, session) => {
      const asRead = { _id, cursor, due_at, events };
      return (await notifications.updateOne(asRead, { $set: progress }, { session })).matchedCount === 1;
    },
    remove: async ({ _id }) => {
      await notifications.deleteOne({ _id });
    },
  };
}
