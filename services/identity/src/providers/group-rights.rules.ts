import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { GroupRights } from "./settings.js";

/**
 * What the groups of somebody give together: the highest of their levels, with the networks of all of them.
 *
 * @param networkIds those of the organization that exist
 * @returns null when none of them gives anything
 */
export function rightsOf(
  groups: readonly string[],
  given: Readonly<Record<string, GroupRights>>,
  networkIds: readonly string[],
): { readonly permissions: Permission; readonly network_ids: string[] } | null {
  const rights = [...new Set(groups)].flatMap((group) =>
    Object.hasOwn(given, group) ? [given[group] as GroupRights] : [],
  );
  const [first, ...more] = rights;
  if (first === undefined) return null;
  const permissions = more.reduce<Permission>(
    (highest, { permissions: level }) => (isAtLeast(level, highest) ? level : highest),
    first.permissions,
  );
  const granted = new Set(rights.flatMap(({ network_ids }) => network_ids));
  return { permissions, network_ids: networkIds.filter((id) => granted.has(id)) };
}
