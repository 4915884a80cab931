import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { InviteStore } from "../invites/store.js";
import type { KeyStore } from "../keys/store.js";
import type { SessionStore } from "../sessions/store.js";
import type { UserStore } from "./store.js";
import type { UserDocument } from "./user.js";

/**
 * To be called in the transaction after the change: changes of rights are serialized.
 *
 * @param before the user before the change
 * @throws AppError `last_owner`
 */
export type RequireAnOwner = (before: UserDocument, tx: ClientSession) => Promise<void>;

/**
 * Removes a user from an organization with all keys, sessions and invites there, in a rights transaction. Other
 * organizations are unaffected; without any, the account is deleted.
 *
 * @throws AppError `last_owner`
 */
export type RemoveUser = (user: UserDocument, tx: ClientSession) => Promise<"removed" | "conflict">;

/**
 * Deletes an account with everything it has in all organizations, in a rights transaction.
 *
 * @throws AppError `last_owner` of any of them
 */
export type RemoveAccount = RemoveUser;

type Removals = "removeAllOf" | "removeAllIn";

export interface RemoveUserOptions {
  readonly users: Pick<UserStore, "remove" | "removeAccount" | "countOwners">;
  readonly keys: Pick<KeyStore, Removals>;
  readonly sessions: Pick<SessionStore, Removals>;
  readonly invites: Pick<InviteStore, Removals>;
}

export function createRequireAnOwner(users: Pick<UserStore, "countOwners">): RequireAnOwner {
  return async (before, tx) => {
    if (before.permissions !== "Owner") return;
    if ((await users.countOwners(before.organization_id, tx)) === 0) throw new AppError("last_owner");
  };
}

export function createRemoveUser({ users, keys, sessions, invites }: RemoveUserOptions): RemoveUser {
  const requireAnOwner = createRequireAnOwner(users);
  return async (user, tx) => {
    if ((await users.remove(user, tx)) === "conflict") return "conflict";
    await requireAnOwner(user, tx);
    for (const belongings of [keys, sessions, invites]) await belongings.removeAllIn(user, tx);
    return "removed";
  };
}

export function createRemoveAccount({ users, keys, sessions, invites }: RemoveUserOptions): RemoveAccount {
  const requireAnOwner = createRequireAnOwner(users);
  return async (user, tx) => {
    const ended = await users.removeAccount(user._id, tx);
    if (ended.length === 0) return "conflict";
    for (const one of ended) await requireAnOwner(one, tx);
    for (const belongings of [keys, sessions, invites]) await belongings.removeAllOf(user, tx);
    return "removed";
  };
}
