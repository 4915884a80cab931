import { ERRORS, type ErrorCode } from "@nts/shared/errors";

/** What a provider's sign-in still takes, as the address says it behind the `#`. */
export interface AskedChallenge {
  readonly challenge: string;
  readonly isSetUp: boolean;
}

/** Null where the address asks for none. @param hash of the address */
export function challengeOf(hash: string): (AskedChallenge & { readonly next: string }) | null {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  const challenge = told.get("challenge");
  if (challenge === null) return null;
  return { challenge, isSetUp: told.get("set_up") === "true", next: told.get("next") ?? "/" };
}

/** What went wrong on the way from a provider; undefined when nothing did. @param problem of the address */
export function problemText(problem: string | null): string | undefined {
  if (problem === null) return undefined;
  return Object.hasOwn(ERRORS, problem) ? ERRORS[problem as ErrorCode] : "Sign-in failed.";
}
