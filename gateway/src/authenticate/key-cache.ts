import { boundedCache } from "@nts/shared/bounded-cache";
import type { ShareVerification, Verification, VerifiedPrincipal, VerifiedShare } from "@nts/shared/contract/internal";
import { type SharePrincipal, type UserPrincipal, weightOf } from "@nts/shared/http/tenancy";
import { type Clock, elapsedMs, type Instant } from "./clock.js";
import { type Caller, createCaller } from "./caller.js";
import { limitsOf } from "./key-limits.js";
import { createSubjectCache } from "./subject-cache.js";

// Verification results by credential hash. They never outlive what identity said, are invalidated by changes of rights,
// and expire so that identity sees session use. Serving them also requires a live lease, which is checked elsewhere.

/** In credentials without lists of networks and addresses. */
export const MOST_VALID = 100_000;
/** Address blocks that take as much memory as a credential without any. */
const BLOCKS_PER_WEIGHT = 4;
const MOST_REFUSED = 10_000;
const VALID_MS = 300_000;
const REFUSED_MS = 2_000;

/** Why a credential is rejected. */
export type RefusalCode = Extract<Verification | ShareVerification, { status: "refused" }>["code"];

/** What is known about a credential. */
export type Verdict =
  | { readonly kind: "valid"; readonly caller: Caller<UserPrincipal | SharePrincipal> }
  | { readonly kind: "refused"; readonly code: RefusalCode };

export interface KeyCache {
  find(hash: string): Verdict | null;
  /** The caller at the last verification; null if that was too long ago. */
  findCheckedWithin(hash: string, ms: number): Verdict | null;
  /** True for a credential that was valid at its last lookup, even if nothing else is cached any more. */
  wasGood(hash: string): boolean;
  /** @param askedAt when the request was sent; all durations start then */
  put(hash: string, verification: Verification | ShareVerification, verdict: Verdict, askedAt: Instant): void;
  /** Removes one credential. */
  remove(hash: string): void;
  /** Removes every credential that a change of these subjects may affect. */
  drop(subjects: readonly string[]): void;
  clear(): void;
  size(): number;
}

interface Remembered {
  readonly subjects: readonly string[];
  readonly verdict: Verdict;
  readonly askedAt: Instant;
  /** Milliseconds after `askedAt` at which the credential itself expires. */
  readonly endsAfterMs: number;
}

/** Creates an empty cache. */
export function createKeyCache(clock: Clock): KeyCache {
  const valid = createSubjectCache<Remembered>(MOST_VALID, VALID_MS);
  const refused = createSubjectCache<Remembered>(MOST_REFUSED, REFUSED_MS);
  const good = boundedCache<true>(MOST_VALID);

  function within(entry: Remembered | undefined, ms: number): Verdict | null {
    if (entry === undefined) return null;
    return elapsedMs(entry.askedAt, clock.now()) < Math.min(ms, entry.endsAfterMs) ? entry.verdict : null;
  }

  return {
    find: (hash) => within(valid.get(hash), VALID_MS) ?? within(refused.get(hash), REFUSED_MS),
    findCheckedWithin: (hash, ms) => within(valid.get(hash), ms),
    wasGood: (hash) => good.has(hash),
    put: (hash, verification, verdict, askedAt) => {
      if (verification.status === "refused") {
        valid.delete(hash);
        good.delete(hash);
        refused.set(hash, { subjects: verification.subjects, verdict, askedAt, endsAfterMs: Infinity });
        return;
      }
      refused.delete(hash);
      good.set(hash, true);
      const endsAfterMs = verification.expires_in_ms ?? Infinity;
      const subjects =
        verification.status === "shared" ? verification.share.subjects : subjectsOf(verification.principal);
      const weight = verification.status === "shared" ? 1 : weightIn(verification);
      valid.set(hash, { subjects, verdict, askedAt, endsAfterMs }, weight);
    },
    remove: (hash) => {
      valid.delete(hash);
      refused.delete(hash);
      good.delete(hash);
    },
    drop: (subjects) => {
      valid.dropSubjects(subjects);
      refused.dropSubjects(subjects);
    },
    clear: () => {
      valid.clear();
      refused.clear();
    },
    size: () => valid.size() + refused.size(),
  };
}

/** Converts identity's response. */
export function verdictOf(verification: Verification | ShareVerification): Verdict {
  if (verification.status === "refused") return { kind: "refused", code: verification.code };
  if (verification.status === "shared") return { kind: "valid", caller: createCaller(shareOf(verification.share)) };
  const { kind, credential_id, user_id, email, permission, organization_id, networks } = verification.principal;
  const {
    confirmed_until: confirmedUntil,
    is_limited,
    is_collecting,
    is_unverified,
    collector,
  } = verification.principal;
  const principal = {
    ...{ kind, credentialId: credential_id, userId: user_id, email },
    permission,
    scope: {
      organizationId: organization_id,
      networks,
      ...(is_unverified && { isUnverified: true as const }),
    },
    ...(confirmedUntil !== undefined && { confirmedUntil }),
    ...(is_limited && { isLimited: true as const }),
    ...(is_collecting && { isCollecting: true as const }),
    ...(collector !== undefined && { collector }),
  };
  const limits = limitsOf(verification.limits, verification.is_previous === true);
  return { kind: "valid", caller: createCaller(principal, limits) };
}

function shareOf(verified: VerifiedShare): SharePrincipal {
  const { share_id: shareId, organization_id: organizationId, networks, view_id: viewId, hide, as_of: asOf } = verified;
  return { kind: "share", shareId, scope: { organizationId, networks }, viewId, hide, asOf };
}

function weightIn({ principal, limits }: Extract<Verification, { status: "valid" }>): number {
  return weightOf(principal.networks) + Math.ceil((limits?.allowed_ips.length ?? 0) / BLOCKS_PER_WEIGHT);
}

function subjectsOf(principal: VerifiedPrincipal): string[] {
  return [principal.credential_id, principal.user_id, principal.organization_id];
}
