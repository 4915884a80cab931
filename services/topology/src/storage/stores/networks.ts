import type { ClientSession } from "mongodb";
import { Network } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { composed } from "@nts/shared/contract/folding.rules";
import { searchTextOf } from "../../values/search.rules.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

export interface NetworkStore extends Entities<Network> {
  /** Conflicts with concurrent updates and deletions of them. @returns how many are in the scope */
  markDeleting(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<number>;
  /** Deletes networks whose guards are already deleted. */
  removeDecided(organizationIds: readonly string[], ids: readonly string[]): Promise<void>;
}

export const NETWORK_KIND: EntityKind<Network> = {
  collection: "networks",
  name: "Network",
  tagged: true,
  networkOf: ({ id }) => id,
  keysOf: ({ name, tags }) => ({ name, tags: tags.map(composed), search: searchTextOf(name) }),
  clean: (entity) => Network.parse(entity),
};

/** Networks; a network's network is itself, so that the scope's filter applies. */
export function createNetworkStore(database: Database, kind = NETWORK_KIND): NetworkStore {
  const entities = createEntities<Network>(database, kind);
  const { collection, within } = entities;
  return {
    ...entities,
    markDeleting: async (tx, scope, ids) => {
      const filter = { ...within(scope), _id: { $in: [...ids] } };
      return (await collection.updateMany(filter, { $set: { deleting: true } }, { session: tx })).matchedCount;
    },
    removeDecided: async (organizationIds, ids) => {
      await collection.deleteMany({ organization_id: { $in: organizationIds }, _id: { $in: [...ids] } });
    },
  };
}
