import { createCollections, type Migration } from "@nts/shared/mongo/migrations";
import { AUDIT, AUDIT_HEADS } from "./audit-trail.js";
import { ENDED_MAKERS } from "./ended-webhook-makers.js";
import { INDEXES } from "./indexes.js";
import { KEY_ADDRESSES } from "./key-addresses.js";
import { KEY_USAGE } from "./key-usage.js";
import { LINK_TOKENS } from "./link-tokens.js";
import { LOGOUT_TOKENS } from "./linked-identities.js";
import { MAIL_COUNTS } from "./mail-limits.js";
import { ORGANIZATION_DELETIONS } from "./organization-deletions.js";
import { OUTGOING_MAILS } from "./outbox.js";
import { SIGN_INS } from "./provider-sign-ins.js";
import { SIGN_IN_PLACES } from "./sign-in-places.js";

/** Collections that may have no index other than that of their ids. */
const OTHERS = [
  ...["organizations", "counters", AUDIT, AUDIT_HEADS, ENDED_MAKERS, KEY_ADDRESSES, KEY_USAGE, LINK_TOKENS],
  ...[LOGOUT_TOKENS, MAIL_COUNTS, ORGANIZATION_DELETIONS, OUTGOING_MAILS, SIGN_INS, SIGN_IN_PLACES],
];

/** The schema migrations. New ones are appended; released ones never change. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-schema", up: (db) => createCollections(db, [...new Set([...Object.keys(INDEXES), ...OTHERS])]) },
];
