import { BACKGROUND } from "@nts/shared/work";
import { isGuarded, type UserDocument } from "../model/user.js";
import type { ResetSecondFactor } from "../flows/second-factor/reset.js";
import type { UserStore } from "../storage/users.js";
import { AdminProblem } from "./problem.js";

export interface ResetSecondFactorOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly reset: ResetSecondFactor;
}

/**
 * Removes the second factor of a user who lost device and recovery codes. Once it returns, all sessions of the user
 * have ended on every gateway.
 *
 * @param email lower case
 * @throws AdminProblem if there is no such user, or no second factor
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
