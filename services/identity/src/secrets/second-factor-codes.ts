import { randomBytes } from "node:crypto";
import { generateSecret, generateURI, verifySync } from "otplib";
import { hashCredential } from "@nts/shared/credential";

// Second factor codes: six digits of an authenticator app (RFC 6238), or a recovery code. The latter has 80 random
// bits, so its SHA-256 is safe to store, and works without the decrypted secret.

/** Number of recovery codes. */
export const RECOVERY_CODES = 10;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RECOVERY_LENGTH = 16;
/** Accepted clock skew of the app in seconds. */
const TOLERANCE_SECONDS = 30;

/** Issuer as shown in authenticator apps. */
const ISSUER = "Network topology";

/** A new Base32 secret, and the URL to set up an app with it. */
export function newAppSecret(email: string): { readonly secret: string; readonly otpauth_url: string } {
  const secret = generateSecret();
  return { secret, otpauth_url: generateURI({ issuer: ISSUER, label: email, secret }) };
}

/** A code as typed. */
export type TypedCode =
  | { readonly kind: "digits"; readonly digits: string }
  | { readonly kind: "recovery"; readonly hash: string };

/** Blanks, hyphens and case are ignored. @returns null if it is neither */
export function readCode(text: string): TypedCode | null {
  const code = text.replaceAll(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(code)) return { kind: "digits", digits: code };
  return /^[a-z2-7]{16}$/.test(code) ? { kind: "recovery", hash: hashCredential(code) } : null;
}

/**
 * The 30 s time step of a code.
 *
 * @param secret in Base32
 * @param after the time step of the last accepted code; it and earlier ones are rejected
 * @returns null for a wrong code
 */
export function stepOf(secret: string, digits: string, now: Date, after: number): number | null {
  const epoch = Math.floor(now.getTime() / 1000);
  const found = verifySync({ secret, token: digits, epoch, epochTolerance: TOLERANCE_SECONDS });
  if (!found.valid || !("timeStep" in found)) return null;
  return found.timeStep > after ? found.timeStep : null;
}

/** New recovery codes, such as `k3vd-x2mw-7qpa-c5nz`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = [...randomBytes(RECOVERY_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return letters.match(/.{4}/g)?.join("-") ?? letters;
  });
}

/** The stored hashes of recovery codes. */
export function hashesOf(codes: readonly string[]): string[] {
  return codes.map((code) => hashCredential(code.replaceAll("-", "")));
}
