import {
  AUDIT_ACTIONS,
  AUDITED_ENTITIES,
  type AuditEntry,
  type listAudit,
  type QueryInputOf,
} from "@nts/shared/contract";
import { fieldsText, keyText } from "../activity/entries.js";
import { beginningOf, userIn, valueOf } from "../activity/filters.js";
import { fieldOf, type ListState } from "../list/list-state.js";

// Presentation of audit entries, and their filters.

export type AuditFilter = Pick<QueryInputOf<typeof listAudit>, "entity" | "action" | "user_id" | "since" | "until">;

/** Query parameters of the page. */
export const FILTERS = ["kind", "action", "who", "since", "until"] as const;

/** The query for the API; invalid parameters are ignored. */
export function filterOf(state: Pick<ListState, "valuesOf">): AuditFilter {
  return {
    entity: fieldOf(AUDITED_ENTITIES, valueOf(state, "kind")),
    action: fieldOf(AUDIT_ACTIONS, valueOf(state, "action")),
    user_id: userIn(state),
    since: beginningOf(valueOf(state, "since"), 0),
    until: beginningOf(valueOf(state, "until"), 1),
  };
}

const ACTIONS: Readonly<Partial<Record<AuditEntry["action"], string>>> = {
  password_changed: "new password",
  login_failed: "failed login",
  second_factor_enabled: "second factor on",
  second_factor_disabled: "second factor off",
  second_factor_failed: "wrong code",
  recovery_codes_renewed: "new recovery codes",
  recovery_code_used: "recovery code used",
  linked: "provider linked",
  unlinked: "provider unlinked",
  password_reset_requested: "reset asked for",
  verified: "address verified",
  taken_over: "taken over",
  first_used: "new address",
};

const SESSIONS: typeof ACTIONS = { created: "signed in", deleted: "ended" };

/** @param entity what was acted on, if known */
export function actionText(action: AuditEntry["action"], entity?: AuditEntry["entity"]): string {
  return (entity === "Session" ? SESSIONS[action] : ACTIONS[action]) ?? action;
}

const KINDS: Readonly<Partial<Record<AuditEntry["entity"], string>>> = { UserApiKey: "API key" };

export function kindText(entity: AuditEntry["entity"]): string {
  return KINDS[entity] ?? entity;
}

/** The author, with credential and address. */
export function authorText(
  entry: Pick<AuditEntry, "actor" | "action" | "address">,
  keyNames: ReadonlyMap<string, string>,
): { readonly who: string; readonly how: string } {
  const { actor, action, address } = entry;
  const fallback =
    action === "login_failed" || action === "second_factor_failed"
      ? "Unknown user"
      : action === "paused"
        ? "The system"
        : "An operator";
  const who = actor === null ? fallback : (actor.email ?? "A user");
  return { who, how: `${keyText(entry, keyNames)}${address === null ? "" : ` from ${address}`}` };
}

/** An additional remark about an entry. */
export function remarkOf({ attempts }: Pick<AuditEntry, "attempts">): string {
  return attempts === null || attempts === 1 ? "" : `${attempts} in a row`;
}

/** The changed members; for webhooks paused by the system, `is_enabled` is implied. */
export function changedText(entry: Pick<AuditEntry, "action" | "fields">): string {
  return entry.action === "updated" ? fieldsText(entry) : "";
}
