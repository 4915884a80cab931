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
 * Removes a user with all keys, sessions and invites of the user, in a transaction that changes rights.
 *
 * @throws AppError `last_owner`
 */
export type RemoveUser = (user: UserDocument, tx: ClientSession) => Promise<"removed" | "conflict">;

export interface RemoveUserOptions {
  readonly users: Pick<UserStore, "remove" | "countOwners">;
  readonly keys: Pick<KeyStore, "removeAllOf">;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly invites: Pick<InviteStore, "removeAllOf">;
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
    for (const belongings of [keys, sessions, invites]) await belongings.removeAllOf(user, tx);
    return "removed";
  };
}
