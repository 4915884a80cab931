import type { Verification } from "@nts/shared/contract/internal";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { AppError } from "@nts/shared/errors";
import type { Cause } from "@nts/shared/http/headers";
import type { Log } from "@nts/shared/log";
import type { Clock } from "../clock.js";
import type { Caller } from "./caller.js";
import type { ChangeLog } from "./change-log.js";
import type { Credential } from "./credential.js";
import { type KeyCache, type Verdict, verdictOf } from "./key-cache.js";
import type { Lease } from "./lease.js";

// Asks identity what a credential stands for, as seldom as is safe. Under a live lease what is remembered is served, and
// requests join a question that is under way; a question that began before the last change of rights is not joined, and
// its answer is used for those who wait for it but not kept. Without a lease each request asks. When identity does not
// answer, a credential checked a short while ago still serves, and any other gets `unavailable`: never a refusal.

export const MOST_WAITING = 1_000;
export const LONGEST_WAIT_MS = 1_000;

export interface Verifier {
  /** What is known without asking; null when identity must be asked. */
  recall(credential: Credential): Verdict | null;
  /** True while it is certain, without asking, that a credential stands for this caller. */
  standsFor(credential: Credential, caller: Caller): boolean;
  /**
   * @param pay called before identity is asked, and not by whoever joins another question nor for a credential that was
   *   good the last time; null when there is nothing to wait for. What it throws is thrown to all who wait
   * @throws AppError `unavailable` when identity gives no answer, or too many wait to ask it
   */
  verify(credential: Credential, cause: Cause, pay: () => Promise<void> | null): Promise<Verdict>;
  /** Makes what is known of the subjects void, and whatever identity was asked before. */
  forget(subjects: readonly string[]): void;
  /** Makes everything void. */
  forgetAll(): void;
}

/** Is told what a verifier does. */
export interface VerifierObserver {
  /** A credential was looked up among those remembered. */
  lookedUp(found: boolean): void;
  /** Identity was asked. */
  asked(outcome: Verdict["kind"] | "failed", seconds: number): void;
  /** A credential was let through because of an earlier answer. */
  servedStale(): void;
}

export interface VerifierOptions {
  readonly ask: (credential: Credential, cause: Cause) => Promise<Verification>;
  /** Questions to identity at a time; further ones wait, for a second at most. */
  readonly atATime: number;
  readonly cache: KeyCache;
  readonly lease: Lease;
  readonly changes: ChangeLog;
  readonly clock: Clock;
  readonly staleMs: number;
  readonly log: Log;
  readonly observer: VerifierObserver;
}

/** A verifier that knows what its cache knows. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { ask, atATime, cache, lease, changes, clock, staleMs, log, observer } = options;
  const inTurn = createBoundedQueue({ atATime, mostWaiting: MOST_WAITING, longestWaitMs: LONGEST_WAIT_MS });
  const underWay = new Map<string, Promise<Verdict>>();

  async function question(credential: Credential, cause: Cause): Promise<Verdict> {
    let askedAt = clock.now();
    const took = (): number => (clock.now().monotonic - askedAt.monotonic) / 1_000;
    try {
      const verification = await inTurn(() => {
        askedAt = clock.now();
        return ask(credential, cause);
      });
      const verdict = verdictOf(verification);
      observer.asked(verdict.kind, took());
      if (verification.number >= changes.newest()) cache.put(credential.hash, verification, verdict, askedAt);
      else if (verdict.kind === "refused") cache.remove(credential.hash);
      return verdict;
    } catch (error) {
      observer.asked("failed", took());
      const stale = cache.findCheckedWithin(credential.hash, staleMs);
      log.warn({ err: error, request_id: cause.requestId, stale: stale !== null }, "identity did not respond");
      if (stale !== null) {
        observer.servedStale();
        return stale;
      }
      throw new AppError("unavailable", {}, error);
    }
  }

  const recall: Verifier["recall"] = ({ hash }) => (lease.isAlive() ? cache.find(hash) : null);

  return {
    recall: (credential) => {
      const known = recall(credential);
      observer.lookedUp(known !== null);
      return known;
    },
    standsFor: (credential, caller) => callerIn(recall(credential)) === caller,
    verify: (credential, cause, pay) => {
      // Another request may have brought the answer since this one looked.
      const known = recall(credential);
      if (known !== null) return Promise.resolve(known);
      const joined = lease.isAlive() ? underWay.get(credential.hash) : undefined;
      if (joined !== undefined) return joined;
      // Otherwise a good credential would be refused once it is forgotten, if its address sends a flood of bad ones.
      const paid = cache.wasGood(credential.hash) ? null : pay();
      const answered = paid === null ? question(credential, cause) : paid.then(() => question(credential, cause));
      const asked = answered.finally(() => {
        if (underWay.get(credential.hash) === asked) underWay.delete(credential.hash);
      });
      underWay.set(credential.hash, asked);
      return asked;
    },
    forget: (subjects) => {
      underWay.clear();
      cache.drop(subjects);
    },
    forgetAll: () => {
      underWay.clear();
      cache.clear();
    },
  };
}

function callerIn(verdict: Verdict | null): Caller | null {
  return verdict?.kind === "valid" ? verdict.caller : null;
}
