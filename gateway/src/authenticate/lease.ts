import { REVOCATION } from "@nts/shared/timing";
import { type Clock, elapsedMs, type Instant } from "./clock.js";

// While the lease lives, every acknowledged change of rights has been applied here: identity acknowledges a change once
// each gateway has applied it or its lease has expired. So cached credentials may be served only under a live lease.

/** The permission to serve cached credentials. */
export interface Lease {
  /** @param askedAt when the request was sent whose response renews the lease; an older one than the last is ignored */
  renew(askedAt: Instant): void;
  isAlive(): boolean;
  /** Releases it until it is renewed. */
  release(): void;
  /** Releases it permanently. */
  end(): void;
}

/** A lease that is expired until renewed. It expires as soon as either clock says so. */
export function createLease(clock: Clock): Lease {
  let activeSince: Instant | null = null;
  let ended = false;
  return {
    renew: (askedAt) => {
      if (activeSince === null || askedAt.monotonic > activeSince.monotonic) activeSince = askedAt;
    },
    isAlive: () => !ended && activeSince !== null && elapsedMs(activeSince, clock.now()) < REVOCATION.leaseMs,
    release: () => {
      activeSince = null;
    },
    end: () => {
      ended = true;
    },
  };
}
