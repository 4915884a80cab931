import type { ClientSession, Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { type KeyUsageDay, USAGE_ADDRESSES, USAGE_DAYS } from "@nts/shared/contract/keys";

// How often keys are used, counted by day. Gateways count, and tell every few seconds; each telling is one write for all keys of it.

export const KEY_USAGE = "key_usage";

const DAY_MS = 86_400_000;

/** A key on a day. */
interface UsageDocument {
  /** Of the key and the day. */
  _id: string;
  day: string;
  requests: number;
  refusals: number;
  /** One of each block, the first ones of the day. */
  addresses: string[];
  expires_at: Date;
}

/** How often keys were used and refused since it was told last. */
export interface CountedUses {
  readonly uses: readonly {
    readonly key_id: string;
    readonly requests: number;
    readonly addresses: readonly string[];
  }[];
  readonly refusals: readonly { readonly key_id: string; readonly count: number }[];
}

export interface KeyUsage {
  /** Counts them on a day. Addresses beyond the bound are not kept. */
  count(told: CountedUses, now: Date): Promise<void>;
  /** The last days, today last; of those without any use, too. */
  days(keyId: string, now: Date): Promise<KeyUsageDay[]>;
}

export function createKeyUsage(db: Db): KeyUsage {
  const usage = db.collection<UsageDocument>(KEY_USAGE);
  return {
    count: async ({ uses, refusals: refused }, now) => {
      const counted = [
        ...uses.filter(({ requests }) => requests > 0).map((one) => ({ ...one, refusals: 0 })),
        ...refused.map(({ key_id, count: refusals }) => ({ key_id, refusals, requests: 0, addresses: [] })),
      ];
      if (counted.length === 0) return;
      const day = dayOf(now);
      const expires_at = new Date(now.getTime() + (USAGE_DAYS + 1) * DAY_MS);
      const updates = counted.map(({ key_id, requests, refusals, addresses }) => ({
        updateOne: {
          filter: { _id: `${key_id}:${day}` },
          update: [
            {
              $set: {
                ...{ day, expires_at },
                requests: { $add: [{ $ifNull: ["$requests", 0] }, requests] },
                refusals: { $add: [{ $ifNull: ["$refusals", 0] }, refusals] },
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

/** Forgets how keys were used that are deleted. What gateways tell later goes by its time. */
export async function forgetUsage(db: Db, keyIds: readonly string[], tx?: ClientSession): Promise<void> {
  const days = lastDays(new Date(), USAGE_DAYS + 2);
  const gone = keyIds.flatMap((id) => days.map((day) => `${id}:${day}`));
  if (gone.length > 0)
    await db.collection<UsageDocument>(KEY_USAGE).deleteMany({ _id: { $in: gone } }, { session: tx });
}

/** The expression for the addresses with those that are new, in their order, up to the bound. */
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
