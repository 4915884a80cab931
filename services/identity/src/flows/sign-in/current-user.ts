import type { CurrentUser } from "@nts/shared/contract/users";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { AffiliationsOf } from "../../storage/affiliations.js";
import { networksOf } from "../../model/scopes.rules.js";
import type { TopologyDirectory } from "../../topology/directory.js";
import { userResponse, type UserDocument } from "../../model/user.js";

/** The current user as returned, with all organizations of the account in order of joining. */
export type ReadCurrentUser = (user: UserDocument, cause: ParentRequest) => Promise<CurrentUser>;

export function createReadCurrentUser(
  affiliationsOf: AffiliationsOf,
  topology: Pick<TopologyDirectory, "networksIn">,
): ReadCurrentUser {
  return async (user, cause) => {
    const scope = { organizationId: user.organization_id, networks: networksOf(user) };
    const [networkIds, affiliations] = await Promise.all([topology.networksIn(scope, cause), affiliationsOf(user)]);
    const organizations = affiliations
      .sort((a, b) => a.user.created_at.getTime() - b.user.created_at.getTime())
      .map(({ organization: { _id, name }, user: { permissions } }) => ({ id: _id, name, permissions }));
    return { ...userResponse(user, networkIds), organizations };
  };
}
