import type { ClientSession, Collection, Condition, Db, Filter } from "mongodb";
import { type Documents, type Formed, type Forms, openDocuments, without } from "./documents.js";
import type { KeyDocument } from "../model/key.rules.js";
import type { Membership } from "../model/user.js";

// Users, API keys and invites hold lists of networks.

/** A document with networks, in its organization or, of a user, in others. */
export type Holder = Formed &
  Partial<Pick<KeyDocument, "organization_id" | "network_ids">> & { readonly other_memberships?: Membership[] };

/** Networks that no longer exist. */
export interface ForgottenNetworks {
  readonly organizationId: string;
  readonly networkIds: readonly string[];
  readonly now: Date;
}

/** The holders in one place. */
export interface Holders {
  readonly collection: Collection<Holder>;
  /** All of an organization. */
  of(organizationId: string): Filter<Holder>;
  /** Those with networks that meet a condition. */
  naming(organizationId: string, networks: Condition<string[]>): Filter<Holder>;
  /** Their networks in an organization. */
  networksOf(holder: Holder, organizationId: string): readonly string[];
  /** Removes networks. @returns the number of changed holders */
  forget(filter: Filter<Holder>, those: ForgottenNetworks, tx: ClientSession): Promise<number>;
}

export function openHolders(db: Db, forms?: Forms): readonly Holders[] {
  const kinds = ["users", "api_keys", "invites"] as const;
  const named = kinds.map((kind) => holdersNaming(openDocuments(db, kind, forms) as unknown as Documents<Holder>));
  return [...named, holdersElsewhere(db)];
}

function holdersNaming({ collection, changing }: Documents<Holder>): Holders {
  return {
    collection,
    of: (organization_id) => ({ organization_id }),
    naming: (organization_id, network_ids) => ({ organization_id, network_ids }),
    networksOf: ({ network_ids }) => network_ids ?? [],
    forget: async (filter, { networkIds, now }, tx) => {
      const members = { network_ids: without("network_ids", networkIds) };
      return (await collection.updateMany(filter, changing(members, now), { session: tx })).modifiedCount;
    },
  };
}

/** Users whose account names another organization. */
function holdersElsewhere(db: Db): Holders {
  const collection = db.collection<Holder>("users");
  return {
    collection,
    of: (organizationId) => ({ "other_memberships.organization_id": organizationId }),
    naming: (organization_id, network_ids) => ({ other_memberships: { $elemMatch: { organization_id, network_ids } } }),
    networksOf: ({ other_memberships = [] }, organizationId) =>
      other_memberships.find(({ organization_id }) => organization_id === organizationId)?.network_ids ?? [],
    forget: async (filter, { organizationId, networkIds, now }, tx) => {
      const membership = "other_memberships.$[membership]";
      const update = {
        $pull: { [`${membership}.network_ids`]: { $in: networkIds } },
        $inc: { [`${membership}.revision`]: 1 },
        $max: { [`${membership}.updated_at`]: now },
      } as object;
      const arrayFilters = [{ "membership.organization_id": organizationId }];
      return (await collection.updateMany(filter, update, { arrayFilters, session: tx })).modifiedCount;
    },
  };
}
