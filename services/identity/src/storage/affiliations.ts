import { membershipsOf, userIn } from "../model/memberships.rules.js";
import type { UserDocument } from "../model/user.js";
import type { OrganizationDocument } from "../model/organization.js";
import type { OrganizationStore } from "./organizations.js";

/** An organization, and an account as its user. */
export interface Affiliation {
  readonly user: UserDocument;
  readonly organization: OrganizationDocument;
}

/** The existing organizations of an account, starting with that of the given user. */
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
