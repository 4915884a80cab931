import { isAtLeast, type User } from "@nts/shared/contract";

/** The networks that a user can access. */
export function reachText(
  { permissions, network_ids }: Pick<User, "permissions" | "network_ids">,
  nameOf: (id: string) => string,
): string {
  if (isAtLeast(permissions, "Admin")) return "All";
  return network_ids.length === 0 ? "None" : network_ids.map(nameOf).join(", ");
}
