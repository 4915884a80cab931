import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { LoginFailureStore } from "../logins/store.js";
import { accountOfCodes, isGuarded } from "../second-factor/factor.js";
import type { SecondFactorStore } from "../second-factor/store.js";
import type { SessionStore } from "../sessions/store.js";
import type { UserStore } from "../users/store.js";
import type { UserDocument } from "../users/user.js";
import { AdminProblem } from "./problem.js";

export interface ResetSecondFactorOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly factors: Pick<SecondFactorStore, "disable">;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly failures: Pick<LoginFailureStore, "removeAllOf">;
  readonly changeRights: ChangeRights;
}

/**
 * Takes the second factor of a user away, who has lost the device and the recovery codes; when it is done, every session of the user
 * has ended on every gateway, and the password is enough.
 *
 * @param email lower case
 * @throws AdminProblem when there is no such user, or no second factor
 */
export async function resetSecondFactor(
  { users, factors, sessions, failures, changeRights }: ResetSecondFactorOptions,
  email: string,
): Promise<UserDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  if (!isGuarded(user)) throw new AdminProblem(`${email} has no second factor.`);
  const done = await changeRights(BACKGROUND, [user._id], async (tx) => {
    if (!(await factors.disable(user, tx))) return "conflict";
    await sessions.removeAllOf(user, tx);
    return "done";
  });
  if (done === "conflict") throw new AdminProblem("The user was changed in the meantime; try again.");
  await failures.removeAllOf(accountOfCodes(user));
  return user;
}
