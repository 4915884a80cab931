import type { ChangeRights } from "../key-changes/change-rights.js";
import type { SessionStore } from "../sessions/store.js";
import type { Passwords } from "./passwords.js";
import type { UserStore } from "./store.js";
import type { UserDocument } from "./user.js";

/**
 * Gives a user another password and ends the user's sessions, but for the one that is kept. No session begins with the
 * old password afterwards, not even one whose login is under way.
 *
 * @param keptSession id of a session; null to end all
 * @returns false when the user has been removed, or has got another password, since it was read
 */
export type ChangePassword = (user: UserDocument, password: string, keptSession: string | null) => Promise<boolean>;

export interface ChangePasswordOptions {
  readonly users: Pick<UserStore, "replacePassword">;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly changeRights: ChangeRights;
}

export function createChangePassword(options: ChangePasswordOptions): ChangePassword {
  const { users, sessions, passwords, changeRights } = options;
  return async (user, password, keptSession) => {
    const passwordHash = await passwords.hash(password);
    const changed = await changeRights([user._id], async (transaction) => {
      if (!(await users.replacePassword(user, passwordHash, transaction))) return null;
      await sessions.removeAllOf(user._id, transaction, keptSession);
      return true;
    });
    return changed !== null;
  };
}
