import type { KeyChanges } from "@nts/shared/contract/internal";
import { keyApplied, keyChanged } from "@nts/shared/contract/messages";
import type { Bus } from "@nts/shared/bus/bus";
import type { Log } from "@nts/shared/log";
import { type Clock, elapsedMs, type Instant } from "../clock.js";
import type { ChangeLog } from "./change-log.js";
import type { Lease } from "./lease.js";
import type { Verifier } from "./verifier.js";

// Follows the changes of rights. Every 200 ms identity is asked for those after the last applied one; they are applied
// before the answer renews the lease. A notice on the bus only makes this faster: its subjects are dropped at once, and it
// counts as applied when every change before it is.

const PULL_EVERY_MS = 200;

export interface KeyChangesOptions {
  readonly gatewayId: string;
  readonly pull: (after: number) => Promise<KeyChanges>;
  /** Tells identity that this gateway has stopped serving. */
  readonly deregister: (after: number) => Promise<unknown>;
  readonly verifier: Pick<Verifier, "forget" | "forgetAll">;
  readonly changes: ChangeLog;
  readonly lease: Lease;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KeyChangeFollower {
  /** Gateways that serve now, this one included; at least 1. */
  liveGateways(): number;
  /** Milliseconds since identity last answered; null before it ever did. */
  sinceAnswerMs(): number | null;
  stop(): void;
  /**
   * Stops, gives the lease up, and says so, for changes of rights not to wait for this gateway any longer. To be called
   * only when nothing is served any more. Never rejects: who has not said it is waited for until its lease must have ended.
   */
  leave(): Promise<void>;
}

/** Starts to follow, for ever, whatever is away. */
export function followKeyChanges(options: KeyChangesOptions): KeyChangeFollower {
  const { gatewayId, pull, deregister, verifier, changes, lease, bus, clock, log } = options;
  let liveGateways = 1;
  let answeredAt: Instant | null = null;
  let failing = false;
  let stopped = false;
  let pulling = false;
  let underWay: Promise<void> = Promise.resolve();
  let again = false;
  let timer: NodeJS.Timeout | undefined;

  function apply(after: number, answer: KeyChanges): void {
    // A number below the one asked for means another record, such as a restored database.
    if (answer.reset || answer.highest < after) {
      verifier.forgetAll();
      changes.restart(answer.highest);
      return;
    }
    if (answer.changes.length > 0) verifier.forget(answer.changes.flatMap(({ subjects }) => subjects));
    changes.pulled(answer.highest);
  }

  async function pullOnce(): Promise<void> {
    const askedAt = clock.now();
    const after = changes.applied();
    try {
      const answer = await pull(after);
      apply(after, answer);
      lease.renew(askedAt);
      liveGateways = Math.max(1, answer.live_gateways);
      answeredAt = clock.now();
      if (failing) log.info("identity answers again");
      failing = false;
      if (changes.applied() > after) {
        acknowledge();
        // The next question says what was applied, in case the bus does not.
        again = true;
      }
    } catch (error) {
      if (!failing) log.warn({ err: error }, "identity does not answer; nothing remembered is served");
      failing = true;
    }
  }

  async function pullNow(): Promise<void> {
    clearTimeout(timer);
    pulling = true;
    again = false;
    underWay = pullOnce();
    await underWay;
    pulling = false;
    pullLater();
  }

  function pullLater(): void {
    if (!stopped) timer = setTimeout(() => void pullNow(), again ? 0 : PULL_EVERY_MS);
  }

  function pullSoon(): void {
    if (pulling) again = true;
    else if (!stopped) void pullNow();
  }

  function acknowledge(): void {
    bus.publish(keyApplied, { gateway: gatewayId, number: changes.applied() });
  }

  bus.subscribe(keyChanged, ({ number, subjects }) => {
    verifier.forget(subjects);
    if (changes.noticed(number)) acknowledge();
    pullSoon();
  });
  void pullNow();

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
  }

  return {
    liveGateways: () => liveGateways,
    sinceAnswerMs: () => (answeredAt === null ? null : elapsedMs(answeredAt, clock.now())),
    stop,
    leave: async () => {
      stop();
      lease.end();
      // Its answer would register this gateway anew.
      await underWay;
      await deregister(changes.applied()).catch((error: unknown) => {
        log.warn({ err: error }, "identity could not be told that this gateway leaves");
      });
    },
  };
}
