import { ApiError } from "@nts/shared/client";

/** Prompts for a code to confirm the session. @returns false if cancelled */
export type AskForCode = () => Promise<boolean>;

let asking: AskForCode | null = null;

/** Sets the function that prompts for codes; null for none. */
export function askCodesBy(ask: AskForCode | null): void {
  asking = ask;
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
