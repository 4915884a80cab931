import { HostCreate, HostRecord, HostUpdate } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const hostKind = kind({
  schema: HostRecord,
  create: HostCreate,
  update: HostUpdate,
  placed: ["network_id", "interfaces", "ports", "services"],
  defaults: { hostname: null, description: null, hidden: false, virtualization: null },
});
