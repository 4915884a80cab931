import type { ClientSession } from "mongodb";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { SessionDocument } from "../sessions/session.js";
import type { SessionStore } from "../sessions/store.js";
import type { Passwords } from "./passwords.js";
import type { UserStore } from "./store.js";
import type { UserDocument } from "./user.js";

/**
 * Gives a user another password and ends all of the user's sessions. No session begins with the old password afterwards,
 * not even one whose login is under way.
 *
 * @param more `next`: a session that begins with the change; `also`: what is written before it, which answers the user
 *   as that leaves it, or null to undo all of it
 * @returns false when the user has been removed, or has got another password, since it was read
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
    const passwordHash = await passwords.hash(password);
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
