import { listIdentities, unlinkProvider } from "@nts/shared/contract/providers";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { ChangeRights } from "../rights/change-rights.js";
import { admitsPasswords } from "../model/organization.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import type { SessionStore } from "../storage/sessions.js";
import type { UserStore } from "../storage/users.js";
import type { UserDocument } from "../model/user.js";
import type { IdentityStore } from "../storage/linked-identities.js";
import { identitiesResponse } from "../model/linked-identity.rules.js";
import type { Providers } from "../flows/providers/providers.js";
import { createUnlink } from "../flows/providers/unlink.js";

export interface OwnIdentityRoutes {
  readonly providers: Providers;
  readonly users: Pick<UserStore, "find">;
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly identities: Pick<IdentityStore, "unlink">;
  readonly sessions: Pick<SessionStore, "idsStartedBy" | "removeMany">;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly cookies: SessionCookies;
}

/** Operations on one's own linked provider accounts. */
export function mountOwnIdentities(router: Router, routes: OwnIdentityRoutes): void {
  const { providers, users, organizations, requireConfirmed, cookies } = routes;
  const unlink = createUnlink(routes);

  mount(router, listIdentities, async ({ principal }) => {
    const { identities = [], passwordless } = await userOf(principal);
    const has_password = passwordless !== true;
    return respond.data({ identities: identitiesResponse(identities, providers.names), has_password });
  });

  mount(router, unlinkProvider, async ({ principal, params, sessionHashes, work }) => {
    const user = await userOf(principal);
    const { identities = [], passwordless } = user;
    const identity = identities.find(({ provider }) => provider === params.provider);
    if (identity === undefined) throw new AppError("not_found", { entity: "Identity" });
    await requireConfirmed(principal);
    const isNeeded = passwordless === true || !admitsPasswords(await organizations.get(user.organization_id));
    if (isNeeded && identities.length === 1) throw new AppError("last_sign_in");
    const ended = await unlink(work, user, identity);
    const isOwn = ended.includes(principal.credentialId);
    return respond.data(
      null,
      isOwn ? { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } } : {},
    );
  });

  /** @throws AppError `session_expired` */
  async function userOf({ userId, scope }: UserPrincipal): Promise<UserDocument> {
    const user = await users.find(scope.organizationId, userId);
    if (user === null) throw new AppError("session_expired");
    return user;
  }
}
