import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { isUsable, type InviteDocument, provesAddress } from "../invites/invite.rules.js";
import type { InviteStore } from "../invites/store.js";
import type { OrganizationStore } from "../organizations/store.js";
import type { UserStore } from "../users/store.js";
import { newUser, type UserDocument } from "../users/user.js";
import type { Candidate } from "./register-user.js";

/** Joining an organization by an invite. Both throw AppError `invalid_reference` when it is not good. */
export interface Joining {
  /** @param hash of the token */
  find(hash: string, now: Date): Promise<InviteDocument>;
  /** Uses an invite up: of two who try at once, the second finds it gone. */
  join(candidate: Candidate, hash: string, tx: ClientSession): Promise<UserDocument>;
}

export interface JoiningOptions {
  readonly users: Pick<UserStore, "find">;
  readonly invites: Pick<InviteStore, "findByHash" | "take">;
  readonly organizations: Pick<OrganizationStore, "lockCounts">;
}

export function createJoining({ users, invites, organizations }: JoiningOptions): Joining {
  async function usable(invite: InviteDocument | null, now: Date, tx?: ClientSession): Promise<InviteDocument> {
    const inviter = invite && (await users.find(invite.organization_id, invite.invited_by, tx));
    if (invite === null || !isUsable(invite, inviter, now)) throw unusable();
    return invite;
  }

  return {
    find: async (hash, now) => usable(await invites.findByHash(hash), now),
    join: async (candidate, hash, tx) => {
      const invite = await usable(await invites.take(hash, tx), candidate.now, tx);
      const { organization_id: organizationId, permissions, network_ids: networkIds } = invite;
      if (!(await organizations.lockCounts(organizationId, tx))) throw unusable();
      const user = newUser({ ...candidate, organizationId, permissions, networkIds });
      return provesAddress(invite, hash, candidate.email) ? { ...user, email_verified: true } : user;
    },
  };
}

function unusable(): AppError {
  return new AppError("invalid_reference", { path: "invite_token" });
}
