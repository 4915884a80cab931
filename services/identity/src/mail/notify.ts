import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { repeatUntilStopped } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import { type NotificationDocument, NOTIFICATIONS, type NotificationStore } from "../storage/notifications.js";
import type { Mail } from "./mail.js";
import { isEmpty, type NewsReader } from "./news-reader.js";

// Looks for news of each user who wants them, one after another in one process, and queues a mail in the transaction that
// moves the user's position. A process that dies has either done both or nothing. See ADR 90.

/** Milliseconds between polls for users who are due. */
const EVERY_MS = 15_000;
/** Milliseconds until a user without news is due again. */
const CHECK_MS = 60_000;
/** Milliseconds in which news are gathered before they are mailed, and between two mails. */
const JOIN_MS = 300_000;
const GAP_MS = 600_000;
/** Milliseconds by which certificates are told late: an import may still write what it read then. */
const LAG_MS = 600_000;

/** Queues mails for all users who are due. */
export type Notify = (signal: AbortSignal) => Promise<void>;

export interface NotifyOptions {
  readonly notifications: NotificationStore;
  readonly newsReader: NewsReader;
  readonly mail: Pick<Mail, "may" | "promise" | "wake">;
  readonly transaction: RunTransaction;
  readonly log: Log;
  readonly now: () => Date;
}

export function createNotify(options: NotifyOptions): Notify {
  const { notifications, newsReader, mail, transaction, log, now: clock } = options;

  async function look(wanted: NotificationDocument, now: Date): Promise<void> {
    const reader = await newsReader.readerOf(wanted);
    if (reader === null) return notifications.remove(wanted);
    const { cursor, certificates_at: from } = wanted;
    const later = (ms: number): Date => new Date(now.getTime() + ms);
    const rest = (progress: Parameters<NotificationStore["move"]>[1]) => notifications.move(wanted, progress);
    // What happens while the account has no access is not told afterwards.
    if (!reader.mayRead) return void (await rest({ cursor: null, certificates_at: now, due_at: later(GAP_MS) }));
    const to = new Date(Math.max(from.getTime(), now.getTime() - LAG_MS));
    const news = await newsReader.read(wanted, reader, { after: cursor, until: null, certificates: { from, to } });
    if (isEmpty(news)) return void (await rest({ cursor: news.next, certificates_at: to, due_at: later(CHECK_MS) }));
    const first = Math.min(...news.entries.map(({ at }) => Date.parse(at)), ...news.certificates.map(() => 0));
    const last = await notifications.lastMailed(wanted.user_id);
    const dueMs = Math.max(first + JOIN_MS, (last?.getTime() ?? 0) + GAP_MS);
    if (dueMs > now.getTime()) return void (await rest({ due_at: new Date(dueMs) }));
    if (!(await mail.may())) return void (await rest({ due_at: later(CHECK_MS) }));
    await transaction(BACKGROUND, [`user:${wanted.user_id}`], async (tx) => {
      const moved = { cursor: news.next, certificates_at: to, mailed_at: now, due_at: later(GAP_MS) };
      if (!(await notifications.move(wanted, moved, tx))) throw new Discard(null);
      const about = { userId: wanted.user_id, organizationId: wanted.organization_id };
      const span = { after: cursor, until: news.next, certificates: { from, to } };
      await mail.promise("news", { ...about, ...span }, BACKGROUND, tx);
    });
    mail.wake();
  }

  return async (signal) => {
    while (!signal.aborted) {
      const now = clock();
      const wanted = await notifications.due(now);
      if (wanted === null) return;
      try {
        await look(wanted, now);
      } catch (error) {
        log.warn({ err: error, organization_id: wanted.organization_id }, "news could not be read; retrying");
        // Other users do not wait for this one. The journal may have been restored, and not know the position.
        const isLost = (error as { code?: string }).code === "cursor_invalid";
        const again = { due_at: new Date(now.getTime() + CHECK_MS), ...(isLost && { cursor: null }) };
        await notifications.move(wanted, again);
      }
    }
  };
}

/** Looks until stopped; only one process per database at a time. */
export function startNotifying(db: Db, log: Log, notify: Notify): { stop(): Promise<void> } {
  const lookIfDue = async (signal: AbortSignal): Promise<void> => {
    const due = { due_at: { $lte: new Date() } };
    if ((await db.collection(NOTIFICATIONS).findOne(due, { projection: { _id: 1 } })) === null) return;
    await withFreeLock(db, NOTIFICATIONS, (lost) => notify(AbortSignal.any([signal, lost])));
  };
  return repeatUntilStopped(lookIfDue, {
    everyMs: EVERY_MS,
    onFault: (error) => {
      log.warn({ err: error }, "users who want news could not be listed; retrying");
    },
  });
}
