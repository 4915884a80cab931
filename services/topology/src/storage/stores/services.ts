import type { ClientSession } from "mongodb";
import type { Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";
import { REVISION } from "../entity-reader.js";
import { MOST_SMALL } from "../large-writes.js";
import { within } from "../scope.js";

/** Maximum milliseconds to claim services. */
const CLAIM_MS = 200;

/** Services. Their documents also have `host_name`, for sorting. */
export interface ServiceStore extends Entities<Service> {
  /** Updates services of a renamed host. */
  renameHost(tx: ClientSession, scope: Scope, hostId: string, hostName: string): Promise<void>;
  /** The sum of the revisions of a host's services. */
  revisionsOn(tx: ClientSession, scope: Scope, hostId: string): Promise<number>;
  /** Turns short updates of services of some hosts into transactions, until one has written the service. */
  claim(scope: Scope, hostIds: readonly string[]): Promise<void>;
  /** Conflicts with concurrent changes of services of the host. */
  lockAllOn(tx: ClientSession, scope: Scope, hostId: string): Promise<void>;
}

export function createServiceStore(database: Database, kind: EntityKind<Service>): ServiceStore {
  const entities = createEntities<Service>(database, kind);
  const { collection } = entities;

  async function updateAllOn(tx: ClientSession, scope: Scope, hostId: string, update: object): Promise<void> {
    const filter = { ...within(scope), host_id: hostId };
    const documents = await collection.countDocuments(filter, { session: tx, limit: MOST_SMALL + 1 });
    await collection.updateMany(filter, update, { session: tx, documents });
  }

  return {
    ...entities,
    renameHost: async (tx, scope, hostId, hostName) => {
      await updateAllOn(tx, scope, hostId, { $set: { host_name: hostName } });
    },
    revisionsOn: async (tx, scope, hostId) => {
      const filter = { ...within(scope), host_id: hostId };
      const found = await collection.find(filter, { session: tx, projection: REVISION }).toArray();
      return found.reduce((sum, document) => sum + entities.revisionIn(document, scope), 0);
    },
    claim: async (scope, hostIds) => {
      const unclaimed = { ...within(scope), host_id: { $in: [...hostIds] }, claimed: { $ne: true } };
      try {
        await collection.updateMany(unclaimed, { $set: { claimed: true } }, { maxTimeMS: CLAIM_MS });
      } catch (error) {
        // A transaction has locked one of them; claiming the others is enough.
        if (mapMongoFault(error)?.code !== "upstream_timeout") throw error;
      }
    },
    lockAllOn: async (tx, scope, hostId) => {
      await updateAllOn(tx, scope, hostId, { $inc: { held: 1 } });
    },
  };
}
