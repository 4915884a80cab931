import type { ParentRequest } from "@nts/shared/http/headers";
import { respond } from "@nts/shared/http/respond";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { OrganizationStore } from "../organizations/store.js";
import type { TopologyDirectory } from "../topology.js";
import { keyResponse } from "./key-response.js";
import type { Grantor, KeyDocument } from "./key.rules.js";
import { maxLifetimeOf } from "../organizations/organization.js";
import type { KeyOwner } from "./store.js";

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

export function respondWithKey(key: KeyDocument, caller: Grantor) {
  return respond.data(keyResponse(key, caller), { revision: key.revision, volatile: true });
}

export function ownerOf({ userId, scope }: UserPrincipal): KeyOwner {
  return { userId, organizationId: scope.organizationId };
}
