import type { Indexes } from "@nts/shared/mongo/migrations";
import { ASSISTANT_CLIENTS } from "./assistant-clients.js";
import { AUTHORIZATION_CODES } from "./authorization-codes.js";
import { MAIL_COUNTS } from "./mail-limits.js";
import { LINK_TOKENS } from "./link-tokens.js";
import { OUTGOING_MAILS } from "./outbox.js";
import { DEVICE_SIGN_INS } from "./device-sign-ins.js";
import { NOTIFICATIONS } from "./notifications.js";
import { LOGOUT_TOKENS } from "./linked-identities.js";
import { COLLECTORS } from "./collectors.js";
import { SHARES } from "./shares.js";
import { SIGN_INS } from "./provider-sign-ins.js";
import { SIGN_IN_PLACES } from "./sign-in-places.js";
import { ENDED_MAKERS } from "./ended-webhook-makers.js";
import { REMEMBERED_COLLECTION, REMEMBERED_EXPIRE } from "@nts/shared/writes/remembered";

/** Milliseconds that key changes are retained for gateways that were disconnected. */
export const KEY_CHANGES_KEPT_MS = 3_600_000;

const DAY_SECONDS = 86_400;

/** Indexes for counting API keys. */
export const KEYS_BY_USER = { user_id: 1, created_at: 1, _id: 1 } as const;
export const KEYS_BY_ORGANIZATION = { organization_id: 1, tags: 1 } as const;

/** The unique index of entries made from notes. */
export const ENTRIES_OF_NOTES = { note: 1 } as const;

/** Every index of the database, by collection. */
export const INDEXES: Indexes = {
  users: [
    { key: { email: 1 }, unique: true },
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { key: { organization_id: 1, email: 1, _id: 1 } },
    { key: { organization_id: 1, updated_at: 1, _id: 1 } },
    { key: { "identities.key": 1 }, unique: true, sparse: true },
    { key: { "other_memberships.organization_id": 1 }, sparse: true },
  ],
  invites: [
    { key: { hash: 1 }, unique: true },
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { key: { mailed: 1 }, sparse: true },
    { key: { invited_by: 1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  sessions: [
    { key: { hash: 1 }, unique: true },
    { key: { user_id: 1 } },
    { key: { user_id: 1, created_at: 1, _id: 1 } },
    { key: { "provider.session": 1 }, sparse: true },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  login_failures: [{ key: { account: 1 } }, { key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  challenges: [
    { key: { user_id: 1, address_block: 1, created_at: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  [SIGN_INS]: [{ key: { address_block: 1, created_at: -1 } }, { key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  [NOTIFICATIONS]: [{ key: { due_at: 1 } }, { key: { user_id: 1, mailed_at: -1 } }],
  [DEVICE_SIGN_INS]: [
    { key: { user_code: 1 }, unique: true },
    { key: { address_block: 1, created_at: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  [LOGOUT_TOKENS]: [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  [OUTGOING_MAILS]: [{ key: { rank: 1, due_at: 1 } }, { key: { expires_at: 1 }, expireAfterSeconds: DAY_SECONDS }],
  [LINK_TOKENS]: [{ key: { user_id: 1, purpose: 1 } }, { key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  [SIGN_IN_PLACES]: [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  [MAIL_COUNTS]: [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  api_keys: [
    { key: { hash: 1 }, unique: true },
    { key: KEYS_BY_USER },
    { key: { user_id: 1, name: 1, _id: 1 } },
    { key: { user_id: 1, updated_at: 1, _id: 1 } },
    { key: KEYS_BY_ORGANIZATION },
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { key: { "previous.hash": 1 }, unique: true, sparse: true },
    { key: { "grant.family": 1 }, unique: true, sparse: true },
    { key: { "grant.ends_at": 1 }, sparse: true },
  ],
  [ASSISTANT_CLIENTS]: [
    { key: { address_block: 1, created_at: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  [AUTHORIZATION_CODES]: [
    { key: { address_block: 1, created_at: -1 } },
    { key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
  [SHARES]: [
    { key: { hash: 1 }, unique: true },
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { key: { user_id: 1 } },
    { key: { purge_at: 1 }, expireAfterSeconds: 0 },
  ],
  [COLLECTORS]: [
    { key: { "key.hash": 1 }, unique: true, sparse: true },
    { key: { "key.previous.hash": 1 }, unique: true, sparse: true },
    { key: { "token.hash": 1 }, unique: true, sparse: true },
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
  ],
  key_changes: [{ key: { at: 1 }, expireAfterSeconds: KEY_CHANGES_KEPT_MS / 1000 }],
  gateways: [{ key: { seen_at: 1 }, expireAfterSeconds: DAY_SECONDS }],
  key_usage: [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }],
  [ENDED_MAKERS]: [{ key: { due_at: 1 } }],
  audit: [{ key: ENTRIES_OF_NOTES, unique: true, sparse: true }],
  [REMEMBERED_COLLECTION]: [REMEMBERED_EXPIRE],
};
