import { changePassword } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { OrganizationStore } from "../storage/organizations.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import { placeOf } from "../flows/sign-in/sign-in-place.js";
import { startSession } from "../flows/sign-in/start-session.js";
import type { SessionStore } from "../storage/sessions.js";
import type { ChangePassword } from "../flows/recovery/change-password.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import type { RequireStrongPassword } from "../secrets/strength.js";

export interface PasswordRoutes {
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly requireStrong: RequireStrongPassword;
  readonly confirmCaller: ConfirmCaller;
  readonly change: ChangePassword;
  readonly cookies: SessionCookies;
}

export function mountPasswords(router: Router, routes: PasswordRoutes): void {
  const { organizations, sessions, requireStrong, confirmCaller, change, cookies } = routes;

  mount(router, changePassword, async (call) => {
    const { scope, body, work } = call;
    const { current_password, new_password } = body;
    const user = await confirmCaller(call, current_password);
    const { name } = await organizations.get(scope.organizationId);
    await requireStrong(
      work,
      { path: "new_password", password: new_password },
      { email: user.email, organization: name },
    );
    const { token, session } = startSession(user, new Date(), placeOf(call));
    const {
      principal: { credentialId, userId },
    } = call;
    const before = await sessions.find(scope.organizationId, userId, credentialId);
    const next = { ...session, ...(before?.provider && { provider: before.provider }) };
    if (!(await change(work, user, new_password, { next }))) throw new AppError("invalid_credentials");
    return respond.data(null, { headers: { "set-cookie": cookies.carrying(token) } });
  });
}
