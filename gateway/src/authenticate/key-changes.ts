import type { KeyChanges } from "@nts/shared/contract/internal";
import { keyApplied, keyChanged } from "@nts/shared/contract/messages";
import type { Bus } from "@nts/shared/bus/bus";
import type { Log } from "@nts/shared/log";
import { type Clock, elapsedMs, type Instant } from "../clock.js";
import type { ChangeLog } from "./change-log.js";
import type { Lease } from "./lease.js";
import type { Verifier } from "./verifier.js";

// Follows changes of rights by polling identity every 200 ms; changes are applied before the response renews the lease.
// Bus notices only speed this up: their subjects are invalidated at once.

const PULL_EVERY_MS = 200;

export interface KeyChangesOptions {
  readonly gatewayId: string;
  readonly pull: (after: number) => Promise<KeyChanges>;
  /** Notifies identity that this gateway has stopped serving. */
  readonly deregister: (after: number) => Promise<unknown>;
  readonly verifier: Pick<Verifier, "forget" | "forgetAll">;
  readonly changes: ChangeLog;
  readonly lease: Lease;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KeyChangeFollower {
  /** Number of serving gateways including this one; at least 1. */
  liveGateways(): number;
  /** Milliseconds since identity last responded; null if it never did. */
  sinceResponseMs(): number | null;
  stop(): void;
  /**
   * Stops, and releases the lease, so that changes of rights need not wait for this gateway. Call it only when nothing
   * is served any more. Never rejects: if identity is not reached, it waits for the lease to expire.
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
    follower.pullSoon();
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

  constructor(private readonly options: KeyChangesOptions) {}

  liveGateways = (): number => this.#liveGateways;

  sinceResponseMs(): number | null {
    return this.#respondedAt === null ? null : elapsedMs(this.#respondedAt, this.options.clock.now());
  }

  pullSoon(): void {
    if (this.#isPulling) this.#again = true;
    else if (!this.#isStopped) void this.#pullNow();
  }

  acknowledge(): void {
    const { bus, gatewayId, changes } = this.options;
    bus.publish(keyApplied, { gateway: gatewayId, number: changes.applied() });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async leave(): Promise<void> {
    const { lease, changes, deregister, log } = this.options;
    this.stop();
    lease.end();
    // Its response would register this gateway again.
    await this.#pending;
    await deregister(changes.applied()).catch((error: unknown) => {
      log.warn({ err: error }, "identity could not be notified that this gateway is leaving");
    });
  }

  async #pullNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isPulling = true;
    this.#pending = this.#pullOnce();
    await this.#pending;
    this.#isPulling = false;
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#pullNow(), this.#again ? 0 : PULL_EVERY_MS);
  }

  async #pullOnce(): Promise<void> {
    const { pull, changes, lease, clock, log } = this.options;
    const askedAt = clock.now();
    const after = changes.applied();
    this.#again = false;
    try {
      const response = await pull(after);
      this.#apply(after, response);
      lease.renew(askedAt);
      this.#liveGateways = Math.max(1, response.live_gateways);
      this.#respondedAt = clock.now();
      if (this.#isFailing) log.info("identity is responding again");
      this.#isFailing = false;
      if (changes.applied() > after) {
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
