import { ObservedOfPort, Port, PortInput } from "@nts/shared/contract";
import { MADE, observedAs } from "./archived.js";
import { kind } from "./kind.js";

export const portKind = kind("Port", {
  schema: Port,
  create: PortInput,
  update: PortInput,
  placed: ["network_id", "host_id"],
  defaults: {},
  archived: PortInput.extend({ ...MADE, ...observedAs(ObservedOfPort) }),
  namedIn: ["number", "protocol"],
  keysOf: ({ host_id, number, protocol, observed }) => ({
    host_id,
    number,
    protocol,
    certificate_ends: endOf(observed?.certificate?.not_after ?? null),
  }),
});

/** In milliseconds, for the report of certificates. */
function endOf(notAfter: string | null): number | null {
  return notAfter === null ? null : Date.parse(notAfter);
}
