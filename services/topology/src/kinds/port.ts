import { Port, PortInput } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const portKind = kind({
  schema: Port,
  create: PortInput,
  update: PortInput,
  placed: ["network_id", "host_id"],
  defaults: {},
});
