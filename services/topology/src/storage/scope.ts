import type { EntityKind } from "../kinds/entity-kind.js";
import { BY_ID } from "./indexes.js";
import type { Scope } from "@nts/shared/http/tenancy";

/** For collections of which everything is in a network. */
interface NetworkScopeFilter extends ScopeFilter {
  readonly network_id?: { readonly $in: readonly string[] };
}

/** The part of a filter that limits an operation to the caller's scope. */
export interface ScopeFilter extends Readonly<Record<string, unknown>> {
  readonly organization_id: string;
  readonly network_id?: { readonly $in: readonly (string | null)[] };
  readonly host_id?: { readonly $nin: readonly string[] };
}

/**
 * Converts a scope to a filter. Every document has its organization and network (a network its own id), so one filter
 * fits all collections. A caller without networks matches nothing.
 */
export function within(scope: Scope): NetworkScopeFilter {
  return scope.networks === "all"
    ? { organization_id: scope.organizationId }
    : { organization_id: scope.organizationId, network_id: { $in: scope.networks } };
}

/** The filter for children of hosts, which disappear with their host. */
export function withinHosts(scope: Scope): ScopeFilter {
  const gone = scope.hidden?.hosts;
  return gone === undefined || gone.size === 0 ? within(scope) : { ...within(scope), host_id: { $nin: [...gone] } };
}

/** The filter for entities of networks or of the whole organization, such as views. */
function withinOrAbove(scope: Scope): ScopeFilter {
  const { networks, organizationId } = scope;
  return networks === "all"
    ? { organization_id: organizationId }
    : { organization_id: organizationId, network_id: { $in: [null, ...networks] } };
}

/** The filter with which every query of entities of a kind starts. */
export function visibleOf({
  networkOf,
  mayBeOfAll,
  onHosts,
}: Pick<EntityKind<never>, "networkOf" | "mayBeOfAll" | "onHosts">): (scope: Scope) => ScopeFilter {
  if (networkOf === null) return withinOrganization;
  if (mayBeOfAll === true) return withinOrAbove;
  return onHosts === true ? withinHosts : within;
}

/** The filter for organization-level entities, such as tags. */
export function withinOrganization(scope: Scope): ScopeFilter {
  return { organization_id: scope.organizationId };
}

/** The scope narrowed to a network; unchanged if none is given. */
export function narrowedTo(scope: Scope, networkId: string | undefined): Scope {
  if (networkId === undefined) return scope;
  const visible = scope.networks === "all" || scope.networks.includes(networkId);
  return { ...scope, networks: visible ? [networkId] : [] };
}

/** Combines conditions, even on the same field. */
export function matching(scoped: ScopeFilter, ...filters: readonly object[]): ScopeFilter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  return conditions.length === 0 ? scoped : { ...scoped, $and: conditions };
}

/** For a filter by ids. */
export function hintFor({ _id }: { _id?: unknown }): { hint?: typeof BY_ID } {
  const namesIds = typeof _id === "object" && _id !== null && "$in" in _id;
  return namesIds ? { hint: BY_ID } : {};
}

/** The number of ids that a filter names. */
export function namedIn(filter: object): number {
  return Object.values(filter as Record<string, { $in?: readonly unknown[] }>).reduce(
    (sum, condition) => sum + (condition.$in?.length ?? 0),
    0,
  );
}
