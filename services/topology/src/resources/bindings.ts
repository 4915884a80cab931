import { getBinding, listBindings } from "@nts/shared/contract";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import type { IndexKey } from "../storage/indexes.js";
import { mountGet } from "./common.js";
import { answerList } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

export function mountBindings(router: Router, storage: Storage): void {
  mount(router, listBindings, list(storage));
  mountGet(router, getBinding, storage.bindings);
}

function list({ guards, bindings }: Storage): UserHandler<typeof listBindings> {
  return async ({ work, scope: whole, query }) => {
    const scope = narrowedTo(whole, query.network_id);
    const { service_id, port_id, interface_id } = query;
    return answerList(bindings, query, {
      work,
      scope,
      filter: {
        ...(service_id !== undefined && { service_id }),
        ...(port_id !== undefined && { port_id }),
        ...(interface_id !== undefined && { interface_id }),
      },
      selective: selectiveIndex(query),
      total: () => guards.total(scope, "bindings"),
    });
  };
}

/** The index of the first condition that names one thing. */
function selectiveIndex(query: Readonly<Record<string, unknown>>): IndexKey | undefined {
  const named = ["service_id", "port_id", "interface_id"].find((field) => query[field] !== undefined);
  return named === undefined ? undefined : { [named]: 1, created_at: 1, _id: 1 };
}
