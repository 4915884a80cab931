import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Forms, openDocuments } from "./documents.js";
import { nextRevision } from "../model/revisions.rules.js";
import type { OrganizationDocument } from "../model/organization.js";

export interface OrganizationStore {
  insert(organization: OrganizationDocument, tx: ClientSession): Promise<void>;
  find(id: string): Promise<OrganizationDocument | null>;
  /** @param askedFor the organization whose share is used */
  findMany(askedFor: string, ids: readonly string[]): Promise<OrganizationDocument[]>;
  /** @throws AppError `not_found` */
  get(id: string): Promise<OrganizationDocument>;
  /**
   * Serializes transactions that count what an organization has before adding to it.
   *
   * @returns false if it is deleted
   */
  lockCounts(id: string, tx: ClientSession): Promise<boolean>;
  /** Saves changes as the next revision, unless modified concurrently. */
  update(
    current: OrganizationDocument,
    changes: Partial<OrganizationDocument>,
    tx: ClientSession,
  ): Promise<OrganizationDocument | "conflict">;
  /** Removes it, unless modified concurrently. */
  remove(current: OrganizationDocument, tx: ClientSession): Promise<"removed" | "conflict">;
}

export function createOrganizationStore({ db, share, readOnce }: Database, forms?: Forms): OrganizationStore {
  const documents = openDocuments(db, "organizations", forms);
  const { collection: organizations, formAfter } = documents;
  const find = (id: string): Promise<OrganizationDocument | null> =>
    readOnce(id, "organization", () => documents.find({ _id: id }));
  return {
    insert: async (organization, tx) => {
      await documents.insert(organization, tx);
      noteChange(tx, "organization", { after: organization });
    },
    find,
    findMany: async (askedFor, ids) => {
      const those = { _id: { $in: [...ids] } };
      const found = await share(askedFor, () => organizations.find<OrganizationDocument>(those).toArray());
      return found.map(documents.understood);
    },
    get: async (id) => {
      const organization = await find(id);
      if (organization === null) throw new AppError("not_found", { entity: "Organization" });
      return organization;
    },
    lockCounts: async (id, tx) => {
      const { matchedCount } = await organizations.updateOne({ _id: id }, { $inc: { counted: 1 } }, { session: tx });
      return matchedCount === 1;
    },
    update: async (current, changes, tx) => {
      const written = { ...changes, ...nextRevision(current, new Date()), form: formAfter(current) };
      const unchanged = { _id: current._id, revision: current.revision };
      const { matchedCount } = await organizations.updateOne(unchanged, { $set: written }, { session: tx });
      if (matchedCount === 0) return "conflict";
      const saved = { ...current, ...written };
      noteChange(tx, "organization", { before: current, after: saved });
      return saved;
    },
    remove: async (current, tx) => {
      const { deletedCount } = await organizations.deleteOne(
        { _id: current._id, revision: current.revision },
        { session: tx },
      );
      if (deletedCount === 0) return "conflict";
      noteChange(tx, "organization", { before: current });
      return "removed";
    },
  };
}
