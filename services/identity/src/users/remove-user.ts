import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { InviteStore } from "../invites/store.js";
import type { KeyStore } from "../keys/store.js";
import type { SessionStore } from "../sessions/store.js";
import type { UserStore } from "./store.js";
import type { UserDocument } from "./user.js";

/**
 * To be called in the transaction of a change, after it: all changes of rights run one after another, so none comes between.
 *
 * @param before the user who was changed
 * @throws AppError `last_owner`
 */
export type RequireAnOwner = (before: UserDocument, tx: ClientSession) => Promise<void>;

/**
 * Removes a user from an organization, with all keys, sessions and invites that the user has there, in a transaction that changes
 * rights. Of other organizations nothing ends; an account that is in none has ended with it.
 *
 * @throws AppError `last_owner`
 */
export type RemoveUser = (user: UserDocument, tx: ClientSession) => Promise<"removed" | "conflict">;

/**
 * Ends an account with everything that it has in all of its organizations, in a transaction that changes rights.
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
