import { type CredentialLimits, NO_LIMITS } from "./key-limits.js";
import { type Audience, createTenancySigner, type Principal } from "@nts/shared/http/tenancy";
import { TENANCY } from "@nts/shared/timing";

// Signing a tenancy header is the most expensive part of a request here, so the last one per caller and service is
// cached, and renewed well before its 60 s end.

interface Token {
  readonly text: string;
  readonly signedAt: number;
}

/** The principal of requests, with its cached tenancy headers. */
export interface Caller<P extends Principal = Principal> {
  readonly principal: P;
  readonly limits: CredentialLimits;
  readonly tokens: Partial<Record<Audience, Token>>;
}

/** Creates a caller without tenancy headers yet. */
export function createCaller<P extends Principal>(principal: P, limits = NO_LIMITS): Caller<P> {
  return { principal, limits, tokens: {} };
}

/**
 * Creates a function that returns a caller's tenancy header for a service.
 *
 * @param secrets at least one per service; the first one signs
 */
export function createTenancyHeaders(
  secrets: Readonly<Record<Audience, readonly string[]>>,
): (caller: Caller, audience: Audience) => string {
  const sign = {
    identity: createTenancySigner(secrets.identity, "identity"),
    topology: createTenancySigner(secrets.topology, "topology"),
  };
  return (caller, audience) => {
    // Wall clock, because the service compares with it.
    const now = Date.now();
    const kept = caller.tokens[audience];
    if (kept !== undefined && now >= kept.signedAt && now - kept.signedAt < TENANCY.reusedMs) return kept.text;
    const text = sign[audience](caller.principal);
    caller.tokens[audience] = { text, signedAt: now };
    return text;
  };
}
