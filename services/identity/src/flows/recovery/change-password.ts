import type { ClientSession } from "mongodb";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { SessionDocument } from "../../model/session.js";
import type { SessionStore } from "../../storage/sessions.js";
import type { Passwords } from "../../secrets/passwords.js";
import type { UserStore } from "../../storage/users.js";
import type { UserDocument } from "../../model/user.js";

/**
 * Changes a user's password and ends all sessions. Afterwards no session starts with the old password, not even a
 * pending login.
 *
 * @param more `next`: a session started with the change; `also`: written before it; returns the resulting user, or null to
 * roll back
 * @returns false if the user was removed, or the password changed, since it was read
 */
export type ChangePassword = (
  work: Work,
  user: UserDocument,
  password: string,
  more?: { readonly next?: SessionDocument; readonly also?: (tx: ClientSession) => Promise<UserDocument | null> },
) => Promise<boolean>;

export interface ChangePasswordOptions {
  readonly users: Pick<UserStore, "replacePassword">;
  readonly sessions: Pick<SessionStore, "removeAllOf" | "insert">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly changeRights: ChangeRights;
}

export function createChangePassword(options: ChangePasswordOptions): ChangePassword {
  const { users, sessions, passwords, changeRights } = options;
  return async (work, user, password, { next, also = () => Promise.resolve(user) } = {}) => {
    const passwordHash = await passwords.hash(password, work);
    const changed = await changeRights(work, [user._id], async (tx) => {
      const current = await also(tx);
      if (current === null || !(await users.replacePassword(current, passwordHash, tx))) return "conflict";
      await sessions.removeAllOf(user, tx);
      if (next !== undefined) await sessions.insert(next, user, tx);
      return "changed";
    });
    return changed === "changed";
  };
}
