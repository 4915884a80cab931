import { Port } from "@nts/shared/contract";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

export type PortStore = Entities<Port>;

export const PORT_KIND: EntityKind<Port> = {
  collection: "ports",
  name: "Port",
  sighted: true,
  onHosts: true,
  namedIn: ["number", "protocol"],
  networkOf: ({ network_id }) => network_id,
  keysOf: ({ host_id, number, protocol }) => ({ host_id, number, protocol }),
  clean: (entity) => Port.parse(entity),
};

export function createPortStore(database: Database, kind = PORT_KIND): PortStore {
  return createEntities<Port>(database, kind);
}
