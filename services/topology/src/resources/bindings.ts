import { getBinding, listBindings } from "@nts/shared/contract";
import type { Router } from "@nts/shared/http/mount";
import { BINDING_INDEXES, type IndexKey } from "../storage/indexes.js";
import { type ListPlanOf, mountGet, mountList } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";

export function mountBindings(router: Router, storage: Storage, past: Past): void {
  mountList(router, listBindings, { entities: storage.bindings, past }, plan(storage));
  mountGet(router, getBinding, { entities: storage.bindings, past });
}

function plan({ totals }: Storage): ListPlanOf<typeof listBindings> {
  return (query, scope) => {
    const { service_id, port_id, interface_id } = query;
    return {
      filter: {
        ...(service_id !== undefined && { service_id }),
        ...(port_id !== undefined && { port_id }),
        ...(interface_id !== undefined && { interface_id }),
      },
      selective: selectiveIndex(query),
      total: () => totals.total(scope, "bindings"),
    };
  };
}

/** The index of the first condition on a single id. */
function selectiveIndex(query: Readonly<Record<string, unknown>>): IndexKey | undefined {
  const named = (["service_id", "port_id", "interface_id"] as const).find((field) => query[field] !== undefined);
  return named && BINDING_INDEXES[named];
}
