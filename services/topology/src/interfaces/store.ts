import type { Db } from "mongodb";
import { Interface } from "@nts/shared/contract";
import { parseAddress } from "../addresses.js";
import { createEntities, type Entities } from "../storage/entities.js";

export type InterfaceStore = Entities<Interface>;

export function createInterfaceStore(db: Db): InterfaceStore {
  return createEntities<Interface>(db, {
    collection: "interfaces",
    name: "Interface",
    networkOf: ({ network_id }) => network_id,
    keysOf: ({ host_id, subnet_id, ip_address, position }) => ({
      host_id,
      subnet_id,
      ip_key: parseAddress(ip_address).key,
      position,
    }),
    clean: (entity) => Interface.parse(entity),
  });
}
