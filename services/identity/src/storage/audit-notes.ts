import type { ClientSession } from "mongodb";
import type { Actor } from "@nts/shared/contract/changes";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { type InviteDocument, inviteResponse } from "../model/invite.rules.js";
import { keyResponse } from "../model/key-response.js";
import type { KeyDocument } from "../model/key.rules.js";
import { type OrganizationDocument, organizationResponse } from "../model/organization.js";
import type { SessionDocument } from "../model/session.js";
import { collectorState, type CollectorDocument } from "../model/collector.rules.js";
import { shareResponse, type ShareDocument } from "../model/share.rules.js";
import { membershipsOf } from "../model/memberships.rules.js";
import { userResponse, type UserDocument } from "../model/user.js";
import type { AuditEvent, Circumstances } from "../model/audit-entry.rules.js";
import { trailOf } from "./audit-trail.js";

// Entities as shown in the audit log: as returned to clients, but with all stored networks. Members are listed
// explicitly, so that no secret can be included.

type Subject = Pick<AuditEvent, "organization_id" | "entity" | "entity_id" | "name">;

/** A session and its user. */
export interface SessionOf {
  readonly session: SessionDocument;
  readonly email: string;
}

interface AuditedDocuments {
  readonly organization: OrganizationDocument;
  readonly user: UserDocument;
  readonly session: SessionOf;
  readonly invite: InviteDocument;
  readonly key: KeyDocument;
  readonly share: ShareDocument;
  readonly collector: CollectorDocument;
}

/** How an entry describes its entity. */
const SUBJECTS: { readonly [Kind in keyof AuditedDocuments]: (one: AuditedDocuments[Kind]) => Subject } = {
  organization: ({ _id, name }) => ({ organization_id: _id, entity: "Organization", entity_id: _id, name }),
  user: ({ _id, organization_id, email }) => ({ organization_id, entity: "User", entity_id: _id, name: email }),
  session: ({ session: { _id, organization_id }, email }) => ({
    ...{ organization_id, entity: "Session", entity_id: _id, name: email },
  }),
  invite: ({ _id, organization_id, permissions }) => ({
    ...{ organization_id, entity: "Invite", entity_id: _id, name: permissions },
  }),
  key: ({ _id, organization_id, name }) => ({ organization_id, entity: "UserApiKey", entity_id: _id, name }),
  share: ({ _id, organization_id, name }) => ({ organization_id, entity: "Share", entity_id: _id, name }),
  collector: ({ _id, organization_id, name }) => ({ organization_id, entity: "Collector", entity_id: _id, name }),
};

const STATES: { readonly [Kind in keyof AuditedDocuments]: (one: AuditedDocuments[Kind]) => object } = {
  organization: organizationResponse,
  user: (user) => ({ ...userResponse({ ...user, network_ids: [] }, []), network_ids: user.network_ids }),
  session: ({ session: { _id, user_id, created_at, expires_at, browser, address, provider } }) => ({
    ...{
      id: _id,
      user_id,
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
      browser,
      address,
      ...(provider && { provider: provider.id }),
    },
  }),
  invite: (invite) => ({ ...inviteResponse({ ...invite, network_ids: [] }, []), network_ids: invite.network_ids }),
  key: (key) => {
    const state: Partial<UserApiKey> = keyResponse(
      { ...key, network_ids: key.network_ids && [] },
      { networkIds: [], maxLifetimeDays: null },
    );
    delete state.last_used;
    delete state.ends_at;
    return { ...state, network_ids: key.network_ids ?? [] };
  },
  share: (share) => shareResponse(share, null),
  collector: collectorState,
};

interface Change<Document> extends Partial<Circumstances> {
  /** Absent for a new entity. */
  readonly before?: Document;
  /** Absent for a deleted entity. */
  readonly after?: Document;
  /** If other than created, updated and deleted. */
  readonly action?: AuditEvent["action"];
}

/** Records what a transaction did to an entity. */
export function noteChange<Kind extends keyof AuditedDocuments>(
  tx: ClientSession,
  kind: Kind,
  change: Change<AuditedDocuments[Kind]>,
): void {
  const {
    before,
    after,
    action = before === undefined ? "created" : after === undefined ? "deleted" : "updated",
    ...circumstances
  } = change;
  const one = after ?? before;
  if (one === undefined) throw new Error("an empty change");
  trailOf(tx).note({
    ...SUBJECTS[kind](one),
    action,
    before: before === undefined ? null : STATES[kind](before),
    after: after === undefined ? null : STATES[kind](after),
    ...circumstances,
  });
}

/** Records an event that did not change its entity. */
export function noteEvent<Kind extends keyof AuditedDocuments>(
  tx: ClientSession,
  kind: Kind,
  one: AuditedDocuments[Kind],
  event: Pick<AuditEvent, "action" | "actor" | "address" | "attempts">,
): void {
  trailOf(tx).note({ ...SUBJECTS[kind](one), before: null, after: null, ...event });
}

/** Records an event of an account in all of its organizations. */
export function noteAccountEvent(
  tx: ClientSession,
  user: UserDocument,
  event: Pick<AuditEvent, "action" | "actor" | "address" | "attempts">,
): void {
  for (const { organization_id } of membershipsOf(user)) noteEvent(tx, "user", { ...user, organization_id }, event);
}

/** A user who acts before being signed in. */
export function actorFrom({ _id, email }: Pick<UserDocument, "_id" | "email">): Actor {
  return { user_id: _id, key_id: null, email };
}
