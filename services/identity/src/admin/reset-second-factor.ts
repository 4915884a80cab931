import { BACKGROUND } from "@nts/shared/work";
import { isGuarded } from "../second-factor/factor.js";
import type { ResetSecondFactor } from "../second-factor/reset.js";
import type { UserStore } from "../users/store.js";
import type { UserDocument } from "../users/user.js";
import { AdminProblem } from "./problem.js";

export interface ResetSecondFactorOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly reset: ResetSecondFactor;
}

/**
 * Takes the second factor of a user away, who has lost the device and the recovery codes; when it is done, every session of the user
 * has ended on every gateway, and the password is enough.
 *
 * @param email lower case
 * @throws AdminProblem when there is no such user, or no second factor
 */
export async function resetSecondFactor(
  { users, reset }: ResetSecondFactorOptions,
  email: string,
): Promise<UserDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  if (!isGuarded(user)) throw new AdminProblem(`${email} has no second factor.`);
  if (!(await reset(BACKGROUND, user))) throw new AdminProblem("The user was changed in the meantime; try again.");
  return user;
}
