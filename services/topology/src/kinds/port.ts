import { Port, PortInput } from "@nts/shared/contract";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const portKind = kind("Port", {
  schema: Port,
  create: PortInput,
  update: PortInput,
  placed: ["network_id", "host_id"],
  defaults: {},
  archived: PortInput.extend(MADE),
  namedIn: ["number", "protocol"],
  keysOf: ({ host_id, number, protocol }) => ({ host_id, number, protocol }),
});
