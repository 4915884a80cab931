import { getBinding, listBindings } from "@nts/shared/contract";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { BINDING_INDEXES, type IndexKey } from "../storage/indexes.js";
import { mountGet } from "./common.js";
import { answerList } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

export function mountBindings(router: Router, storage: Storage): void {
  mount(router, listBindings, list(storage));
  mountGet(router, getBinding, storage.bindings);
}

function list({ totals, bindings }: Storage): UserHandler<typeof listBindings> {
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
      total: () => totals.total(scope, "bindings"),
    });
  };
}

/** The index of the first condition that names one thing. */
function selectiveIndex(query: Readonly<Record<string, unknown>>): IndexKey | undefined {
  const named = (["service_id", "port_id", "interface_id"] as const).find((field) => query[field] !== undefined);
  return named && BINDING_INDEXES[named];
}
