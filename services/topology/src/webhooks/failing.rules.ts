import { WEBHOOK_FAULTS, type Webhook } from "@nts/shared/contract";
import type { JournalDocument } from "../journal/entries.rules.js";
import type { Outcome } from "./send.js";

const DAY_MS = 86_400_000;
/** Days of nothing but failures after which a webhook is paused. */
export const FAILING_DAYS = 3;
const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
/** What a receiver says that is not there any more. */
const GONE = 410;

/** Milliseconds that a webhook rests after this many failures: twice as long each time. */
export function longestRestMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20));
}

/** Milliseconds until the entries from this one on are sent together; 0 when they are now. */
export function restUntil({ batch_seconds }: Webhook, { at }: Pick<JournalDocument, "at">, nowMs: number): number {
  return Math.max(0, at.getTime() + batch_seconds * 1_000 - nowMs);
}

/** Why a webhook that has failed once more is paused; null when it is tried again. */
export function reasonToPause(
  { status, error }: Pick<Outcome, "status" | "error">,
  { failingSince, now }: { failingSince: Date; now: Date },
): string | null {
  if (status === GONE) return "The receiver answered 410: it wants no more.";
  if (now.getTime() - failingSince.getTime() < FAILING_DAYS * DAY_MS) return null;
  const last = status === null ? WEBHOOK_FAULTS[error ?? "no_connection"] : `The receiver answered ${status}.`;
  return `Every attempt of ${FAILING_DAYS} days has failed. The last one: ${last}`;
}
