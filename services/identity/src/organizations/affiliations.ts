import { membershipsOf, userIn } from "../users/memberships.rules.js";
import type { UserDocument } from "../users/user.js";
import type { OrganizationDocument } from "./organization.js";
import type { OrganizationStore } from "./store.js";

/** An organization, and an account as the user of it. */
export interface Affiliation {
  readonly user: UserDocument;
  readonly organization: OrganizationDocument;
}

/** The organizations of an account that are not deleted: first the one as whose user it is given. */
export type AffiliationsOf = (user: UserDocument) => Promise<Affiliation[]>;

export function createAffiliationsOf(organizations: Pick<OrganizationStore, "findMany">): AffiliationsOf {
  return async (account) => {
    const ids = membershipsOf(account).map(({ organization_id }) => organization_id);
    const found = await organizations.findMany(account.organization_id, ids);
    return ids.flatMap((id) => {
      const user = userIn(account, id);
      const organization = found.find(({ _id }) => _id === id);
      return user === null || organization === undefined ? [] : [{ user, organization }];
    });
  };
}
