import type { ClientSession, Db } from "mongodb";
import { newId } from "@nts/shared/ids";

// Queued mails. Only their subject matter is stored: link tokens are created when sending, and exist only in the mail.
// Mails of a dead process are taken over when its lease expires.

export const OUTGOING_MAILS = "outgoing_mails";

/** Maximum queued mails. */
const MOST_WAITING = 10_000;
/** Lease in milliseconds; longer than sending takes. */
const LEASE_MS = 60_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The data of each kind of mail. */
export interface MailSubjects {
  /** As typed: whether an account exists is determined later. */
  readonly password_reset: { readonly email: string };
  readonly verification: { readonly email: string };
  readonly invite: { readonly organizationId: string; readonly inviteId: string };
  /** What happened in a part of the journal; it is read when the mail is written. */
  readonly news: {
    readonly userId: string;
    readonly organizationId: string;
    readonly after: string | null;
    readonly until: string;
    readonly certificates: { readonly from: Date; readonly to: Date };
  };
  readonly new_sign_in: { readonly email: string; readonly browser: string | null; readonly at: Date };
}
export type MailKind = keyof MailSubjects;

interface KindRules {
  /** 0 before 1: somebody is waiting for it. */
  readonly rank: 0 | 1;
  /** Milliseconds after which it is useless. */
  readonly lifeMs: number;
}

const KINDS: Readonly<Record<MailKind, KindRules>> = {
  password_reset: { rank: 0, lifeMs: 60 * MINUTE_MS },
  verification: { rank: 0, lifeMs: DAY_MS },
  invite: { rank: 1, lifeMs: DAY_MS },
  news: { rank: 1, lifeMs: DAY_MS },
  new_sign_in: { rank: 1, lifeMs: DAY_MS },
};

/** The requester of a mail. */
export interface MailOrigin {
  readonly address: string;
  readonly requestId: string | null;
}

interface Stored<Kind extends MailKind> {
  _id: string;
  kind: Kind;
  about: MailSubjects[Kind];
  origin: MailOrigin;
  rank: 0 | 1;
  created_at: Date;
  due_at: Date;
  attempts: number;
  expires_at: Date;
}

/** A mail leased for sending. */
export type OutgoingMail = { [Kind in MailKind]: Stored<Kind> }[MailKind];

export interface Outbox {
  /** False if the queue is full. */
  hasRoom(): Promise<boolean>;
  /** Queues a mail, in the transaction of its cause if there is one. */
  add<Kind extends MailKind>(
    kind: Kind,
    about: MailSubjects[Kind],
    origin: MailOrigin,
    tx?: ClientSession,
  ): Promise<void>;
  /** Leases the next due mail. */
  take(now: Date): Promise<OutgoingMail | null>;
  /** Removes a sent or abandoned mail. Without the lease, nothing changes; the same for the others. */
  remove(mail: OutgoingMail): Promise<void>;
  /** Schedules a retry. */
  defer(mail: OutgoingMail, dueAt: Date): Promise<void>;
}

export function createOutbox(db: Db): Outbox {
  const mails = db.collection<Stored<MailKind>>(OUTGOING_MAILS);
  const owned = ({ _id, attempts }: OutgoingMail) => ({ _id, attempts });
  return {
    // The collection's own count, whose cost does not depend on the number.
    hasRoom: async () => (await mails.estimatedDocumentCount()) < MOST_WAITING,
    add: async (kind, about, origin, tx) => {
      const { rank, lifeMs } = KINDS[kind];
      const now = new Date();
      const expires_at = new Date(now.getTime() + lifeMs);
      const mail = { _id: newId(), kind, about, origin, rank, created_at: now, due_at: now, attempts: 0, expires_at };
      await mails.insertOne(mail, { session: tx });
    },
    take: async (now) => {
      const taken = { $set: { due_at: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } };
      // Other builds may queue kinds that this one does not know.
      const due = { due_at: { $lte: now }, kind: { $in: Object.keys(KINDS) as MailKind[] } };
      const options = { sort: { rank: 1, due_at: 1 }, returnDocument: "after" } as const;
      return (await mails.findOneAndUpdate(due, taken, options)) as OutgoingMail | null;
    },
    remove: async (mail) => {
      await mails.deleteOne(owned(mail));
    },
    defer: async (mail, dueAt) => {
      await mails.updateOne(owned(mail), { $set: { due_at: dueAt } });
    },
  };
}
