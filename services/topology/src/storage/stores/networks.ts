import type { ClientSession } from "mongodb";
import type { Network } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

export interface NetworkStore extends Entities<Network> {
  /** Conflicts with concurrent updates and deletions of them. @returns how many are in the scope */
  markDeleting(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<number>;
  /** Deletes networks whose guards are already deleted. */
  removeDecided(organizationIds: readonly string[], ids: readonly string[]): Promise<void>;
}

export function createNetworkStore(database: Database, kind: EntityKind<Network>): NetworkStore {
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
