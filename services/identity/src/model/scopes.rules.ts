import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { NetworkScope } from "@nts/shared/contract/internal";

/** The networks of a user: all from Admin upwards, otherwise the granted ones. */
export function networksOf(user: { readonly permissions: Permission; readonly network_ids: string[] }): NetworkScope {
  return isAtLeast(user.permissions, "Admin") ? "all" : user.network_ids;
}

/** The networks of a list within a scope, in list order. */
export function narrowed(scope: NetworkScope, ids: readonly string[]): string[] {
  if (scope === "all") return [...ids];
  const within = new Set(scope);
  return ids.filter((id) => within.has(id));
}
