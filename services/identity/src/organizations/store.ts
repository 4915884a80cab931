import type { ClientSession, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { nextRevision } from "../revisions.js";
import type { OrganizationDocument } from "./organization.js";

export interface OrganizationStore {
  insert(organization: OrganizationDocument, transaction: ClientSession): Promise<void>;
  /** @throws AppError `not_found` */
  get(id: string): Promise<OrganizationDocument>;
  /** Saves changes under the next revision; null when another writer came between. */
  update(
    current: OrganizationDocument,
    changes: Partial<OrganizationDocument>,
    transaction?: ClientSession,
  ): Promise<OrganizationDocument | null>;
}

export function createOrganizationStore(db: Db): OrganizationStore {
  const organizations = db.collection<OrganizationDocument>("organizations");
  return {
    insert: async (organization, transaction) => {
      await organizations.insertOne(organization, { session: transaction });
    },
    get: async (id) => {
      const organization = await organizations.findOne({ _id: id });
      if (organization === null) throw new AppError("not_found", { entity: "Organization" });
      return organization;
    },
    update: async (current, changes, transaction) => {
      const written = { ...changes, ...nextRevision(current, new Date()) };
      const { matchedCount } = await organizations.updateOne(
        { _id: current._id, revision: current.revision },
        { $set: written },
        { session: transaction },
      );
      return matchedCount === 1 ? { ...current, ...written } : null;
    },
  };
}
