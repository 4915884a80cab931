import type { KeyChanges } from "@nts/shared/contract/internal";
import { keyApplied, keyChanged } from "@nts/shared/contract/messages";
import type { Bus } from "@nts/shared/bus/bus";
import type { Log } from "@nts/shared/log";
import { REVOCATION } from "@nts/shared/timing";
import { type Clock, elapsedMs, type Instant } from "./clock.js";
import type { ChangeLog } from "./change-log.js";
import type { Lease } from "./lease.js";
import type { Verifier } from "./verifier.js";

// Follows changes of rights by polling identity every 200 ms; changes are applied before the response renews the lease.
// Bus notices only speed this up: their subjects are invalidated at once. An idle gateway has no lease, so no change
// waits for it, and polls rarely.

/** Milliseconds after which a gateway considers identity unavailable: of an idle one, a poll has failed. */
export const SILENCE_MS = 2 * REVOCATION.restPollEveryMs;

/** @param isPatient whether to wait for a response that comes too late for a lease, but shows that identity is there */
type Pull = (after: number, gateway: string, isPatient: boolean) => Promise<KeyChanges>;

export interface KeyChangesOptions {
  readonly gatewayId: string;
  readonly pull: Pull;
  /** The same without a lease: identity no longer registers this gateway. */
  readonly pullAtRest: Pull;
  /** A gateway with open streams is not idle. */
  readonly hasStreams: () => boolean;
  readonly verifier: Pick<Verifier, "forget" | "forgetAll">;
  readonly changes: ChangeLog;
  readonly lease: Lease;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KeyChangeFollower {
  /** Called with each request. */
  use: () => void;
  isAtRest(): boolean;
  /** Number of active gateways including this one; at least 1. */
  liveGateways(): number;
  /** Milliseconds since identity last responded; null if it never did. */
  sinceResponseMs(): number | null;
  stop(): void;
  /**
   * Stops, and releases the lease, so that changes of rights need not wait for this gateway. Call it only when nothing
   * is served any more. Never rejects: if identity is unreachable, it waits for the lease to expire.
   */
  leave(): Promise<void>;
}

/** Follows key changes until stopped, with retries while identity is unavailable. */
export function followKeyChanges(options: KeyChangesOptions): KeyChangeFollower {
  const follower = new Follower(options);
  const { bus, verifier, changes } = options;
  bus.subscribe(keyChanged, ({ number, subjects }) => {
    verifier.forget(subjects);
    if (changes.noticed(number)) follower.acknowledge();
    follower.pullUnlessAtRest();
  });
  follower.pullSoon();
  return follower;
}

class Follower implements KeyChangeFollower {
  #liveGateways = 1;
  #respondedAt: Instant | null = null;
  #isFailing = false;
  #isStopped = false;
  #isPulling = false;
  #pending: Promise<void> = Promise.resolve();
  /** There is something to pull or acknowledge at once. */
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #usedAt: Instant;
  #isAtRest = false;
  /** A late request of an earlier period must not deregister this one, so each has a name of its own. */
  #period = 1;

  constructor(private readonly options: KeyChangesOptions) {
    this.#usedAt = options.clock.now();
  }

  use = (): void => {
    this.#usedAt = this.options.clock.now();
    if (!this.#isAtRest) return;
    this.#isAtRest = false;
    this.#period += 1;
    this.pullSoon();
  };

  isAtRest = (): boolean => this.#isAtRest;

  liveGateways = (): number => this.#liveGateways;

  sinceResponseMs(): number | null {
    return this.#respondedAt === null ? null : elapsedMs(this.#respondedAt, this.options.clock.now());
  }

  pullSoon(): void {
    if (this.#isPulling) this.#again = true;
    else if (!this.#isStopped) void this.#pullNow();
  }

  pullUnlessAtRest(): void {
    if (!this.#isAtRest) this.pullSoon();
  }

  acknowledge(): void {
    const { bus, changes } = this.options;
    bus.publish(keyApplied, { gateway: this.#name(), number: changes.applied() });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async leave(): Promise<void> {
    const { lease, changes, pullAtRest, log } = this.options;
    this.stop();
    lease.end();
    // Its response would register this gateway again.
    await this.#pending;
    await pullAtRest(changes.applied(), this.#name(), false).catch((error: unknown) => {
      log.warn({ err: error }, "identity could not be notified that this gateway is leaving");
    });
  }

  async #pullNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isPulling = true;
    this.#pending = this.#pullOnce();
    await this.#pending;
    this.#isPulling = false;
    if (this.#isStopped) return;
    const everyMs = this.#isAtRest ? REVOCATION.restPollEveryMs : REVOCATION.pollEveryMs;
    this.#timer = setTimeout(() => void this.#pullNow(), this.#again ? 0 : everyMs);
  }

  /** The name under which identity registers this gateway. */
  #name(): string {
    return `${this.options.gatewayId}:${this.#period}`;
  }

  /** Releases the lease before identity is notified, so that nothing is served from the cache any more. */
  #restIfUnused(): void {
    const { clock, hasStreams, lease } = this.options;
    if (elapsedMs(this.#usedAt, clock.now()) < REVOCATION.restAfterMs || hasStreams()) return;
    this.#isAtRest = true;
    lease.release();
  }

  async #pullOnce(): Promise<void> {
    const { pull, pullAtRest, changes, lease, clock, log } = this.options;
    this.#restIfUnused();
    const isAtRest = this.#isAtRest;
    const askedAt = clock.now();
    const after = changes.applied();
    this.#again = false;
    try {
      const isPatient = isAtRest || this.#isFailing;
      const response = await (isAtRest ? pullAtRest : pull)(after, this.#name(), isPatient);
      this.#apply(after, response);
      if (!isAtRest) lease.renew(askedAt);
      this.#liveGateways = Math.max(1, response.live_gateways);
      this.#respondedAt = clock.now();
      if (this.#isFailing) log.info("identity is responding again");
      this.#isFailing = false;
      if (changes.applied() > after && !isAtRest) {
        this.acknowledge();
        // The next pull acknowledges, in case the bus does not.
        this.#again = true;
      }
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, "identity is not responding; cached credentials are not accepted any more");
      this.#isFailing = true;
    }
  }

  #apply(after: number, response: KeyChanges): void {
    const { verifier, changes } = this.options;
    // A lower number means a different record, such as a restored database.
    if (response.reset || response.highest < after) {
      verifier.forgetAll();
      changes.restart(response.highest);
      return;
    }
    if (response.changes.length > 0) verifier.forget(response.changes.flatMap(({ subjects }) => subjects));
    changes.pulled(response.highest);
  }
}
