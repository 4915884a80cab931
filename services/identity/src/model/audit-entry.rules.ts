import type { AuditEntry } from "@nts/shared/contract/audit";
import type { Actor } from "@nts/shared/contract/changes";

/** By whom and in which request something was done. */
export interface Circumstances {
  readonly actor: Actor | null;
  readonly address: string;
  readonly request_id: string | null;
  readonly comment: string | null;
}

/** An event, as reported by a writer; its circumstances if other than those of the transaction. */
export interface AuditEvent
  extends Pick<AuditEntry, "action" | "entity" | "entity_id" | "name">, Partial<Circumstances> {
  readonly organization_id: string;
  /** The entity as returned to clients, without secrets. */
  readonly before: object | null;
  readonly after: object | null;
  readonly attempts?: number;
  /** The id of its note, for events of another service. */
  readonly note?: string;
}

/** An entry of the audit log. */
export interface AuditDocument extends Omit<AuditEvent, keyof Circumstances>, Circumstances {
  /** Of the organization and the number. */
  _id: string;
  /** From 1 in each organization. */
  n: number;
  at: Date;
}

/** An entry as returned to clients. */
export function entryResponse(entry: AuditDocument): AuditEntry {
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
