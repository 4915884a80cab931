import { isAtLeast } from "@nts/shared/contract/endpoint";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { OrganizationStore } from "../storage/organizations.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { keyResponse } from "../model/key-response.js";
import type { Grantor, KeyDocument } from "../model/key.rules.js";
import { ranksOver } from "../model/rank.rules.js";
import { networksOf } from "../model/scopes.rules.js";
import { maxLifetimeOf } from "../model/organization.js";
import type { UserStore } from "../storage/users.js";
import type { KeyOwner, KeyStore } from "../storage/api-keys.js";

/** Where to look for service accounts, and for whose a key is. */
export interface OwnerSources {
  readonly users: Pick<UserStore, "find">;
  readonly keys: Pick<KeyStore, "findIn">;
}

/** The caller, or a service account that the caller manages, as whose keys are then managed. */
export async function actingFor(
  { users }: Pick<OwnerSources, "users">,
  principal: UserPrincipal,
  userId: string | undefined,
): Promise<UserPrincipal> {
  const { permission, scope } = principal;
  if (userId === undefined || userId === principal.userId || !isAtLeast(permission, "Admin")) return principal;
  const user = await users.find(scope.organizationId, userId);
  if (user?.kind !== "service" || !ranksOver(permission, user.permissions)) return principal;
  const networks = networksOf(user);
  return { ...principal, userId, permission: user.permissions, scope: { ...scope, networks } };
}

/** The same for the owner of a key. */
export async function actingForOwnerOf(
  sources: OwnerSources,
  principal: UserPrincipal,
  keyId: string,
): Promise<UserPrincipal> {
  if (!isAtLeast(principal.permission, "Admin")) return principal;
  const key = await sources.keys.findIn(principal.scope.organizationId, keyId);
  return actingFor(sources, principal, key?.user_id);
}

export interface GrantorSources {
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly topology: Pick<TopologyDirectory, "networksIn" | "managedAmong">;
}

/** The caller as the owner of keys, with what it may grant them. @param tags the requested ones */
export async function grantorOf(
  { topology, organizations }: GrantorSources,
  principal: UserPrincipal,
  cause: ParentRequest,
  tags: readonly string[] = [],
): Promise<Grantor> {
  const { permission, scope } = principal;
  const [networkIds, tagIds, organization] = await Promise.all([
    topology.networksIn(scope, cause),
    topology.managedAmong(tags, scope.organizationId, cause),
    organizations.get(scope.organizationId),
  ]);
  return { ...ownerOf(principal), permission, networkIds, tagIds, maxLifetimeDays: maxLifetimeOf(organization) };
}

/** A key as returned to its user: `last_used` changes without its revision. */
export function respondWithKey(key: KeyDocument, caller: Grantor): HandlerResponse<UserApiKey> {
  return respond.data(keyResponse(key, caller), { revision: key.revision, volatile: true });
}

export function ownerOf({ userId, scope }: UserPrincipal): KeyOwner {
  return { userId, organizationId: scope.organizationId };
}
