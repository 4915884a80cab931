import type { ParentRequest } from "@nts/shared/http/headers";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { OrganizationStore } from "../storage/organizations.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { keyResponse } from "../model/key-response.js";
import type { Grantor, KeyDocument } from "../model/key.rules.js";
import { maxLifetimeOf } from "../model/organization.js";
import type { KeyOwner } from "../storage/api-keys.js";

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
