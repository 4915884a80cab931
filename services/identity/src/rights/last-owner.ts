import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { UserStore } from "../storage/users.js";
import type { UserDocument } from "../model/user.js";

/**
 * Requires that the organization still has an Owner. To be called in the transaction after the change: changes of rights are serialized.
 *
 * @param before the user before the change
 * @throws AppError `last_owner`
 */
export type RequireAnOwner = (before: UserDocument, tx: ClientSession) => Promise<void>;

export function createRequireAnOwner(users: Pick<UserStore, "countOwners">): RequireAnOwner {
  return async (before, tx) => {
    if (before.permissions !== "Owner") return;
    if ((await users.countOwners(before.organization_id, tx)) === 0) throw new AppError("last_owner");
  };
}
