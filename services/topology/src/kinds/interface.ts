import { Interface, InterfaceCreate, InterfaceUpdate } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const interfaceKind = kind({
  schema: Interface,
  create: InterfaceCreate,
  update: InterfaceUpdate,
  placed: ["network_id", "host_id", "subnet_id", "ip_address", "mac_address", "position"],
  defaults: {},
});
