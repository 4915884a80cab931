import { ApiError } from "@nts/shared/client";

/** Has a code given in this session. @returns false when nobody wants to */
export type AskForCode = () => Promise<boolean>;

let asking: AskForCode | null = null;

/** Says who asks for codes; null for nobody. */
export function askCodesBy(ask: AskForCode | null): void {
  asking = ask;
}

/** Makes a call, once more after a code was given where it takes one. */
export async function confirmed<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const takesCode = error instanceof ApiError && error.code === "confirmation_required";
    if (!takesCode || asking === null || !(await asking())) throw error;
    return call();
  }
}
