import type { InviteDocument } from "../invites/invite.rules.js";
import { inviteAnswer } from "../invites/invite.rules.js";
import { keyAnswer } from "../keys/answer.js";
import type { KeyDocument } from "../keys/key.rules.js";
import { type OrganizationDocument, organizationAnswer } from "../organizations/organization.js";
import type { SessionDocument } from "../sessions/session.js";
import { userAnswer, type UserDocument } from "../users/user.js";
import type { Actor, Happening } from "./entries.rules.js";

// Entities as the audit log shows them: as they are answered, with the networks that are stored instead of those that one caller
// may know of. Members are named one by one, so that no secret can come along.

type Subject = Pick<Happening, "organization_id" | "entity" | "entity_id" | "name">;

/** What an entry says of its entity. */
export const subjectOf = {
  organization: ({ _id, name }: OrganizationDocument): Subject => ({
    ...{ organization_id: _id, entity: "Organization", entity_id: _id, name },
  }),
  user: ({ _id, organization_id, email }: UserDocument): Subject => ({
    ...{ organization_id, entity: "User", entity_id: _id, name: email },
  }),
  session: ({ _id, organization_id }: SessionDocument, email: string): Subject => ({
    ...{ organization_id, entity: "Session", entity_id: _id, name: email },
  }),
  invite: ({ _id, organization_id, permissions }: InviteDocument): Subject => ({
    ...{ organization_id, entity: "Invite", entity_id: _id, name: permissions },
  }),
  key: ({ _id, organization_id, name }: KeyDocument): Subject => ({
    ...{ organization_id, entity: "UserApiKey", entity_id: _id, name },
  }),
} as const;

export const stateOf = {
  organization: organizationAnswer,
  user: (user: UserDocument): object => ({
    ...userAnswer({ ...user, network_ids: [] }, []),
    network_ids: user.network_ids,
  }),
  session: ({ _id, user_id, created_at, expires_at }: SessionDocument): object => ({
    ...{ id: _id, user_id, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() },
  }),
  invite: (invite: InviteDocument): object => ({
    ...inviteAnswer({ ...invite, network_ids: [] }, []),
    network_ids: invite.network_ids,
  }),
  key: (key: KeyDocument): object => {
    const { last_used: _untold, ...state } = keyAnswer({ ...key, network_ids: key.network_ids && [] }, []);
    return { ...state, network_ids: key.network_ids ?? [] };
  },
} as const;

/** A user who acts without being signed in yet. */
export function actorFrom({ _id, email }: Pick<UserDocument, "_id" | "email">): Actor {
  return { user_id: _id, key_id: null, email };
}
