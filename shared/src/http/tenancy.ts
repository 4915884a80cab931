import { createSigner, createVerifier } from "fast-jwt";
import { boundedCache } from "../bounded-cache.js";
import type { CollectorPlan, NetworkScope } from "../contract/internal.js";
import type { HiddenPart } from "../contract/shares.js";
import type { Permission } from "../contract/endpoint.js";
import { TENANCY } from "../timing.js";

// The signed principal of a request; services trust nothing else. Valid for 60 s, with 30 s of clock skew. Directions
// have their own secrets, so that a compromised process impersonates no other; the first signs, all are accepted.

/** An id takes 60 bytes, and as much again in a header; a principal without a list takes a kilobyte. */
const NETWORKS_PER_WEIGHT = 4;

/** What an operation may access: one organization, and all or listed networks in it. */
export interface Scope {
  readonly organizationId: string;
  readonly networks: NetworkScope;
  /** No Owner has a verified address: small quotas apply. */
  readonly isUnverified?: true;
  /** Set only by the service that owns the data; absent if empty. */
  readonly hidden?: Hidden;
}

/** What the organization has deleted, but not yet purged. */
export interface Hidden {
  readonly hosts: ReadonlySet<string>;
  /** Tags, with the times of their deletion. */
  readonly tags: ReadonlyMap<string, Date>;
}

/** A person using a key or a session, with the rights computed when the credential was verified. */
export interface UserPrincipal {
  readonly kind: "key" | "session";
  readonly credentialId: string;
  readonly userId: string;
  /** Recorded as the actor of changes. */
  readonly email?: string | undefined;
  readonly permission: Permission;
  readonly scope: Scope;
  /** Until when a code confirms the session, in milliseconds since 1970; absent if none is needed. */
  readonly confirmedUntil?: number;
  /** A key that ends, or is restricted or limited in any way. */
  readonly isLimited?: true;
  /** A key that can only import. */
  readonly isCollecting?: true;
  /** What a collector is to do, if it is the key of one. Its id is that of the user. */
  readonly collector?: CollectorPlan;
}

/** Whoever has the link to a shared view. The scope has one network, or none if its maker may not use it any more. */
export interface SharePrincipal {
  readonly kind: "share";
  readonly shareId: string;
  readonly scope: Scope;
  readonly viewId: string;
  readonly hide: readonly HiddenPart[];
  /** The moment that it shows; null for the present. */
  readonly asOf: string | null;
}

/** On whose behalf a request is made: a user, a share, anonymous, or one of our own processes. */
export type Principal = UserPrincipal | SharePrincipal | { readonly kind: "anonymous" } | { readonly kind: "process" };

/** Whether the principal is a user. */
export function isUser(principal: Principal): principal is UserPrincipal {
  return principal.kind === "key" || principal.kind === "session";
}

/** The organization whose share of the database a request uses; null for none. */
export function organizationOf(principal: Principal): string | null {
  return isUser(principal) || principal.kind === "share" ? principal.scope.organizationId : null;
}

/** How many principals without a list of networks take as much memory as one with these, to bound caches. */
export function weightOf(networks: NetworkScope): number {
  return 1 + (networks === "all" ? 0 : Math.ceil(networks.length / NETWORKS_PER_WEIGHT));
}

/** The ids of a user as members of a log line; empty for other principals. */
export function idsOf(principal: Principal | null): Record<string, string> {
  if (principal?.kind === "share")
    return { organization_id: principal.scope.organizationId, share_id: principal.shareId };
  if (principal === null || !isUser(principal)) return {};
  const { kind, credentialId, userId, scope } = principal;
  const credential = kind === "session" ? "session.id" : `${kind}_id`;
  return { organization_id: scope.organizationId, "user.id": userId, [credential]: credentialId };
}

export type Audience = "identity" | "topology";

interface Claims {
  kind: Principal["kind"];
  cid?: string;
  org?: string;
  usr?: string;
  eml?: string;
  lvl?: Permission;
  /** "all", or the ids packed to 16 bytes each in base64url. */
  net?: string;
  /** Until when it is confirmed. */
  cnf?: number;
  /** 1 for a limited key. */
  ltd?: 1;
  /** 1 for a key that can only import. */
  col?: 1;
  /** Of the key of a collector. */
  pln?: CollectorPlan;
  /** 1 for an unverified organization. */
  unv?: 1;
  /** Of a share, whose id is that of the credential. */
  shr?: Pick<SharePrincipal, "viewId" | "hide" | "asOf">;
}

/** Creates tenancy headers for one service. @param secrets at least one; the first one signs */
export function createTenancySigner(secrets: readonly string[], audience: Audience): (principal: Principal) => string {
  const sign = createSigner({ key: firstOf(secrets), algorithm: "HS256", aud: audience, expiresIn: TENANCY.lifeMs });
  return (principal) => sign(claimsOf(principal));
}

/** The secrets that a service accepts. */
export interface TrustedSecrets {
  /** Of the gateway, which forwards requests with and without a user. */
  readonly users: readonly string[];
  /** Of processes that act on their own behalf. */
  readonly processes: readonly string[];
}

/**
 * Verifies tenancy headers for one service; null if missing, forged, expired, for another service, or for a principal
 * that the holder of the secret may not act for. Results are cached for a second, to verify a busy caller's header only
 * once.
 */
export function createTenancyVerifier(
  { users, processes }: TrustedSecrets,
  audience: Audience,
): (header: string | undefined) => Principal | null {
  const options = {
    algorithms: ["HS256" as const],
    allowedAud: audience,
    clockTolerance: TENANCY.skewMs,
    requiredClaims: ["exp"],
  };
  const verifiers = [...new Set([...users, ...processes])].map((key) => ({
    verify: createVerifier({ ...options, key }),
    mayBe: ({ kind }: Principal) => (kind === "process" ? processes : users).includes(key),
  }));
  const recent = boundedCache<Principal>(10_000, { ttl: 1_000 });
  return (header) => {
    if (header === undefined) return null;
    const known = recent.get(header);
    if (known !== undefined) return known;
    for (const { verify, mayBe } of verifiers) {
      try {
        const principal = principalOf(verify(header) as Claims);
        if (!mayBe(principal)) continue;
        recent.set(header, principal, { size: isUser(principal) ? weightOf(principal.scope.networks) : 1 });
        return principal;
      } catch {
        // Another secret may have signed it.
      }
    }
    return null;
  };
}

function firstOf(secrets: readonly string[]): string {
  const [first] = secrets;
  if (first === undefined) throw new Error("at least one tenancy secret is needed");
  return first;
}

function claimsOf(principal: Principal): Claims {
  if (principal.kind === "share") {
    const { kind, shareId, scope, viewId, hide, asOf } = principal;
    const { organizationId, networks } = scope;
    return { kind, cid: shareId, org: organizationId, net: pack(networks), shr: { viewId, hide, asOf } };
  }
  if (!isUser(principal)) return { kind: principal.kind };
  const { kind, credentialId, userId, email, permission, scope } = principal;
  const { confirmedUntil, isLimited, isCollecting, collector } = principal;
  return {
    kind,
    ...(email !== undefined && { eml: email }),
    ...(confirmedUntil !== undefined && { cnf: confirmedUntil }),
    ...(isLimited && { ltd: 1 }),
    ...(isCollecting && { col: 1 }),
    ...(collector !== undefined && { pln: collector }),
    ...(scope.isUnverified && { unv: 1 }),
    cid: credentialId,
    org: scope.organizationId,
    usr: userId,
    lvl: permission,
    net: pack(scope.networks),
  };
}

function principalOf(claims: Claims): Principal {
  const { kind, cid, org, usr, eml, lvl, net, cnf, ltd, col, pln, unv, shr } = claims;
  if (kind === "anonymous" || kind === "process") return { kind };
  if (kind === "share") {
    if (cid === undefined || org === undefined || net === undefined || shr === undefined)
      throw new Error("incomplete tenancy header");
    return { kind, shareId: cid, scope: { organizationId: org, networks: unpack(net) }, ...shr };
  }
  if (cid === undefined || org === undefined || usr === undefined || lvl === undefined || net === undefined)
    throw new Error("incomplete tenancy header");
  return {
    kind,
    credentialId: cid,
    userId: usr,
    ...(eml !== undefined && { email: eml }),
    permission: lvl,
    scope: { organizationId: org, networks: unpack(net), ...(unv === 1 && { isUnverified: true }) },
    ...(cnf !== undefined && { confirmedUntil: cnf }),
    ...(ltd === 1 && { isLimited: true }),
    ...(col === 1 && { isCollecting: true }),
    ...(pln !== undefined && { collector: pln }),
  };
}

function pack(networks: NetworkScope): string {
  if (networks === "all") return "all";
  return Buffer.from(networks.join("").replaceAll("-", ""), "hex").toString("base64url");
}

function unpack(packed: string): NetworkScope {
  if (packed === "all") return "all";
  const digits = Buffer.from(packed, "base64url").toString("hex");
  return (digits.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"));
}
