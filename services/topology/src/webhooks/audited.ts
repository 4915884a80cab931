import { createHash } from "node:crypto";
import type { AuditEntry, Webhook } from "@nts/shared/contract";
import type { Noted } from "../storage/audit-notes.js";

// Webhooks as the audit log shows them. Its entries are kept for long, and the address of a webhook is mostly all that is needed to
// post in somebody's name (Slack, Discord), or to read along (ntfy). So they show where it leads, and a few digits that
// tell whether the rest has changed.

const DIGITS = 8;

interface Done {
  /** Absent for something new, and where nothing of the webhook has changed. */
  readonly before?: Webhook;
  /** Absent for something that is gone. */
  readonly after?: Webhook;
}

/** What is noted of something that was done to a webhook. */
export function notedOf(webhook: Webhook, action: AuditEntry["action"], { before, after }: Done = {}): Noted {
  const { id, organization_id, url } = webhook;
  return {
    ...{ organization_id, action, entity: "Webhook", entity_id: id, name: new URL(url).host },
    before: before === undefined ? null : shown(before),
    after: after === undefined ? null : shown(after),
  };
}

/** Members are named one by one, so that no secret can come along. */
function shown(webhook: Webhook): Record<string, unknown> {
  const { id, created_at, updated_at, url, filter, format, batch_seconds, is_enabled, paused } = webhook;
  return { id, created_at, updated_at, url: shownUrl(url), filter, format, batch_seconds, is_enabled, paused };
}

/** Such as `https://hooks.example.com/…1f3a9c04`. */
export function shownUrl(url: string): string {
  const { origin, href } = new URL(url);
  if (href === `${origin}/`) return href;
  return `${origin}/…${createHash("sha256").update(href).digest("hex").slice(0, DIGITS)}`;
}
