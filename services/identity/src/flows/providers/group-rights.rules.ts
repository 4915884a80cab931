import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { GroupRights } from "./settings.js";

/**
 * The combined rights of a person's groups: the highest level, with all of their networks.
 *
 * @param networkIds existing networks of the organization
 * @returns null if no group grants anything
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
