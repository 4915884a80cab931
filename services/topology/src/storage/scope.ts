import { BY_ID } from "./indexes.js";
import type { Scope } from "@nts/shared/http/tenancy";

/** The part of a filter that keeps an operation inside what its caller may touch. */
export interface ScopeFilter extends Readonly<Record<string, unknown>> {
  readonly organization_id: string;
  readonly network_id?: { readonly $in: readonly string[] };
  readonly host_id?: { readonly $nin: readonly string[] };
}

/**
 * The place that turns a scope into a filter. Every document carries its organization and its network (a network
 * its own id), so one filter serves all collections. A caller without networks matches nothing.
 */
export function within(scope: Scope): ScopeFilter {
  return scope.networks === "all"
    ? { organization_id: scope.organizationId }
    : { organization_id: scope.organizationId, network_id: { $in: scope.networks } };
}

/** The filter for what stands on hosts, which is gone for everybody when its host is. */
export function withinHosts(scope: Scope): ScopeFilter {
  const gone = scope.hidden?.hosts;
  return gone === undefined || gone.size === 0 ? within(scope) : { ...within(scope), host_id: { $nin: [...gone] } };
}

/** The filter for what belongs to the organization as a whole, such as tags. */
export function withinOrganization(scope: Scope): ScopeFilter {
  return { organization_id: scope.organizationId };
}

/** The scope cut to one network; unchanged when none is named. */
export function narrowedTo(scope: Scope, networkId: string | undefined): Scope {
  if (networkId === undefined) return scope;
  const visible = scope.networks === "all" || scope.networks.includes(networkId);
  return { ...scope, networks: visible ? [networkId] : [] };
}

/** All conditions, also where they name the same field. */
export function matching(scoped: ScopeFilter, ...filters: readonly object[]): ScopeFilter {
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  return conditions.length === 0 ? scoped : { ...scoped, $and: conditions };
}

/** For a filter that names ids. */
export function hintFor({ _id }: { _id?: unknown }): { hint?: typeof BY_ID } {
  const namesIds = typeof _id === "object" && _id !== null && "$in" in _id;
  return namesIds ? { hint: BY_ID } : {};
}
