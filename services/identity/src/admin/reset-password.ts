import { BACKGROUND } from "@nts/shared/work";
import type { LoginFailureStore } from "../storage/login-failures.js";
import type { ChangePassword } from "../flows/recovery/change-password.js";
import type { UserStore } from "../storage/users.js";
import type { UserDocument } from "../model/user.js";
import { AdminProblem } from "./problem.js";

export interface ResetPasswordOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly failures: Pick<LoginFailureStore, "removeAllOf">;
  readonly change: ChangePassword;
}

/**
 * Sets a user's password. Once it returns, all sessions of the user have ended on every gateway.
 *
 * @param email lower case
 * @throws AdminProblem if there is no such user
 */
export async function resetPassword(
  { users, failures, change }: ResetPasswordOptions,
  email: string,
  password: string,
): Promise<UserDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  if (!(await change(BACKGROUND, user, password)))
    throw new AdminProblem("The user was removed or changed the password in the meantime; try again.");
  await failures.removeAllOf(email);
  return user;
}
