import { hashCredential } from "@nts/shared/credential";
import { linkTo, type Letter, senderAt } from "./letter.rules.js";
import type { Writer } from "./writers.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { newToken } from "../secrets/tokens.js";
import type { UserStore } from "../storage/users.js";
import { isUsable } from "../model/invite.rules.js";
import { harmlessName } from "./invite-letters.rules.js";
import type { InviteStore } from "../storage/invites.js";

export interface InviteMailParts {
  readonly invites: Pick<InviteStore, "find" | "addMailed">;
  readonly users: Pick<UserStore, "find">;
  readonly organizations: Pick<OrganizationStore, "find">;
  readonly publicUrl: string;
}

/**
 * Writes invite mails; null if the invite is used, revoked or expired. Each has its own token, other than the
 * inviter's.
 */
export function createInviteMails({ invites, users, organizations, publicUrl }: InviteMailParts): Writer<"invite"> {
  return async ({ about: { organizationId, inviteId } }) => {
    const invite = await invites.find(organizationId, inviteId);
    const inviter = invite && (await users.find(organizationId, invite.invited_by));
    const organization = await organizations.find(organizationId);
    const email = invite?.email ?? null;
    if (invite === null || inviter === null || organization === null || email === null) return null;
    if (!isUsable(invite, inviter, new Date())) return null;
    const token = newToken();
    if (!(await invites.addMailed(invite, hashCredential(token)))) return null;
    const letter = inviteLetter(publicUrl, token, { inviter: inviter.email, organization: organization.name });
    return { to: email, letter };
  };
}

function inviteLetter(
  publicUrl: string,
  token: string,
  { inviter, organization }: { readonly inviter: string; readonly organization: string },
): Letter {
  const { host } = new URL(publicUrl);
  const name = harmlessName(organization);
  return {
    subject: "You are invited to Network topology",
    opening: [`${inviter} invites you to join ${name === null ? "an organization" : `“${name}”`} at ${host}.`],
    action: { label: "Accept the invite", url: linkTo(publicUrl, `/sign-up#invite=${token}`) },
    closing: ["The invite can be used once. If you do not know who this is, ignore this mail."],
    sender: senderAt(publicUrl),
  };
}
