import type { ClientSession } from "mongodb";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import type { InviteStore } from "../storage/invites.js";
import { endedMaker, type EndedMakers } from "../storage/ended-webhook-makers.js";
import type { UserRights } from "../model/user-changes.rules.js";
import { createRequireAnOwner } from "./last-owner.js";
import type { UserStore } from "../storage/users.js";
import type { UserDocument } from "../model/user.js";

/**
 * Changes a user's level or networks in a rights transaction; invites above the new level end, and below Admin,
 * webhooks are to be paused.
 *
 * @throws AppError `last_owner`
 */
export type ApplyRights = (
  current: UserDocument,
  changes: Partial<UserRights>,
  tx: ClientSession,
) => Promise<UserDocument | "conflict">;

export function createApplyRights(
  users: Pick<UserStore, "update" | "countOwners">,
  invites: Pick<InviteStore, "removeBeyond">,
  endedMakers: Pick<EndedMakers, "insert">,
): ApplyRights {
  const requireAnOwner = createRequireAnOwner(users);
  return async (current, changes, tx) => {
    const updated = await users.update(current, changes, tx);
    if (updated === "conflict") return "conflict";
    await requireAnOwner(current, tx);
    await invites.removeBeyond(current, updated.permissions, tx);
    if (isAtLeast(current.permissions, "Admin") && !isAtLeast(updated.permissions, "Admin"))
      await endedMakers.insert(endedMaker(current, "user_demoted"), tx);
    return updated;
  };
}
