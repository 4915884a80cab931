import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../rights/change-rights.js";
import type { SessionStore } from "../storage/sessions.js";
import type { UserStore } from "../storage/users.js";
import { isDisabled, type UserDocument } from "../model/user.js";
import { membershipsOf } from "../model/memberships.rules.js";
import { endedMaker, type EndedMakers } from "../storage/ended-webhook-makers.js";
import { AdminProblem } from "./problem.js";

export interface DisableUserOptions {
  readonly users: Pick<UserStore, "findByEmail" | "disable">;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly endedMakers: Pick<EndedMakers, "insert">;
  readonly changeRights: ChangeRights;
}

/**
 * Disables or re-enables an account. Once it returns, the sessions of a disabled user have ended on every gateway and
 * the API keys are rejected; webhooks that the user made are paused within seconds, and nothing else changes.
 *
 * @param email lower case
 * @throws AdminProblem if there is no such user, or nothing to change
 */
export async function disableUser(
  { users, sessions, endedMakers, changeRights }: DisableUserOptions,
  email: string,
  disabled: boolean,
): Promise<UserDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  if (isDisabled(user) === disabled) throw new AdminProblem(`${email} is ${disabled ? "disabled" : "not disabled"}.`);
  const saved = await changeRights(BACKGROUND, [user._id], async (tx) => {
    const updated = await users.disable(user, disabled ? new Date() : null, tx);
    if (updated === "conflict" || !disabled) return updated;
    await sessions.removeAllOf(user, tx);
    for (const { organization_id } of membershipsOf(updated))
      await endedMakers.insert(endedMaker({ _id: user._id, organization_id }, "user_disabled"), tx);
    return updated;
  });
  if (saved === "conflict") throw new AdminProblem("The user was changed in the meantime; try again.");
  return saved;
}
