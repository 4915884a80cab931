import { Service, ServiceCreate, ServiceUpdate } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const serviceKind = kind({
  schema: Service,
  create: ServiceCreate,
  update: ServiceUpdate,
  placed: ["network_id", "host_id", "bindings", "position", "source"],
  defaults: { virtualization: null },
});
