import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { NetworkScope } from "@nts/shared/contract/internal";

/** The networks that a user may use: all of the organization from Admin upwards, else those granted. */
export function networksOf(user: { readonly permissions: Permission; readonly network_ids: string[] }): NetworkScope {
  return isAtLeast(user.permissions, "Admin") ? "all" : user.network_ids;
}

/** The networks of a list that are inside a scope, in the order of the list. */
export function narrowed(scope: NetworkScope, ids: readonly string[]): string[] {
  return scope === "all" ? [...ids] : ids.filter((id) => scope.includes(id));
}
