import type { bulkDeleteTags, deleteTag, Endpoint, getTag } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Entities, Entity } from "./storage/entities.js";

// The handlers that are alike for every resource.

type GetOne = Endpoint<NonNullable<(typeof getTag)["params"]>>;

/** Answers an entity as it is stored. */
export function mountGet<T extends Entity>(router: Router, operation: GetOne, entities: Entities<T>): void {
  mount(router, operation, async ({ scope, params }) => {
    const { json, revision } = await entities.read(scope, params.id);
    return answer.json(json, { revision });
  });
}

/** Removes entities: all of them or none. @param ifMatch revisions the caller accepts; null when it did not say */
export type Removal = (scope: Scope, ids: readonly string[], ifMatch: readonly string[] | null) => Promise<void>;

/** Puts one removal behind the operations that delete one entity and several. */
export function mountRemoval(
  router: Router,
  operations: { readonly one: typeof deleteTag; readonly several: typeof bulkDeleteTags },
  remove: Removal,
): void {
  mount(router, operations.one, async ({ scope, params, ifMatch }) => {
    await remove(scope, [params.id], ifMatch);
    return answer.data(null);
  });
  mount(router, operations.several, async ({ scope, body: ids }) => {
    await remove(scope, ids, null);
    return answer.data({ deleted_count: ids.length, requested_count: ids.length });
  });
}
