import type { Db } from "mongodb";
import { Port } from "@nts/shared/contract";
import { createEntities, type Entities } from "../storage/entities.js";

export type PortStore = Entities<Port>;

export function createPortStore(db: Db): PortStore {
  return createEntities<Port>(db, {
    collection: "ports",
    name: "Port",
    networkOf: ({ network_id }) => network_id,
    keysOf: ({ host_id, number, protocol }) => ({ host_id, number, protocol }),
    clean: (entity) => Port.parse(entity),
  });
}
