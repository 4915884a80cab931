import { type CredentialLimits, NO_LIMITS } from "./key-limits.js";
import { type Audience, createTenancySigner, type Principal } from "@nts/shared/http/tenancy";

// Signing a tenancy header costs more than the rest of a request's work here, so each caller keeps the last one made for
// each service. It is replaced long before the 60 s that a service accepts it.

const TOKEN_MS = 20_000;

interface Token {
  readonly text: string;
  readonly signedAt: number;
}

/** On whose behalf requests are made, with the tenancy headers made for it. */
export interface Caller<P extends Principal = Principal> {
  readonly principal: P;
  readonly limits: CredentialLimits;
  readonly tokens: Partial<Record<Audience, Token>>;
}

/** A caller without tenancy headers yet. */
export function createCaller<P extends Principal>(principal: P, limits = NO_LIMITS): Caller<P> {
  return { principal, limits, tokens: {} };
}

/**
 * Makes the function that gives a caller's tenancy header for a service.
 *
 * @param secrets of each service at least one; the first one signs
 */
export function createTenancyHeaders(
  secrets: Readonly<Record<Audience, readonly string[]>>,
): (caller: Caller, audience: Audience) => string {
  const sign = {
    identity: createTenancySigner(secrets.identity, "identity"),
    topology: createTenancySigner(secrets.topology, "topology"),
  };
  return (caller, audience) => {
    // The wall clock, because that is what the service compares with.
    const now = Date.now();
    const kept = caller.tokens[audience];
    if (kept !== undefined && now >= kept.signedAt && now - kept.signedAt < TOKEN_MS) return kept.text;
    const text = sign[audience](caller.principal);
    caller.tokens[audience] = { text, signedAt: now };
    return text;
  };
}
