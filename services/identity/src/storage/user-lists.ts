import type { Document } from "mongodb";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import type { Database } from "./database.js";
import type { Documents } from "./documents.js";
import { reaching } from "../model/reaching.rules.js";
import { type Rows, storedList, type StoredList } from "./pages.js";
import { inOrganization, userIn } from "../model/memberships.rules.js";
import type { UserDocument } from "../model/user.js";

export interface UserQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  /** Only users with access to this network. */
  readonly network_id?: string | undefined;
}

/** A user as visible to the organization, without memberships elsewhere. */
export type ListedUser = Omit<UserDocument, "other_memberships" | "last_organization_id">;

export interface UserLists {
  list(organizationId: string, query: UserQuery): StoredList<ListedUser>;
  findMany(organizationId: string, ids: readonly string[]): Promise<UserDocument[]>;
  /** Users with access to a network. */
  listIds(organizationId: string, networkId: string): Promise<string[]>;
}

export function createUserLists(
  { collection: users, understood }: Documents<UserDocument>,
  share: Database["share"],
): UserLists {
  /** Users whose document names the organization come from its indexes; the few others are merged in. */
  const rowsOf = (organizationId: string, { ids, network_id }: UserQuery): Rows<UserDocument> => {
    const those = ids.length > 0 ? { _id: { $in: ids } } : {};
    const rights = network_id === undefined ? {} : reaching(network_id);
    return {
      read: (behind, { sort, skip, most }) => {
        const first: Document[] = [{ $match: { ...those, ...behind } }, { $sort: sort }, { $limit: skip + most }];
        const there = { organization_id: organizationId, ...rights };
        const others = [
          { $match: { ...those, other_memberships: { $elemMatch: there } } },
          { $replaceWith: { $mergeObjects: ["$$ROOT", membershipExpression(organizationId)] } },
        ];
        const merged = [
          { $match: there },
          ...first,
          { $unionWith: { coll: "users", pipeline: [...others, ...first] } },
        ];
        const page = [{ $sort: sort }, { $skip: skip }, { $limit: most }, { $unset: "other_memberships" }];
        return users.aggregate<UserDocument>([...merged, ...page]).toArray();
      },
      count: () => users.countDocuments({ ...those, ...inOrganization(organizationId, rights) }),
    };
  };

  return {
    list: (organizationId, query) => {
      const source = { rows: rowsOf(organizationId, query), share, understood };
      return storedList(source, { name: "User", organizationId }, query);
    },
    findMany: async (organizationId, ids) => {
      const those = { _id: { $in: [...ids] }, ...inOrganization(organizationId) };
      const found = await share(organizationId, () => users.find<UserDocument>(those).toArray());
      return found.flatMap((user) => userIn(understood(user), organizationId) ?? []);
    },
    listIds: async (organizationId, networkId) => {
      const those = inOrganization(organizationId, reaching(networkId));
      const found = await share(organizationId, () => users.find(those, { projection: { _id: 1 } }).toArray());
      return found.map(({ _id }) => _id);
    },
  };
}

/** A membership in an organization other than the one named by the document. */
function membershipExpression(organizationId: string): Document {
  const cond = { $eq: ["$$this.organization_id", organizationId] };
  return { $first: { $filter: { input: "$other_memberships", cond } } };
}
