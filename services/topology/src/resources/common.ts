import type { bulkDeleteTags, deleteTag, Endpoint, getTag } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Removed } from "../deletions/removed.js";
import type { Entities, Entity } from "../storage/entities.js";

// The handlers that are alike for every resource.

type GetOne = Endpoint<NonNullable<(typeof getTag)["params"]>>;

/** Answers an entity as it is stored. */
export function mountGet<T extends Entity>(router: Router, operation: GetOne, entities: Entities<T>): void {
  mount(router, operation, async ({ scope, params }) => {
    const { json, revision } = await entities.readOne(scope, params.id);
    return answer.json(json, { revision });
  });
}

/** Removes entities: all of them or none. */
export type Removal = (removed: Removed) => Promise<void>;

/** Puts one removal behind the operations that delete one entity and several. */
export function mountRemoval(
  router: Router,
  operations: { readonly one: typeof deleteTag; readonly several: typeof bulkDeleteTags },
  remove: Removal,
): void {
  mount(router, operations.one, async ({ work, scope, params, ifMatch }) => {
    await remove({ work, scope, ids: [params.id], ifMatch });
    return answer.data(null);
  });
  mount(router, operations.several, async ({ work, scope, body: ids }) => {
    await remove({ work, scope, ids, ifMatch: null });
    return answer.data({ deleted_count: ids.length, requested_count: ids.length });
  });
}
