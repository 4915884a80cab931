import type { Db } from "mongodb";
import { Binding } from "@nts/shared/contract";
import { createEntities, type Entities } from "../storage/entities.js";

/**
 * The bindings of all services once more, as entities of their own that can be listed. The service is the record;
 * `services/write.ts` is the only writer of both. Documents carry the `host_id` besides.
 */
export type BindingStore = Entities<Binding>;

export function createBindingStore(db: Db): BindingStore {
  return createEntities<Binding>(db, {
    collection: "bindings",
    name: "Binding",
    networkOf: ({ network_id }) => network_id,
    keysOf: (binding) => ({
      service_id: binding.service_id,
      interface_id: binding.interface_id,
      ...(binding.type === "Port" && { port_id: binding.port_id }),
    }),
    clean: (entity) => Binding.parse(entity),
  });
}
