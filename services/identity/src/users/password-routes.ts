import { changePassword } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { FailedLogins } from "../audit/failed-logins.js";
import type { Guess } from "../logins/guess.js";
import type { OrganizationStore } from "../organizations/store.js";
import type { SessionCookies } from "../sessions/cookie.js";
import { placeOf } from "../sessions/place.js";
import { startSession } from "../sessions/start.js";
import type { ChangePassword } from "./change-password.js";
import type { Passwords } from "./passwords.js";
import type { RequireStrongPassword } from "./strength.js";
import type { UserStore } from "./store.js";

export interface PasswordRoutes {
  readonly users: UserStore;
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly passwords: Passwords;
  readonly requireStrong: RequireStrongPassword;
  readonly guess: Guess;
  readonly failedLogins: FailedLogins;
  readonly change: ChangePassword;
  readonly cookies: SessionCookies;
}

export function mountPasswords(router: Router, routes: PasswordRoutes): void {
  const { users, organizations, passwords, requireStrong, guess, failedLogins, change, cookies } = routes;

  mount(router, changePassword, async (call) => {
    const { principal, scope, body, clientAddress, work } = call;
    const { current_password, new_password } = body;
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    const check = () => passwords.matches(user.password_hash, current_password);
    const failures = await guess(user.email, clientAddress, check);
    if (failures > 0) {
      failedLogins.note(user, failures, work);
      throw new AppError("invalid_credentials");
    }
    const { name } = await organizations.get(scope.organizationId);
    await requireStrong("new_password", new_password, { email: user.email, organization: name });
    const { token, session } = startSession(user, new Date(), placeOf(call));
    if (!(await change(work, user, new_password, session))) throw new AppError("invalid_credentials");
    return answer.data(null, { headers: { "set-cookie": cookies.carrying(token) } });
  });
}
