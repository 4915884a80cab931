import { Network } from "@nts/shared/contract";
import { composed } from "../../values/search.rules.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

export type NetworkStore = Entities<Network>;

export const NETWORK_KIND: EntityKind<Network> = {
  collection: "networks",
  name: "Network",
  tagged: true,
  networkOf: ({ id }) => id,
  keysOf: ({ name, tags }) => ({ name, tags: tags.map(composed) }),
  clean: (entity) => Network.parse(entity),
};

/** Networks; the network of a network is itself, so that the filter of a scope serves here too. */
export function createNetworkStore(database: Database, kind = NETWORK_KIND): NetworkStore {
  return createEntities<Network>(database, kind);
}
