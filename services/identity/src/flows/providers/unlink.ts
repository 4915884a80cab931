import { AppError } from "@nts/shared/errors";
import type { Work } from "@nts/shared/work";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { SessionStore } from "../../storage/sessions.js";
import type { UserDocument } from "../../model/user.js";
import type { IdentityStore } from "../../storage/linked-identities.js";
import type { LinkedIdentity } from "../../model/linked-identity.rules.js";

/**
 * Unlinks a provider account from a user and ends the sessions it started.
 *
 * @returns their ids
 * @throws AppError `write_conflict`
 */
export type Unlink = (work: Work, user: UserDocument, identity: LinkedIdentity) => Promise<readonly string[]>;

export interface UnlinkOptions {
  readonly identities: Pick<IdentityStore, "unlink">;
  readonly sessions: Pick<SessionStore, "idsStartedBy" | "removeMany">;
  readonly changeRights: ChangeRights;
}

export function createUnlink({ identities, sessions, changeRights }: UnlinkOptions): Unlink {
  return async (work, user, identity) => {
    const ended = await changeRights(work, [user._id], async (tx) => {
      if (!(await identities.unlink(user, identity, tx))) return "conflict";
      const ids = await sessions.idsStartedBy(identity.provider, { userId: user._id }, tx);
      if (ids.length > 0) await sessions.removeMany(ids, tx);
      return ids;
    });
    if (ended === "conflict") throw new AppError("write_conflict");
    return ended;
  };
}
