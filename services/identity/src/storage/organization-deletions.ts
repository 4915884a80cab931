import type { ClientSession, Db } from "mongodb";

export const ORGANIZATION_DELETIONS = "organization_deletions";

/** A deleted organization that may not be purged completely. */
interface DeletionDocument {
  /** Of the organization. */
  _id: string;
  deleted_at: Date;
}

/** Deleted organizations to be purged. */
export interface OrganizationDeletions {
  insert(organizationId: string, tx: ClientSession): Promise<void>;
  /** Oldest first. */
  pending(): Promise<string[]>;
  /** It is purged completely. */
  forget(organizationId: string): Promise<void>;
}

export function createOrganizationDeletions(db: Db): OrganizationDeletions {
  const deletions = db.collection<DeletionDocument>(ORGANIZATION_DELETIONS);
  return {
    insert: async (_id, tx) => {
      await deletions.insertOne({ _id, deleted_at: new Date() }, { session: tx });
    },
    pending: async () => {
      const found = await deletions.find().toArray();
      return found.sort((a, b) => a.deleted_at.getTime() - b.deleted_at.getTime()).map(({ _id }) => _id);
    },
    forget: async (_id) => {
      await deletions.deleteOne({ _id });
    },
  };
}
