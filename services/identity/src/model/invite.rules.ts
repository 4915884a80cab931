import { isAtLeast, type Permission } from "@nts/shared/contract/endpoint";
import type { Invite, InviteCreate } from "@nts/shared/contract/invites";
import { narrowed } from "./scopes.rules.js";
import { grantable } from "./user-changes.rules.js";
import { ranksOver } from "./rank.rules.js";

const HOUR_MS = 3_600_000;

/** An unused invite. Only the hash of its token is stored. */
export interface InviteDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  hash: string;
  created_at: Date;
  updated_at: Date;
  revision: number;
  organization_id: string;
  /** Id of a user. */
  invited_by: string;
  permissions: Permission;
  /** Empty from Admin upwards, who have all networks. */
  network_ids: string[];
  expires_at: Date;
  /** The address it was mailed to; absent if it was not mailed. */
  email?: string;
  /** Hashes of mailed tokens, which are equivalent to the invite's own. */
  mailed?: string[];
}

/**
 * Creates an invite.
 *
 * @param networkIds existing networks of the organization
 * @throws AppError `invalid_reference`
 */
export function newInvite(
  input: InviteCreate,
  given: Pick<InviteDocument, "_id" | "hash" | "organization_id" | "invited_by"> & { readonly now: Date },
  networkIds: readonly string[],
): InviteDocument {
  const { now, ...own } = given;
  const { permissions, expires_in_hours, email } = input;
  const network_ids = grantable(input.network_ids, networkIds);
  return {
    ...own,
    created_at: now,
    updated_at: now,
    revision: 1,
    permissions,
    network_ids: isAtLeast(permissions, "Admin") ? [] : network_ids,
    expires_at: new Date(now.getTime() + expires_in_hours * HOUR_MS),
    ...(typeof email === "string" && { email }),
  };
}

/** True if an invite is valid: not expired, and its inviter could still create it. */
export function isUsable(
  invite: Pick<InviteDocument, "expires_at" | "permissions">,
  inviter: { readonly permissions: Permission } | null,
  now: Date,
): boolean {
  return invite.expires_at > now && inviter !== null && ranksOver(inviter.permissions, invite.permissions);
}

/** True if a token proves that its holder received the mail at an address. @param hash of the token */
export function provesAddress({ email, mailed = [] }: InviteDocument, hash: string, address: string): boolean {
  return email === address && mailed.includes(hash);
}

/** An invite as returned to clients. @param visibleIds existing networks visible to the caller */
export function inviteResponse(invite: InviteDocument, visibleIds: readonly string[]): Invite {
  return {
    id: invite._id,
    created_at: invite.created_at.toISOString(),
    updated_at: invite.updated_at.toISOString(),
    organization_id: invite.organization_id,
    invited_by: invite.invited_by,
    permissions: invite.permissions,
    network_ids: narrowed(invite.network_ids, visibleIds),
    expires_at: invite.expires_at.toISOString(),
    email: invite.email ?? null,
  };
}
