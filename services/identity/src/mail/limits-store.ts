import type { Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { createReached } from "./reached.js";

// How many mails may be asked for, counted over all replicas. Counts name nobody: they are found by hashes. A window of an hour is as
// long as a reset link lasts, so that whoever is refused one has a mail with a link that works.

export const MAIL_COUNTS = "mail_counts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Unless an operator says otherwise. */
export const MAILS_OF_CALLER = 20;

interface Limit {
  readonly most: number;
  readonly windowMs: number;
}

/** What may be asked for, by what is counted. */
const LIMITS = {
  /** Asked for from one block of addresses: resets, registrations and verifications together. */
  caller: { most: MAILS_OF_CALLER, windowMs: HOUR_MS },
  /** Resets of one email address, whether there is an account or not. */
  reset: { most: 3, windowMs: HOUR_MS },
  /** Verifications of one email address. */
  verification: { most: 3, windowMs: HOUR_MS },
  /** Invites that an organization mails, and that an address is mailed by all organizations together. */
  inviting: { most: 100, windowMs: DAY_MS },
  invited: { most: 3, windowMs: DAY_MS },
} as const satisfies Readonly<Record<string, Limit>>;

/** A limit, and whose share of it is used. */
export type Counted = readonly [keyof typeof LIMITS, string];

export interface MailLimits {
  /** Counts a mail against each limit, in this order. @throws AppError `mail_throttled` with the seconds until the next one */
  take(...counted: readonly Counted[]): Promise<void>;
}

interface CountDocument {
  _id: string;
  count: number;
  expires_at: Date;
}

/** @param ofCaller mails that may be asked for from one block of addresses in an hour */
export function createMailLimits(db: Db, ofCaller: number): MailLimits {
  const counts = db.collection<CountDocument>(MAIL_COUNTS);
  // By id of the count, which names its window. Further requests would only collide on one document.
  const reached = createReached();

  async function isWithin(_id: string, most: number, ends: number): Promise<boolean> {
    if (reached.has(_id)) return false;
    const found = await counts.findOneAndUpdate(
      { _id },
      { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(ends) } },
      { upsert: true, returnDocument: "after" },
    );
    const count = found?.count ?? 1;
    if (count >= most) reached.add(_id);
    return count <= most;
  }

  return {
    take: async (...counted) => {
      for (const [limit, who] of counted) {
        const { most, windowMs } = { ...LIMITS[limit], ...(limit === "caller" && { most: ofCaller }) };
        const now = Date.now();
        const window = Math.floor(now / windowMs);
        const ends = (window + 1) * windowMs;
        if (!(await isWithin(hashCredential(`${limit}\n${who}\n${window}`), most, ends)))
          throw new AppError("mail_throttled", { retry_after_seconds: Math.ceil((ends - now) / 1000) });
      }
    },
  };
}

/** Who asks from an address. */
export function callerAt(address: string): Counted {
  return ["caller", addressBlockOf(address)];
}
