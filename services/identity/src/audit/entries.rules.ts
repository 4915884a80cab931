import type { AuditEntry } from "@nts/shared/contract/audit";
import type { Actor } from "@nts/shared/contract/changes";

/** Something that happened, as a writer tells it. */
export interface Happening extends Pick<AuditEntry, "action" | "entity" | "entity_id" | "name"> {
  readonly organization_id: string;
  /** The entity as it is answered, without any secret. */
  readonly before: object | null;
  readonly after: object | null;
  /** Where it is not who asks. */
  readonly actor?: Actor | null;
  /** Where it is not that of the request. */
  readonly address?: string;
  readonly request_id?: string | null;
  readonly comment?: string | null;
  readonly attempts?: number;
  /** The note that told of it, for what another part of the system did. */
  readonly note?: string;
}

/** An entry of the audit log. */
export interface AuditDocument extends Happening {
  /** Of its organization and its number. */
  _id: string;
  /** Its number, from 1 in each organization. */
  n: number;
  at: Date;
  actor: Actor | null;
  address: string;
  request_id: string | null;
  comment: string | null;
}

/** An entry as answered. */
export function entryAnswer(entry: AuditDocument): AuditEntry {
  const { n, at, action, entity, entity_id, name, actor, request_id, comment, attempts = null } = entry;
  const before = entry.before as AuditEntry["before"];
  const after = entry.after as AuditEntry["after"];
  return {
    ...{ cursor: String(n), at: at.toISOString(), action, entity, entity_id, name, before, after },
    fields: fieldsOf(action, before, after),
    ...{ actor, address: entry.address === "" ? null : entry.address, request_id, comment, attempts },
  };
}

function fieldsOf(
  action: AuditEntry["action"],
  before: AuditEntry["before"],
  after: AuditEntry["after"],
): AuditEntry["fields"] {
  if (action === "password_changed") return ["password"];
  if (before === null || after === null) return [];
  return Object.keys(after).filter(
    (name) => name !== "updated_at" && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
