import { hash } from "node:crypto";

const VERIFIER = /^[\w.~-]{43,128}$/;

/** Whether a verifier is the one of a challenge by S256, as RFC 7636 defines them. */
export function fits(verifier: string | undefined, challenge: string): boolean {
  return verifier !== undefined && VERIFIER.test(verifier) && hash("sha256", verifier, "base64url") === challenge;
}
