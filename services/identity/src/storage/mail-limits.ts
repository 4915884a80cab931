import type { Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { createExhaustedLimits } from "./exhausted-limits.js";

// Limits of requested mails over all replicas, counted by hashes. The window of one hour is as long as a reset link is
// valid, so a throttled user has a mail with a valid link.

/** Also counts registrations. */
export const MAIL_COUNTS = "mail_counts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Default limits. */
export const MAILS_OF_CALLER = 20;

interface Limit {
  readonly most: number;
  readonly windowMs: number;
}

/** Limits by what is counted. */
const LIMITS = {
  /** Per address block: resets, registrations and verifications together. */
  caller: { most: MAILS_OF_CALLER, windowMs: HOUR_MS },
  /** Resets per email address, whether it has an account or not. */
  reset: { most: 3, windowMs: HOUR_MS },
  /** Verifications per email address. */
  verification: { most: 3, windowMs: HOUR_MS },
  /** Invites mailed by an organization, and to an address by all organizations. */
  inviting: { most: 100, windowMs: DAY_MS },
  invited: { most: 3, windowMs: DAY_MS },
} as const satisfies Readonly<Record<string, Limit>>;

/** A limit, and what counts against it. */
export type Counted = readonly [keyof typeof LIMITS, string];

export interface MailLimits {
  /**
   * Counts a mail against each limit, in order. @throws AppError `mail_throttled` with the seconds until the next one
   */
  take(...counted: readonly Counted[]): Promise<void>;
}

interface CountDocument {
  _id: string;
  count: number;
  expires_at: Date;
}

/** @param ofCaller maximum mails per address block and hour */
export function createMailLimits(db: Db, ofCaller: number): MailLimits {
  const counts = db.collection<CountDocument>(MAIL_COUNTS);
  // By id of the count, which names its window. Further requests would only collide on one document.
  const reached = createExhaustedLimits();

  async function add({ id, ends }: Count): Promise<number> {
    const found = await counts.findOneAndUpdate(
      { _id: id },
      { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(ends) } },
      { upsert: true, returnDocument: "after" },
    );
    return found?.count ?? 1;
  }

  return {
    take: async (...counted) => {
      const now = Date.now();
      const requested = counted.map((one) => countOf(one, now, ofCaller));
      const refusal = ({ ends }: Count) =>
        new AppError("mail_throttled", { retry_after_seconds: Math.ceil((ends - now) / 1000) });
      const known = requested.find(({ id }) => reached.has(id));
      if (known !== undefined) throw refusal(known);
      for (const one of requested) {
        const count = await add(one);
        if (count >= one.most) reached.add(one.id);
        if (count > one.most) throw refusal(one);
      }
    },
  };
}

interface Count {
  readonly id: string;
  readonly most: number;
  /** When its window ends. */
  readonly ends: number;
}

function countOf([limit, who]: Counted, now: number, ofCaller: number): Count {
  const { most, windowMs } = { ...LIMITS[limit], ...(limit === "caller" && { most: ofCaller }) };
  const window = Math.floor(now / windowMs);
  return { id: hashCredential(`${limit}\n${who}\n${window}`), most, ends: (window + 1) * windowMs };
}

/** The address block of the client. */
export function callerAt(address: string): Counted {
  return ["caller", addressBlockOf(address)];
}
