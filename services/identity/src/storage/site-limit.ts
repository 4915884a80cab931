import type { ClientSession, Db } from "mongodb";
import { siteOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { MAIL_COUNTS } from "./mail-limits.js";

// Accounts are free, and each has limits of its own. So a site creates a limited number a day, over all replicas.

const DAY_MS = 86_400_000;

interface CountDocument {
  _id: string;
  count: number;
  expires_at: Date;
}

/** New organizations by registration, of one site and day (UTC). */
export interface SiteLimit {
  /** Checks it before anything expensive is done. @throws AppError `registration_throttled` */
  require(address: string, now: Date): Promise<void>;
  /**
   * Counts a registration with its transaction.
   *
   * @throws AppError `registration_throttled`
   */
  count(address: string, now: Date, tx: ClientSession): Promise<void>;
  /** The write key of registrations that count together. */
  keyOf(address: string): string;
}

/** @param most registrations per site and day */
export function createSiteLimit(db: Db, most: number): SiteLimit {
  const counts = db.collection<CountDocument>(MAIL_COUNTS);
  const refuseAbove = (count: number, now: Date): void => {
    if (count <= most) return;
    const left = endOfDay(now).getTime() - now.getTime();
    throw new AppError("registration_throttled", { retry_after_seconds: Math.ceil(left / 1000) });
  };
  return {
    keyOf: (address) => `site:${siteOf(address)}`,
    require: async (address, now) => {
      const found = await counts.findOne({ _id: idOf(address, now) });
      refuseAbove((found?.count ?? 0) + 1, now);
    },
    count: async (address, now, session) => {
      const found = await counts.findOneAndUpdate(
        { _id: idOf(address, now) },
        { $inc: { count: 1 }, $setOnInsert: { expires_at: endOfDay(now) } },
        { upsert: true, returnDocument: "after", session },
      );
      refuseAbove(found?.count ?? 1, now);
    },
  };
}

function idOf(address: string, now: Date): string {
  return hashCredential(`registration\n${siteOf(address)}\n${dayOf(now)}`);
}

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS);
}

function endOfDay(now: Date): Date {
  return new Date((dayOf(now) + 1) * DAY_MS);
}
