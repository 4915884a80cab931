import { acceptInvite, previewInvite } from "@nts/shared/contract/invites";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { VerifiedAddresses } from "../storage/verified-addresses.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { Joining } from "../flows/registration/joining.js";
import type { SignInProofOf } from "../model/sign-in-proof.js";
import type { SessionStore } from "../storage/sessions.js";
import { MOST_ORGANIZATIONS } from "../model/memberships.rules.js";
import type { UserStore } from "../storage/users.js";
import { provesAddress } from "../model/invite.rules.js";

export interface AcceptRoute {
  readonly users: Pick<UserStore, "find" | "join">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly organizations: Pick<OrganizationStore, "find">;
  readonly addresses: Pick<VerifiedAddresses, "verify">;
  readonly joining: Joining;
  readonly signInProofOf: SignInProofOf;
  readonly transaction: RunTransaction;
}

/** Operations to preview an invite and to accept it with an existing account. */
export function mountAcceptance(router: Router, routes: AcceptRoute): void {
  const { users, sessions, organizations, addresses, joining, signInProofOf, transaction } = routes;

  mountAny(router, previewInvite, async ({ body }) => {
    const invite = await joining.find(hashCredential(body.token), new Date(), "token");
    const organization = await organizations.find(invite.organization_id);
    if (organization === null) throw new AppError("invalid_reference", { path: "token" });
    const { permissions, email = null, expires_at } = invite;
    return respond.data({
      ...{ organization_name: organization.name, permissions, email },
      expires_at: expires_at.toISOString(),
    });
  });

  mount(router, acceptInvite, async ({ principal: { userId, credentialId }, scope, body, work }) => {
    const hash = hashCredential(body.token);
    const { organization_id } = await joining.find(hash, new Date(), "token");
    const user = await users.find(scope.organizationId, userId);
    const session = await sessions.find(scope.organizationId, userId, credentialId);
    if (user === null || session === null) throw new AppError("session_expired");
    // A provider for a single organization does not authenticate for another one.
    if (signInProofOf(session, user).provider === "bound") throw new AppError("provider_bound");
    const joined = await transaction(work, [`user:${userId}`, `invite:${hash}`], async (tx) => {
      const now = new Date();
      const invite = await joining.take(hash, now, tx, "token");
      const { permissions, network_ids } = invite;
      // Before the account joins, so that the organization sees the user as of now.
      if (user.email_verified !== true && provesAddress(invite, hash, user.email)) await addresses.verify(user, tx);
      const initial = { created_at: now, updated_at: now, revision: 1 };
      const made = await users.join(userId, { organization_id, permissions, network_ids, ...initial }, tx);
      if (made === "missing") throw new AppError("session_expired");
      if (made === "member") throw new AppError("already_exists", { entity: "User", field: "organization_id" });
      if (made === "full") throw new AppError("quota_exceeded", { entity: "Organization", limit: MOST_ORGANIZATIONS });
      return made;
    });
    const name = (await organizations.find(organization_id))?.name ?? "";
    return respond.data({ id: organization_id, name, permissions: joined.permissions }, { revision: joined.revision });
  });
}
