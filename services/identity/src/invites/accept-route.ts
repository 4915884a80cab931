import { acceptInvite } from "@nts/shared/contract/invites";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { OrganizationStore } from "../organizations/store.js";
import type { Joining } from "../registrations/joining.js";
import type { ShownBy } from "../sessions/shown.js";
import type { SessionStore } from "../sessions/store.js";
import { MOST_ORGANIZATIONS } from "../users/memberships.rules.js";
import type { UserStore } from "../users/store.js";

export interface AcceptRoute {
  readonly users: Pick<UserStore, "find" | "join">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly organizations: Pick<OrganizationStore, "find">;
  readonly joining: Joining;
  readonly shownBy: ShownBy;
  readonly transaction: RunTransaction;
}

/** The operation by which somebody who has an account joins another organization. */
export function mountAcceptance(router: Router, routes: AcceptRoute): void {
  const { users, sessions, organizations, joining, shownBy, transaction } = routes;

  mount(router, acceptInvite, async ({ principal: { userId, credentialId }, scope, body, work }) => {
    const hash = hashCredential(body.token);
    const { organization_id } = await joining.find(hash, new Date(), "token");
    const user = await users.find(scope.organizationId, userId);
    const session = await sessions.find(scope.organizationId, userId, credentialId);
    if (user === null || session === null) throw new AppError("session_expired");
    // Whom a provider lets into one organization only could not go on in another one.
    if (shownBy(session, user).provider === "bound") throw new AppError("provider_bound");
    const joined = await transaction(work, [`user:${userId}`, `invite:${hash}`], async (tx) => {
      const now = new Date();
      const { permissions, network_ids } = await joining.take(hash, now, tx, "token");
      const begun = { created_at: now, updated_at: now, revision: 1 };
      const made = await users.join(userId, { organization_id, permissions, network_ids, ...begun }, tx);
      if (made === "gone") throw new AppError("session_expired");
      if (made === "member") throw new AppError("already_exists", { entity: "User", field: "organization_id" });
      if (made === "full") throw new AppError("quota_exceeded", { entity: "Organization", limit: MOST_ORGANIZATIONS });
      return made;
    });
    const name = (await organizations.find(organization_id))?.name ?? "";
    return answer.data({ id: organization_id, name, permissions: joined.permissions }, { revision: joined.revision });
  });
}
