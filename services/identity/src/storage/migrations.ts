import { createCollections, type Migration } from "@nts/shared/mongo/migrations";
import { KEY_ADDRESSES } from "./key-addresses.js";
import { AUDIT, AUDIT_HEADS } from "./audit-trail.js";
import { INDEXES } from "./indexes.js";
import { KEY_USAGE } from "./key-usage.js";
import { MAIL_COUNTS } from "./mail-limits.js";
import { LINK_TOKENS } from "./link-tokens.js";
import { OUTGOING_MAILS } from "./outbox.js";
import { LOGOUT_TOKENS } from "./linked-identities.js";
import { SIGN_INS } from "./provider-sign-ins.js";
import { SIGN_IN_PLACES } from "./sign-in-places.js";
import { noteEarlierAccounts } from "./first-account.js";
import { ENDED_MAKERS } from "./ended-webhook-makers.js";
import { ORGANIZATION_DELETIONS } from "./organization-deletions.js";

/** The schema migrations. New ones are appended; released ones never change. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "0001-collections",
    up: (db) => createCollections(db, [...Object.keys(INDEXES), "organizations", "counters"]),
  },
  { name: "0002-audit", up: (db) => createCollections(db, [AUDIT, AUDIT_HEADS, KEY_ADDRESSES]) },
  { name: "0003-organization-deletions", up: (db) => createCollections(db, [ORGANIZATION_DELETIONS]) },
  { name: "0004-key-usage", up: (db) => createCollections(db, [KEY_USAGE]) },
  { name: "0005-providers", up: (db) => createCollections(db, [SIGN_INS, LOGOUT_TOKENS]) },
  { name: "0006-mail", up: (db) => createCollections(db, [OUTGOING_MAILS, LINK_TOKENS, MAIL_COUNTS]) },
  { name: "0007-sign-in-places", up: (db) => createCollections(db, [SIGN_IN_PLACES]) },
  { name: "0008-ended-webhook-makers", up: (db) => createCollections(db, [ENDED_MAKERS]) },
  { name: "0009-first-account", up: noteEarlierAccounts },
];
