import type { ClientSession, Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { type KeyUsageDay, USAGE_ADDRESSES, USAGE_DAYS } from "@nts/shared/contract/keys";

// Daily usage counts of keys, reported by gateways every few seconds; each report is one write for all keys.

export const KEY_USAGE = "key_usage";

const DAY_MS = 86_400_000;

/** A key on a day. */
interface UsageDocument {
  /** Of the key and the day. */
  _id: string;
  day: string;
  requests: number;
  refusals: number;
  /** The first addresses of the day, one per block. */
  addresses: string[];
  /** The last report of each gateway. */
  reports: { gateway: string; number: number }[];
  expires_at: Date;
}

/** Gateways whose last reports are remembered per key and day. */
const MOST_REPORTERS = 50;

/** Uses and rejections of keys since the last report. */
export interface CountedUses {
  readonly report: { readonly gateway: string; readonly number: number; readonly at: string };
  readonly uses: readonly {
    readonly key_id: string;
    readonly requests: number;
    readonly addresses: readonly string[];
  }[];
  readonly refusals: readonly { readonly key_id: string; readonly count: number }[];
}

export interface KeyUsage {
  /** Adds the counts to the day of the report, once per number. Addresses beyond the maximum are dropped. */
  count(uses: CountedUses, now: Date): Promise<void>;
  /** The last days, ending with today, including those without use. */
  days(keyId: string, now: Date): Promise<KeyUsageDay[]>;
}

export function createKeyUsage(db: Db): KeyUsage {
  const usage = db.collection<UsageDocument>(KEY_USAGE);
  return {
    count: async (uses, now) => {
      const counted = byKey(uses);
      if (counted.size === 0) return;
      // A gateway's clock may be ahead.
      const at = new Date(Math.min(Date.parse(uses.report.at), now.getTime()));
      const day = dayOf(at);
      const expires_at = new Date(at.getTime() + (USAGE_DAYS + 1) * DAY_MS);
      const { isReported, reports } = rememberedIn(uses.report);
      const plus = (member: string, count: number): object => ({
        $add: [{ $ifNull: [`$${member}`, 0] }, { $cond: [isReported, 0, count] }],
      });
      const updates = [...counted].map(([key_id, { requests, refusals, addresses }]) => ({
        updateOne: {
          filter: { _id: `${key_id}:${day}` },
          update: [
            {
              $set: {
                ...{ day, expires_at, reports },
                requests: plus("requests", requests),
                refusals: plus("refusals", refusals),
                addresses: withNew([...new Set(addresses.map(addressBlockOf))]),
              },
            },
          ],
          upsert: true,
        },
      }));
      await usage.bulkWrite(updates, { ordered: false });
    },
    days: async (keyId, now) => {
      const days = lastDays(now, USAGE_DAYS);
      const found = await usage.find({ _id: { $in: days.map((day) => `${keyId}:${day}`) } }).toArray();
      const byDay = new Map(found.map((one) => [one.day, one]));
      return days.map((day) => {
        const { requests = 0, refusals = 0, addresses = [] } = byDay.get(day) ?? {};
        return { day, requests, refusals, addresses };
      });
    },
  };
}

interface Counts {
  requests: number;
  refusals: number;
  readonly addresses: string[];
}

/** One line per key, whichever of its secrets was used. */
function byKey({ uses, refusals }: CountedUses): Map<string, Counts> {
  const counted = new Map<string, Counts>();
  const of = (key_id: string): Counts => {
    const known = counted.get(key_id) ?? { requests: 0, refusals: 0, addresses: [] };
    counted.set(key_id, known);
    return known;
  };
  for (const { key_id, requests, addresses } of uses) {
    if (requests === 0) continue;
    const counts = of(key_id);
    counts.requests += requests;
    counts.addresses.push(...addresses);
  }
  for (const { key_id, count } of refusals) of(key_id).refusals += count;
  return counted;
}

/** Expressions for whether a report was already counted, and for the remembered reports. */
function rememberedIn({ gateway, number }: CountedUses["report"]): {
  readonly isReported: object;
  readonly reports: object;
} {
  const known = { $ifNull: ["$reports", []] };
  const isOf = { $eq: ["$$this.gateway", { $literal: gateway }] };
  const own = { $map: { input: { $filter: { input: known, cond: isOf } }, in: "$$this.number" } };
  const others = { $filter: { input: known, cond: { $not: [isOf] } } };
  const last = { gateway: { $literal: gateway }, number: { $max: [{ $max: own }, number] } };
  return {
    // Nothing compares as less than a number.
    isReported: { $gte: [{ $max: own }, number] },
    reports: { $slice: [{ $concatArrays: [others, [last]] }, -MOST_REPORTERS] },
  };
}

/** Deletes the usage of deleted keys. Late reports expire by their time. */
export async function forgetUsage(db: Db, keyIds: readonly string[], tx?: ClientSession): Promise<void> {
  const days = lastDays(new Date(), USAGE_DAYS + 2);
  const ids = keyIds.flatMap((id) => days.map((day) => `${id}:${day}`));
  if (ids.length > 0) await db.collection<UsageDocument>(KEY_USAGE).deleteMany({ _id: { $in: ids } }, { session: tx });
}

/** The expression that adds new addresses, in order, up to the maximum. */
function withNew(addresses: readonly string[]): object {
  const known = { $ifNull: ["$addresses", []] };
  const fresh = { $filter: { input: { $literal: addresses }, cond: { $not: [{ $in: ["$$this", known] }] } } };
  return { $slice: [{ $concatArrays: [known, fresh] }, USAGE_ADDRESSES] };
}

function lastDays(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, n) => dayOf(new Date(now.getTime() - (count - 1 - n) * DAY_MS)));
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
