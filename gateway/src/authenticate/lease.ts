import { type Clock, elapsedMs, type Instant } from "../clock.js";

// While the lease lives, every change of rights that was answered to its author has been applied here: identity answers a
// change only when each gateway has applied it or when every lease older than it is dead. What is remembered of
// credentials may therefore be served under a live lease, and under no other condition.

const LEASE_MS = 1_000;

/** The permission to serve what is remembered of credentials. */
export interface Lease {
  /** @param askedAt when the question was sent whose answer renews it; an older one than the last changes nothing */
  renew(askedAt: Instant): void;
  isAlive(): boolean;
  /** Gives it up for good. */
  end(): void;
}

/** A lease that is dead until it is renewed. It dies as soon as either clock says that its time is over. */
export function createLease(clock: Clock): Lease {
  let heldSince: Instant | null = null;
  let ended = false;
  return {
    renew: (askedAt) => {
      if (heldSince === null || askedAt.monotonic > heldSince.monotonic) heldSince = askedAt;
    },
    isAlive: () => !ended && heldSince !== null && elapsedMs(heldSince, clock.now()) < LEASE_MS,
    end: () => {
      ended = true;
    },
  };
}
