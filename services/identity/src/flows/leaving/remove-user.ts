import type { ClientSession } from "mongodb";
import type { InviteStore } from "../../storage/invites.js";
import type { KeyStore } from "../../storage/api-keys.js";
import type { SessionStore } from "../../storage/sessions.js";
import { endedMaker, type EndedMakers } from "../../storage/ended-webhook-makers.js";
import { createRequireAnOwner } from "../../rights/last-owner.js";
import type { UserStore } from "../../storage/users.js";
import type { UserDocument } from "../../model/user.js";

/**
 * Removes a user from an organization with all keys, sessions and invites there, in a rights transaction. Other
 * organizations are unaffected; without any, the account is deleted. The user's webhooks are to be paused.
 *
 * @param keeping the user's webhooks, if they are not to be paused
 * @throws AppError `last_owner`
 */
export type RemoveUser = (
  user: UserDocument,
  tx: ClientSession,
  keeping?: { readonly webhooks: boolean },
) => Promise<"removed" | "conflict">;

/**
 * Deletes an account with everything it has in all organizations, in a rights transaction.
 *
 * @throws AppError `last_owner` of any of them
 */
export type RemoveAccount = (user: UserDocument, tx: ClientSession) => Promise<"removed" | "conflict">;

type Removals = "removeAllOf" | "removeAllIn";

export interface RemoveUserOptions {
  readonly users: Pick<UserStore, "remove" | "removeAccount" | "countOwners">;
  readonly keys: Pick<KeyStore, Removals>;
  readonly sessions: Pick<SessionStore, Removals>;
  readonly invites: Pick<InviteStore, Removals>;
  readonly endedMakers: Pick<EndedMakers, "insert">;
}

export function createRemoveUser({ users, keys, sessions, invites, endedMakers }: RemoveUserOptions): RemoveUser {
  const requireAnOwner = createRequireAnOwner(users);
  return async (user, tx, keeping = { webhooks: false }) => {
    if ((await users.remove(user, tx)) === "conflict") return "conflict";
    await requireAnOwner(user, tx);
    for (const belongings of [keys, sessions, invites]) await belongings.removeAllIn(user, tx);
    if (!keeping.webhooks) await endedMakers.insert(endedMaker(user, "user_removed"), tx);
    return "removed";
  };
}

export function createRemoveAccount(options: RemoveUserOptions): RemoveAccount {
  const { users, keys, sessions, invites, endedMakers } = options;
  const requireAnOwner = createRequireAnOwner(users);
  return async (user, tx) => {
    const ended = await users.removeAccount(user._id, tx);
    if (ended.length === 0) return "conflict";
    for (const one of ended) await requireAnOwner(one, tx);
    for (const one of ended) await endedMakers.insert(endedMaker(one, "user_removed"), tx);
    for (const belongings of [keys, sessions, invites]) await belongings.removeAllOf(user, tx);
    return "removed";
  };
}
