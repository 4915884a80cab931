import { Interface, InterfaceCreate, InterfaceUpdate, IpAddress, ObservedOfInterface } from "@nts/shared/contract";
import { parseAddress } from "../values/addresses.js";
import { facetsOf } from "../values/facets.rules.js";
import { MADE, observedAs, POSITION } from "./archived.js";
import { kind } from "./kind.js";

export const interfaceKind = kind("Interface", {
  schema: Interface,
  create: InterfaceCreate,
  update: InterfaceUpdate,
  placed: ["network_id", "host_id", "subnet_id", "ip_address", "mac_address", "position"],
  defaults: { attributes: {} },
  archived: InterfaceCreate.extend({
    ...observedAs(ObservedOfInterface),
    ...MADE,
    ...POSITION,
    ip_address: IpAddress,
    is_separate: Interface.shape.is_separate,
  }),
  namedIn: ["wire"],
  keysOf: ({ host_id, subnet_id, ip_address, mac_address, position, attributes, observed }) => ({
    host_id,
    subnet_id,
    ip_key: parseAddress(ip_address).key,
    mac_address,
    position,
    facets: facetsOf({ attributes, vendor: observed?.vendor?.value ?? null }),
  }),
});
