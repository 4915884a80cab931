import type { Db } from "mongodb";
import { Network } from "@nts/shared/contract";
import { createEntities, type Entities } from "../storage/entities.js";

export type NetworkStore = Entities<Network>;

/** Networks; the network of a network is itself, so that the filter of a scope serves here too. */
export function createNetworkStore(db: Db): NetworkStore {
  return createEntities<Network>(db, {
    collection: "networks",
    name: "Network",
    networkOf: ({ id }) => id,
    keysOf: ({ name, tags }) => ({ name, tags }),
    clean: (entity) => Network.parse(entity),
  });
}
