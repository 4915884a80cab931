import type { ShareVerification, Verification } from "@nts/shared/contract/internal";
import { addressBlockOf, siteOf } from "@nts/shared/address-block";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { AppError } from "@nts/shared/errors";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { Log } from "@nts/shared/log";
import type { Clock } from "./clock.js";
import type { Exchange } from "../edge/exchange.js";
import type { Caller } from "./caller.js";
import type { ChangeLog } from "./change-log.js";
import type { Credential } from "./credential.js";
import { type KeyCache, type Verdict, verdictOf } from "./key-cache.js";
import type { Lease } from "./lease.js";

// Under a live lease, cached results are served and requests share a pending call, unless a change of rights came after
// its start. Without identity, recently verified credentials still pass; others get `unavailable`, never a rejection.
// Too many lookups alone are no reason to let them pass.

export const MOST_WAITING = 1_000;
export const LONGEST_WAIT_MS = 1_000;

/** The request that needs the verification. Addresses take turns by site. */
type VerifiedRequest = Pick<Exchange, "cause" | "clientAddress">;

export interface Verifier {
  /** The cached result; null if identity must be called. */
  recall(credential: Credential): Verdict | null;
  /** True if a credential certainly stands for this caller, without calling identity. */
  standsFor(credential: Credential, caller: Caller): boolean;
  /**
   * @param pay called before identity is called, but not for shared calls nor for credentials valid at the last lookup;
   * null if there is nothing to wait for. Its errors are thrown to others of the same address block that wait for it
   * @throws AppError `unavailable` if identity does not respond, or too many calls are waiting
   */
  verify(credential: Credential, request: VerifiedRequest, pay: () => Promise<void> | null): Promise<Verdict>;
  /** Invalidates the subjects, and calls of identity already pending. */
  forget(subjects: readonly string[]): void;
  /** Invalidates everything. */
  forgetAll(): void;
}

/** Observes a verifier. */
export interface VerifierObserver {
  /** A credential was looked up in the cache. */
  lookedUp(found: boolean): void;
  /** Identity was called. */
  verified(outcome: Verdict["kind"] | "failed", seconds: number): void;
  /** A credential passed because of an earlier result. */
  servedStale(): void;
}

export interface VerifierOptions {
  readonly ask: (credential: Credential, cause: ParentRequest) => Promise<Verification | ShareVerification>;
  /** Maximum concurrent calls to identity; others wait for up to a second. */
  readonly atATime: number;
  readonly cache: KeyCache;
  readonly lease: Lease;
  readonly changes: ChangeLog;
  readonly clock: Clock;
  readonly staleMs: number;
  readonly log: Log;
  readonly observer: VerifierObserver;
}

/** Creates a verifier on top of a cache. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { cache, lease, observer } = options;
  const question = createQuestion(options);
  /** Calls of identity by credential, and before they are paid for by credential and payer. */
  const pending = new Map<string, Promise<Verdict>>();

  const recall: Verifier["recall"] = ({ hash }) => (lease.isAlive() ? cache.find(hash) : null);
  const pendingOf = (key: string): Promise<Verdict> | null => (lease.isAlive() ? (pending.get(key) ?? null) : null);

  /** The cached or pending result. */
  function share(credential: Credential): Promise<Verdict> | null {
    const known = recall(credential);
    return known === null ? pendingOf(credential.hash) : Promise.resolve(known);
  }

  function lookUp(credential: Credential, request: VerifiedRequest): Promise<Verdict> {
    const verdict = question(credential, request);
    return keep(pending, credential.hash, verdict, verdict);
  }

  return {
    recall: (credential) => {
      const known = recall(credential);
      observer.lookedUp(known !== null);
      return known;
    },
    standsFor: (credential, caller) => callerIn(recall(credential)) === caller,
    verify: (credential, request, pay) => {
      // Another request may have cached the result since.
      const shared = share(credential);
      if (shared !== null) return shared;
      const payer = `${credential.hash} ${addressBlockOf(request.clientAddress)}`;
      const joined = pendingOf(payer);
      if (joined !== null) return joined;
      // Otherwise a valid credential would be rejected after its eviction if its address sends a flood of invalid ones.
      const paid = cache.wasGood(credential.hash) ? null : pay();
      if (paid === null) return lookUp(credential, request);
      const verdict = paid.then(() => share(credential) ?? lookUp(credential, request));
      return keep(pending, payer, verdict, paid);
    },
    forget: (subjects) => {
      pending.clear();
      cache.drop(subjects);
    },
    forgetAll: () => {
      pending.clear();
      cache.clear();
    },
  };
}

/** Calls identity when it is the credential's turn, and serves earlier results while identity does not respond. */
function createQuestion(options: VerifierOptions) {
  const { ask, atATime, cache, changes, clock, staleMs, log, observer } = options;
  const inTurn = createFairQueue({ atATime, mostWaiting: MOST_WAITING, longestWaitMs: LONGEST_WAIT_MS }).run;
  /** Identity did not respond to the last call. */
  let isAway = false;

  return async (credential: Credential, { cause, clientAddress }: VerifiedRequest): Promise<Verdict> => {
    const lookup = { at: clock.now(), hasBegun: false };
    const took = (): number => (clock.now().monotonic - lookup.at.monotonic) / 1_000;
    try {
      const verification = await inTurn(() => {
        lookup.at = clock.now();
        lookup.hasBegun = true;
        return ask(credential, cause);
      }, siteOf(clientAddress));
      isAway = false;
      const verdict = verdictOf(verification);
      observer.verified(verdict.kind, took());
      if (verification.number >= changes.newest()) cache.put(credential.hash, verification, verdict, lookup.at);
      else if (verdict.kind === "refused") cache.remove(credential.hash);
      return verdict;
    } catch (error) {
      observer.verified("failed", took());
      isAway ||= lookup.hasBegun;
      // A lookup that never had its turn says nothing about identity, which may know of a revocation.
      const stale = isAway ? cache.findCheckedWithin(credential.hash, staleMs) : null;
      const what = lookup.hasBegun ? "identity did not respond" : "too many lookups of credentials are waiting";
      log.warn({ err: error, request_id: cause.requestId, stale: stale !== null }, what);
      if (stale !== null) {
        observer.servedStale();
        return stale;
      }
      throw new AppError("unavailable", {}, error);
    }
  };
}

/** Keeps a result that others may share, until something has settled. */
function keep(
  pending: Map<string, Promise<Verdict>>,
  key: string,
  verdict: Promise<Verdict>,
  until: Promise<unknown>,
): Promise<Verdict> {
  const drop = (): void => {
    if (pending.get(key) === verdict) pending.delete(key);
  };
  pending.set(key, verdict);
  void until.then(drop, drop);
  return verdict;
}

function callerIn(verdict: Verdict | null): Caller | null {
  return verdict?.kind === "valid" ? verdict.caller : null;
}
