import { ApiError } from "@nts/shared/client";
import { pause } from "../discover/pace.js";
import type { Terminal } from "../terminal.js";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Until somebody enables the collector again. */
const DISABLED_WAIT_MS = 120_000;

/**
 * Repeats a request until the server has answered, and says so once. @throws what a repetition does not change, and the reason of
 * the signal
 */
export async function insist<Result>(
  { signal, say }: Pick<Terminal, "signal" | "say">,
  ask: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await ask();
      if (attempt > 0) say("The server responds again.");
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      if (attempt === 0) say(`The server cannot be used now, and is asked again: ${reasonOf(error)}`);
      await pause(waitMs(error, attempt), signal);
    }
  }
}

/** Whether the key is not good any more. */
export function isRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 401 || error.status === 403) && !isDisabled(error);
}

/** Whether the collector may not do anything until somebody enables it. */
export function isDisabled(error: unknown): boolean {
  return error instanceof ApiError && error.code === "api_key_disabled";
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof Error && error.name === "TimeoutError";
  const { status, code } = error;
  const isBusy = code === "idempotency_in_progress" || code === "write_conflict";
  return status === 0 || status === 429 || status >= 500 || isBusy || isDisabled(error);
}

function reasonOf(error: unknown): string {
  if (isDisabled(error)) return "This collector is disabled.";
  return error instanceof ApiError ? `${error.message} (${error.code})` : "It does not respond in time.";
}

/** Twice as long each time, so that a server that comes back is not met by all at once. */
function waitMs(error: unknown, attempt: number): number {
  if (isDisabled(error)) return DISABLED_WAIT_MS;
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10));
  return Math.min(LONGEST_WAIT_MS, Math.max(asked, longest * (0.5 + Math.random() / 2)));
}
