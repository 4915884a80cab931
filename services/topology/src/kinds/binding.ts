import { Binding } from "@nts/shared/contract";
import type { EntityKind } from "./entity-kind.js";

/** Bindings are parts of services, and listed as entities of their own. */
export const bindingKind: EntityKind<Binding> & { readonly collection: "bindings" } = {
  collection: "bindings",
  name: "Binding",
  onHosts: true,
  isPart: true,
  networkOf: ({ network_id }) => network_id,
  keysOf: (binding) => ({
    service_id: binding.service_id,
    interface_id: binding.interface_id,
    ...(binding.type === "Port" && { port_id: binding.port_id }),
  }),
  clean: (entity) => Binding.parse(entity),
};
