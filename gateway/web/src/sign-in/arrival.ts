import { ERRORS, type ErrorCode } from "@nts/shared/errors";

/** The remaining step of a provider sign-in, from the URL after `#`. */
export interface Challenge {
  readonly challenge: string;
  readonly isSetUp: boolean;
}

/** Null if there is none. @param hash of the URL */
export function challengeOf(hash: string): (Challenge & { readonly next: string }) | null {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const challenge = params.get("challenge");
  if (challenge === null) return null;
  return { challenge, isSetUp: params.get("set_up") === "true", next: params.get("next") ?? "/" };
}

/** The error of a provider sign-in; undefined without one. @param problem query parameter */
export function problemText(problem: string | null): string | undefined {
  if (problem === null) return undefined;
  return Object.hasOwn(ERRORS, problem) ? ERRORS[problem as ErrorCode] : "Sign-in failed.";
}
