import type { ClientSession, Db } from "mongodb";
import { newId } from "@nts/shared/ids";

// Mails that were promised and are not sent yet. What is stored is what a mail is about, and never the mail: secrets of its link are
// made when it is sent, and are nowhere but in it. A process that dies leaves its mails to the others when their leases end.

export const OUTGOING_MAILS = "outgoing_mails";

/** Mails that may wait; beyond it none is promised. */
const MOST_WAITING = 10_000;
/** Milliseconds after which another process may send what one was sending; longer than handing over takes. */
const LEASE_MS = 60_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What each kind of mail is about. */
export interface MailSubjects {
  /** The address as it was typed: whether there is an account is found out later. */
  readonly password_reset: { readonly email: string };
  readonly verification: { readonly email: string };
  readonly invite: { readonly organizationId: string; readonly inviteId: string };
  readonly new_sign_in: { readonly email: string; readonly browser: string | null; readonly at: Date };
}
export type MailKind = keyof MailSubjects;

interface KindRules {
  /** Those with 0 go before those with 1: somebody waits for them. */
  readonly rank: 0 | 1;
  /** Milliseconds after which it is of no use any more. */
  readonly lifeMs: number;
}

const KINDS: Readonly<Record<MailKind, KindRules>> = {
  password_reset: { rank: 0, lifeMs: 60 * MINUTE_MS },
  verification: { rank: 0, lifeMs: DAY_MS },
  invite: { rank: 1, lifeMs: DAY_MS },
  new_sign_in: { rank: 1, lifeMs: DAY_MS },
};

/** Who asked for a mail. */
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

/** A mail that a process is to send. */
export type OutgoingMail = { [Kind in MailKind]: Stored<Kind> }[MailKind];

export interface Outbox {
  /** False when so many wait that none more may be promised. */
  hasRoom(): Promise<boolean>;
  /** Promises a mail, in a transaction with what it is about where there is one. */
  add<Kind extends MailKind>(
    kind: Kind,
    about: MailSubjects[Kind],
    origin: MailOrigin,
    tx?: ClientSession,
  ): Promise<void>;
  /** Takes the next one that is due, for as long as the lease lasts. */
  take(now: Date): Promise<OutgoingMail | null>;
  /** It is sent, or given up. Whoever has lost the lease changes nothing; so do the others. */
  remove(mail: OutgoingMail): Promise<void>;
  /** It is to be tried again. */
  defer(mail: OutgoingMail, dueAt: Date): Promise<void>;
}

export function createOutbox(db: Db): Outbox {
  const mails = db.collection<Stored<MailKind>>(OUTGOING_MAILS);
  const held = ({ _id, attempts }: OutgoingMail) => ({ _id, attempts });
  return {
    // By the collection's own count, so that it costs the same however many there are.
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
      // Another build may promise mails that this one cannot write.
      const due = { due_at: { $lte: now }, kind: { $in: Object.keys(KINDS) as MailKind[] } };
      const options = { sort: { rank: 1, due_at: 1 }, returnDocument: "after" } as const;
      return (await mails.findOneAndUpdate(due, taken, options)) as OutgoingMail | null;
    },
    remove: async (mail) => {
      await mails.deleteOne(held(mail));
    },
    defer: async (mail, dueAt) => {
      await mails.updateOne(held(mail), { $set: { due_at: dueAt } });
    },
  };
}
