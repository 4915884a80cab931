import { changePassword } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Guess } from "../logins/guess.js";
import type { ChangePassword } from "./change-password.js";
import type { Passwords } from "./passwords.js";
import type { UserStore } from "./store.js";

export interface PasswordRoutes {
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly guess: Guess;
  readonly change: ChangePassword;
}

export function mountPasswords(router: Router, { users, passwords, guess, change }: PasswordRoutes): void {
  mount(router, changePassword, async ({ principal, scope, body, clientAddress }) => {
    const { current_password, new_password } = body;
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    const check = () => passwords.matches(user.password_hash, current_password);
    const isRight = await guess(user.email, clientAddress, check);
    if (!isRight || !(await change(user, new_password, principal.credentialId)))
      throw new AppError("invalid_credentials");
    return answer.data(null);
  });
}
