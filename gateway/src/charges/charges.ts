import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Exchange } from "../edge/exchange.js";
import type { BucketLevel, BucketLevels, Buckets } from "../rate-limit/bucket.js";
import { retryAfterSeconds } from "../edge/rate-limit-headers.js";
import type { Limiter } from "../rate-limit/limiter.js";

// A request costs its user one token, or its address if the credential is invalid. Unknown credentials pay before their
// lookup, if need be from a separate bucket, and are refunded if valid, so that invalid ones cost no others.

export interface Charges {
  /** Counts a request unless already counted. @throws AppError `rate_limited` */
  charge(exchange: Exchange): Promise<void>;
  /** Counts a request for the share that it presents, in addition to its address. @throws AppError `rate_limited` */
  chargeShare(exchange: Exchange): Promise<void>;
  /** Whether a request counts for its user alone, who had plenty left when this gateway last knew. */
  hasPlenty(exchange: Exchange): boolean;
  /** Takes the token for the lookup of a credential. @throws AppError `rate_limited` */
  payForLookup(exchange: Exchange): Promise<LookupPayment>;
  /** Counts unparsable bytes. */
  chargeBytes(address: string): Promise<BucketLevel>;
}

/** A token taken for a lookup. */
export interface LookupPayment {
  /** The token of a rejected credential is spent on the request; others are refunded. */
  settle(isRefused: boolean): Promise<void>;
}

/** What a request took. */
interface Taken {
  /** Of the bucket that allows least. */
  readonly level: BucketLevel;
  readonly levels: BucketLevels;
}

export function createCharges(limiter: Pick<Limiter, "users" | "keys" | "shares" | "addresses" | "lookups">): Charges {
  /** A request of a key with its own limit. What the key's limit rejects costs its user nothing. */
  async function takeOfBoth({ userId, credentialId }: UserPrincipal, keys: Buckets): Promise<Taken> {
    const key = await keys.take(credentialId);
    if (!key.allowed) return { level: key, levels: { key } };
    const user = await limiter.users.take(userId);
    if (!user.allowed) await keys.giveBack(credentialId);
    return { level: !user.allowed || user.remaining < key.remaining ? user : key, levels: { user, key } };
  }

  const keysOf = ({ keyPerMinute }: Exchange): Buckets | null =>
    keyPerMinute === null ? null : limiter.keys(keyPerMinute);

  async function takeOf(exchange: Exchange): Promise<Taken> {
    const { principal, clientAddress } = exchange;
    if (principal === null) {
      const address = await limiter.addresses.take(addressBlockOf(clientAddress));
      return { level: address, levels: { address } };
    }
    const keys = keysOf(exchange);
    if (keys !== null) return takeOfBoth(principal, keys);
    const user = await limiter.users.take(principal.userId);
    return { level: user, levels: { user } };
  }

  return {
    charge: async (exchange) => {
      if (exchange.level !== null) return;
      passOrRefuse(exchange, await takeOf(exchange));
    },
    chargeShare: async (exchange) => {
      if (exchange.shareId === null) return;
      const share = await limiter.shares.take(exchange.shareId);
      passOrRefuse(exchange, { level: share, levels: { ...exchange.levels, share } });
    },
    hasPlenty: (exchange) =>
      exchange.principal !== null && keysOf(exchange) === null && limiter.users.hasPlenty(exchange.principal.userId),
    payForLookup: async (exchange) => {
      const address = addressBlockOf(exchange.clientAddress);
      const level = await limiter.addresses.take(address);
      if (level.allowed) return paymentOf(exchange, limiter.addresses, address, level);
      const { allowed, waitMs } = await limiter.lookups.take(address);
      if (!allowed)
        passOrRefuse(exchange, {
          level: { ...level, waitMs: Math.min(waitMs, level.waitMs) },
          levels: { address: level },
        });
      return paymentOf(exchange, limiter.lookups, address, null);
    },
    chargeBytes: (address) => limiter.addresses.take(addressBlockOf(address)),
  };
}

/** @param level of the address's own bucket if that paid */
function paymentOf(exchange: Exchange, buckets: Buckets, address: string, level: BucketLevel | null): LookupPayment {
  return {
    settle: async (isRefused) => {
      if (!isRefused) await buckets.giveBack(address);
      else if (level !== null) exchange.took(level, { address: level });
    },
  };
}

function passOrRefuse(exchange: Exchange, { level, levels }: Taken): void {
  exchange.took(level, levels);
  if (!level.allowed) throw new AppError("rate_limited", { retry_after_seconds: retryAfterSeconds(level) });
}
