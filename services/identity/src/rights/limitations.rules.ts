import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { Limitation } from "@nts/shared/contract/whoami";
import { narrowed, networksOf } from "../model/scopes.rules.js";

/** What determines a caller's rights. */
export interface Rights {
  /** null for a session. */
  readonly key: { readonly permissions: Permission; readonly network_ids: readonly string[] | null } | null;
  readonly user: { readonly permissions: Permission; readonly network_ids: string[] };
  /** Existing networks of the organization. */
  readonly networkIds: readonly string[];
}

/** What limits a caller, the key first. */
export function limitationsOf({ key, user, networkIds }: Rights): Limitation[] {
  const granted = networksOf(user);
  const named = key?.network_ids ? narrowed(granted, key.network_ids) : granted;
  const existing = new Set(networkIds);
  const cuts: [isCut: boolean, cut: Limitation][] = [
    [key !== null && !isAtLeast(key.permissions, user.permissions), { by: "key", right: "permissions" }],
    [key !== null && key.network_ids !== null, { by: "key", right: "network_ids" }],
    [key !== null && !isAtLeast(user.permissions, key.permissions), { by: "user", right: "permissions" }],
    [granted !== "all", { by: "user", right: "network_ids" }],
    [named !== "all" && !named.every((id) => existing.has(id)), { by: "organization", right: "network_ids" }],
  ];
  return cuts.filter(([isCut]) => isCut).map(([, cut]) => cut);
}
