import type { z } from "zod";
import type { bulkDeleteTags, deleteTag, Endpoint, getTag, QueryOf } from "@nts/shared/contract";
import { canonicalMac, isMac } from "@nts/shared/contract/formats";
import { type Socket, socketIn } from "@nts/shared/contract/sockets.rules";
import { validationFailed } from "@nts/shared/errors";
import { respond, type HandlerResponse } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import type { Removing } from "../commit/writer.js";
import type { Past } from "../past/past.js";
import type { Entities, Entity } from "../storage/entities.js";
import { respondWithList, type ListPlan } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";

// Handlers common to all resources.

type GetOne = Endpoint<NonNullable<(typeof getTag)["params"]>, NonNullable<(typeof getTag)["query"]>>;

/** Returns an entity in its current or a past state. */
export function mountGet<T extends Entity>(
  router: Router,
  operation: GetOne,
  { entities, past }: { readonly entities: Entities<T>; readonly past: Past },
  readCurrent: (scope: Scope, id: string) => Promise<HandlerResponse<never>> = async (scope, id) => {
    const { json, revision } = await entities.readOne(scope, id);
    return respond.json(json, { revision });
  },
): void {
  mount(router, operation, ({ work, scope, principal, params: { id }, query: { as_of: asOf } }) =>
    asOf === undefined ? readCurrent(scope, id) : past.one(entities, id, { work, rights: principal.scope, asOf }),
  );
}

/** Query parameters of every list. */
interface ListQuery extends PageQuery {
  readonly q?: string | undefined;
  readonly network_id?: string | undefined;
  readonly as_of?: string | undefined;
}

/** What a list reads, with the scope narrowed to the query's network. */
export type ListPlanOf<E> = (query: QueryOf<E>, scope: Scope) => Omit<ListPlan, "work" | "scope">;

interface ListOf<T extends Entity> {
  readonly entities: Entities<T>;
  readonly past: Past;
  /** Ids at an address and port, for lists whose `q` may be a socket. */
  readonly atSocket?: (scope: Scope, socket: Socket) => Promise<string[]>;
  /** Ids of what has a MAC address, for lists whose `q` may be one. */
  readonly withMac?: (scope: Scope, mac: string) => Promise<string[]>;
}

/** Returns a list in its current or a past state. */
export function mountList<T extends Entity, Query extends z.ZodObject>(
  router: Router,
  operation: Endpoint<z.ZodObject, Query>,
  { entities, past, atSocket, withMac }: ListOf<T>,
  planOf: (query: z.infer<Query>, scope: Scope) => Omit<ListPlan, "work" | "scope">,
): void {
  mount(router, operation, async ({ work, scope: whole, principal, query }) => {
    const paging = query as unknown as ListQuery;
    const { network_id: networkId, as_of: asOf, q = "" } = paging;
    const socket = atSocket === undefined ? null : socketIn(q);
    const mac = withMac === undefined ? null : macIn(q);
    if (asOf !== undefined) {
      const other = socket !== null ? "contain a port" : mac !== null ? "be a MAC address" : null;
      if (other !== null) throw validationFailed({ path: "q", message: `must not ${other} together with as_of` });
      const plan = (scope: Scope): ReturnType<typeof planOf> => planOf(query, scope);
      return past.list(entities, paging, { work, rights: principal.scope, asOf, networkId, planOf: plan });
    }
    const scope = narrowedTo(whole, networkId);
    const ids = socket === null ? null : ((await atSocket?.(scope, socket)) ?? null);
    const some = mac === null ? [] : ((await withMac?.(scope, mac)) ?? []);
    // What is no MAC address of a host may be a part of a name.
    const found = ids ?? (some.length === 0 ? null : some);
    if (found === null) return respondWithList(entities, paging, { work, scope, ...planOf(query, scope) });
    const plan = planOf({ ...query, q: undefined }, scope);
    return respondWithList(entities, paging, { work, scope, ...amongIds(plan, found) });
  });
}

/** A MAC address in canonical form; null for other texts. */
function macIn(text: string): string | null {
  const mac = canonicalMac(text.trim());
  return isMac(mac) ? mac : null;
}

/** Narrows a list to some ids. */
function amongIds<Plan extends Pick<ListPlan, "filter">>(plan: Plan, found: readonly string[]): Plan {
  const { _id: named } = plan.filter as { readonly _id?: { readonly $in: readonly string[] } };
  const filtered = named && new Set(named.$in);
  const $in = filtered === undefined ? found : found.filter((id) => filtered.has(id));
  return { ...plan, filter: { ...plan.filter, _id: { $in } } };
}

/** Deletes entities atomically. */
export type Removal = (removing: Removing, principal: UserPrincipal) => Promise<void>;

/** Mounts one deletion for both the single and the bulk operation. */
export function mountRemoval(
  router: Router,
  operations: { readonly one: typeof deleteTag; readonly several: typeof bulkDeleteTags },
  remove: Removal,
): void {
  mount(router, operations.one, async ({ work, scope, principal, params, precondition }) => {
    await remove({ work, scope, ids: [params.id], precondition }, principal);
    return respond.data(null);
  });
  mount(router, operations.several, async ({ work, scope, principal, body: ids }) => {
    await remove({ work, scope, ids, precondition: null }, principal);
    return respond.data({ deleted_count: ids.length, requested_count: ids.length });
  });
}
