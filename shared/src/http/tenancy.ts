import { createSigner, createVerifier } from "fast-jwt";
import { LRUCache } from "lru-cache";
import type { NetworkScope } from "../contract/internal.js";
import type { Permission } from "../contract/endpoint.js";

// The tenancy header says, signed, on whose behalf a request is made. A service trusts nothing else about its caller:
// it never sees a credential, and refuses every request without a valid header. A header lives 60 s, and clocks may
// differ by 30 s. Each direction (gateway to identity, gateway to topology, identity to topology) has secrets of its own, so
// that a process that is taken over cannot speak to others in anybody's name. Several are accepted at a time and the first
// one signs, so that they can be rotated.

const LIFE_MS = 60_000;
const SKEW_MS = 30_000;

/** What an operation may touch: one organization, and in it all networks or the listed ones. */
export interface Scope {
  readonly organizationId: string;
  readonly networks: NetworkScope;
  /** Known to the service that owns it alone; absent when there is nothing of the kind. */
  readonly hidden?: Hidden;
}

/** What the organization has deleted, and whose documents are not gone yet. */
export interface Hidden {
  readonly hosts: ReadonlySet<string>;
  /** Tags, with the times of their deletion. */
  readonly tags: ReadonlyMap<string, Date>;
}

/** A person acting through a key or a session, with the rights computed when the credential was checked. */
export interface UserPrincipal {
  readonly kind: "key" | "session";
  readonly credentialId: string;
  readonly userId: string;
  /** Absent where an earlier version signed. */
  readonly email?: string | undefined;
  readonly permission: Permission;
  readonly scope: Scope;
}

/** On whose behalf a request is made: a user, nobody (public operations), or one of our own processes. */
export type Principal = UserPrincipal | { readonly kind: "anonymous" } | { readonly kind: "process" };

/** Whether the principal is a user. */
export function isUser(principal: Principal): principal is UserPrincipal {
  return principal.kind === "key" || principal.kind === "session";
}

/** The ids of a user, as members of a log line; none of anybody else. */
export function idsOf(principal: Principal | null): Record<string, string> {
  if (principal === null || !isUser(principal)) return {};
  const { kind, credentialId, userId, scope } = principal;
  return { organization_id: scope.organizationId, user_id: userId, [`${kind}_id`]: credentialId };
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
}

/** Makes tenancy headers for one service. @param secrets at least one; the first one signs */
export function createTenancySigner(secrets: readonly string[], audience: Audience): (principal: Principal) => string {
  const sign = createSigner({ key: firstOf(secrets), algorithm: "HS256", aud: audience, expiresIn: LIFE_MS });
  return (principal) => sign(claimsOf(principal));
}

/** The secrets whose holders a service believes. */
export interface TrustedSecrets {
  /** Of the gateway, which forwards requests with and without a user. */
  readonly users: readonly string[];
  /** Of the processes that ask on their own behalf. */
  readonly processes: readonly string[];
}

/**
 * Reads tenancy headers meant for one service; null when the header is missing, forged, too old, meant for another, or
 * names somebody for whom the holder of its secret may not speak. Results are kept for a second, so that a busy caller's
 * header is not verified for each request.
 */
export function createTenancyVerifier(
  { users, processes }: TrustedSecrets,
  audience: Audience,
): (header: string | undefined) => Principal | null {
  const options = { algorithms: ["HS256" as const], allowedAud: audience, clockTolerance: SKEW_MS, requiredClaims: ["exp"] }; // prettier-ignore
  const verifiers = [...new Set([...users, ...processes])].map((key) => ({
    verify: createVerifier({ ...options, key }),
    mayBe: ({ kind }: Principal) => (kind === "process" ? processes : users).includes(key),
  }));
  const recent = new LRUCache<string, Principal>({ max: 10_000, ttl: 1_000 });
  return (header) => {
    if (header === undefined) return null;
    const known = recent.get(header);
    if (known !== undefined) return known;
    for (const { verify, mayBe } of verifiers) {
      try {
        const principal = principalOf(verify(header) as Claims);
        if (!mayBe(principal)) continue;
        recent.set(header, principal);
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
  if (!isUser(principal)) return { kind: principal.kind };
  const { kind, credentialId, userId, email, permission, scope } = principal;
  return {
    kind,
    ...(email !== undefined && { eml: email }),
    cid: credentialId,
    org: scope.organizationId,
    usr: userId,
    lvl: permission,
    net: pack(scope.networks),
  };
}

function principalOf(claims: Claims): Principal {
  const { kind, cid, org, usr, eml, lvl, net } = claims;
  if (kind === "anonymous" || kind === "process") return { kind };
  if (cid === undefined || org === undefined || usr === undefined || lvl === undefined || net === undefined)
    throw new Error("incomplete tenancy header");
  return {
    kind,
    credentialId: cid,
    userId: usr,
    ...(eml !== undefined && { email: eml }),
    permission: lvl,
    scope: { organizationId: org, networks: unpack(net) },
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
