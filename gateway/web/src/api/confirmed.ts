import { ApiError } from "@nts/shared/client";
import { getSecondFactor } from "@nts/shared/contract";
import { api } from "./client.js";

/** Time for a request to arrive while the session is still confirmed. */
const SPARE_MS = 10_000;

/** Prompts for a code to confirm the session. @returns false if cancelled */
export type AskForCode = () => Promise<boolean>;

let asking: AskForCode | null = null;

/** Sets the function that prompts for codes; null for none. */
export function askCodesBy(ask: AskForCode | null): void {
  asking = ask;
}

/** Prompts for a code, unless the session is confirmed or needs none. @returns false if cancelled */
export async function ensureConfirmed(): Promise<boolean> {
  const { enabled, confirmed_until } = await api.call(getSecondFactor, {});
  if (!enabled || (confirmed_until !== null && Date.parse(confirmed_until) > Date.now() + SPARE_MS)) return true;
  return asking === null ? false : asking();
}

/** Calls the API, and once more after confirmation if that is required. */
export async function confirmed<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const takesCode = error instanceof ApiError && error.code === "confirmation_required";
    if (!takesCode || asking === null || !(await asking())) throw error;
    return call();
  }
}
