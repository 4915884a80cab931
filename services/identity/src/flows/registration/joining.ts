import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { isUsable, type InviteDocument, provesAddress } from "../../model/invite.rules.js";
import type { InviteStore } from "../../storage/invites.js";
import type { OrganizationStore } from "../../storage/organizations.js";
import type { UserStore } from "../../storage/users.js";
import { newUser, type UserDocument } from "../../model/user.js";
import type { Candidate } from "./register-user.js";

/** Joins an organization by invite. All methods throw AppError `invalid_reference` {path} if it is invalid. */
export interface Joining {
  /** @param hash of the token */
  find(hash: string, now: Date, path?: string): Promise<InviteDocument>;
  /** Uses up an invite; of two concurrent attempts, one fails. */
  take(hash: string, now: Date, tx: ClientSession, path?: string): Promise<InviteDocument>;
  /** The user created by an invite, which is used up. */
  join(candidate: Candidate, hash: string, tx: ClientSession): Promise<UserDocument>;
}

const AT_REGISTRATION = "invite_token";

export interface JoiningOptions {
  readonly users: Pick<UserStore, "find">;
  readonly invites: Pick<InviteStore, "findByHash" | "take">;
  readonly organizations: Pick<OrganizationStore, "lockCounts">;
}

export function createJoining({ users, invites, organizations }: JoiningOptions): Joining {
  async function usable(
    invite: InviteDocument | null,
    now: Date,
    { path, tx }: InviteRequest,
  ): Promise<InviteDocument> {
    const inviter = invite && (await users.find(invite.organization_id, invite.invited_by, tx));
    if (invite === null || !isUsable(invite, inviter, now)) throw unusable(path);
    return invite;
  }

  async function take(hash: string, now: Date, tx: ClientSession, path = AT_REGISTRATION): Promise<InviteDocument> {
    const invite = await usable(await invites.take(hash, tx), now, { path, tx });
    if (!(await organizations.lockCounts(invite.organization_id, tx))) throw unusable(path);
    return invite;
  }

  return {
    find: async (hash, now, path = AT_REGISTRATION) => usable(await invites.findByHash(hash), now, { path }),
    take,
    join: async (candidate, hash, tx) => {
      const invite = await take(hash, candidate.now, tx);
      const { organization_id: organizationId, permissions, network_ids: networkIds } = invite;
      const user = newUser({ ...candidate, organizationId, permissions, networkIds });
      return provesAddress(invite, hash, candidate.email) ? { ...user, email_verified: true } : user;
    },
  };
}

interface InviteRequest {
  /** Of the token in the request. */
  readonly path: string;
  readonly tx?: ClientSession;
}

function unusable(path: string): AppError {
  return new AppError("invalid_reference", { path });
}
