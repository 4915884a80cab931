import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { LoginFailureStore } from "../../storage/login-failures.js";
import type { SessionStore } from "../../storage/sessions.js";
import { accountOfCodes } from "../../model/second-factor.js";
import type { GuardedUser } from "../../model/user.js";
import type { SecondFactorStore } from "../../storage/second-factors.js";

/**
 * Removes another user's second factor. Once it resolves, all sessions of the user have ended on every gateway.
 *
 * @returns false if the user was modified concurrently
 */
export type ResetSecondFactor = (work: Work, user: GuardedUser) => Promise<boolean>;

export interface ResetSecondFactorOptions {
  readonly factors: Pick<SecondFactorStore, "disable">;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly failures: Pick<LoginFailureStore, "removeAllOf">;
  readonly changeRights: ChangeRights;
}

export function createResetSecondFactor(options: ResetSecondFactorOptions): ResetSecondFactor {
  const { factors, sessions, failures, changeRights } = options;
  return async (work, user) => {
    const done = await changeRights(work, [user._id], async (tx) => {
      if (!(await factors.disable(user, tx))) return "conflict";
      await sessions.removeAllOf(user, tx);
      return "done";
    });
    if (done === "conflict") return false;
    await failures.removeAllOf(accountOfCodes(user));
    return true;
  };
}
