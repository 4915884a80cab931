import { WEBHOOK_FAULTS, type Webhook } from "@nts/shared/contract";
import type { JournalDocument } from "../journal/entries.rules.js";
import type { Outcome } from "./send.js";

const DAY_MS = 86_400_000;
/** Days of consecutive failures after which a webhook is paused. */
export const FAILING_DAYS = 3;
const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
/** HTTP 410: the receiver no longer exists. */
const GONE = 410;

/** Maximum backoff in milliseconds after this many failures; doubles each time. */
export function longestBackoffMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20));
}

/** Milliseconds until the batch that starts with this entry is due; 0 if it is due now. */
export function restUntil({ batch_seconds }: Webhook, { at }: Pick<JournalDocument, "at">, nowMs: number): number {
  return Math.max(0, at.getTime() + batch_seconds * 1_000 - nowMs);
}

/** Why a failing webhook is paused; null if it is retried. */
export function reasonToPause(
  { status, error }: Pick<Outcome, "status" | "error">,
  { failingSince, now }: { failingSince: Date; now: Date },
): string | null {
  if (status === GONE) return "The receiver responded with 410 (Gone).";
  if (now.getTime() - failingSince.getTime() < FAILING_DAYS * DAY_MS) return null;
  const last = status === null ? WEBHOOK_FAULTS[error ?? "no_connection"] : `The receiver responded with ${status}.`;
  return `All attempts of the last ${FAILING_DAYS} days have failed. Last failure: ${last}`;
}
