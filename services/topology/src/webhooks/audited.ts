import { createHash } from "node:crypto";
import type { AuditEntry, Webhook } from "@nts/shared/contract";
import type { Noted } from "../storage/audit-notes.js";

// Audit notes of webhooks. Their URLs often contain a credential (Slack, Discord, ntfy), and audit entries are retained for long,
// so only the origin and a short digest of the URL are recorded.

const DIGITS = 8;

interface Done {
  /** Absent for a new or unchanged webhook. */
  readonly before?: Webhook;
  /** Absent for a deleted webhook. */
  readonly after?: Webhook;
}

/** Creates the audit note of an action on a webhook. */
export function notedOf(webhook: Webhook, action: AuditEntry["action"], { before, after }: Done = {}): Noted {
  const { id, organization_id, url } = webhook;
  return {
    ...{ organization_id, action, entity: "Webhook", entity_id: id, name: new URL(url).host },
    before: before === undefined ? null : shown(before),
    after: after === undefined ? null : shown(after),
  };
}

/** Lists the members explicitly, so that no secret is included. */
function shown(webhook: Webhook): Record<string, unknown> {
  const { id, created_at, updated_at, url, filter, format, batch_seconds, is_enabled } = webhook;
  const { created_by, paused } = webhook;
  return {
    id,
    created_at,
    updated_at,
    url: shownUrl(url),
    filter,
    format,
    batch_seconds,
    created_by,
    is_enabled,
    paused,
  };
}

/** Such as `https://hooks.example.com/…1f3a9c04`. */
export function shownUrl(url: string): string {
  const { origin, href } = new URL(url);
  if (href === `${origin}/`) return href;
  return `${origin}/…${createHash("sha256").update(href).digest("hex").slice(0, DIGITS)}`;
}
