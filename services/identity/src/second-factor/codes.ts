import { randomBytes } from "node:crypto";
import { generateSecret, generateURI, verifySync } from "otplib";
import { hashCredential } from "@nts/shared/credential";

// What somebody types as the second factor: six digits of an authenticator app (RFC 6238), or one of the recovery codes. A recovery
// code has 80 random bits, so that its SHA-256 gives nothing away, and is good also where the secret cannot be decrypted any more.

/** Recovery codes that are made at a time. */
export const RECOVERY_CODES = 10;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RECOVERY_LENGTH = 16;
/** Seconds by which the clock of the app may differ. */
const TOLERANCE_SECONDS = 30;

/** As authenticator apps show it. */
const ISSUER = "Network topology";

/** The secret of a new app, in Base32, and the URL that says it to the app. */
export function newAppSecret(email: string): { readonly secret: string; readonly otpauth_url: string } {
  const secret = generateSecret();
  return { secret, otpauth_url: generateURI({ issuer: ISSUER, label: email, secret }) };
}

/** A code as it was typed. */
export type TypedCode =
  | { readonly kind: "digits"; readonly digits: string }
  | { readonly kind: "recovery"; readonly hash: string };

/** Blanks, hyphens and capitals do not matter. @returns null for what can be neither */
export function readCode(text: string): TypedCode | null {
  const code = text.replaceAll(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(code)) return { kind: "digits", digits: code };
  return /^[a-z2-7]{16}$/.test(code) ? { kind: "recovery", hash: hashCredential(code) } : null;
}

/**
 * The step of thirty seconds to which a code belongs.
 *
 * @param secret in Base32
 * @param after the step of the last code that was accepted: none is accepted twice, and none older
 * @returns null for a wrong one
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

/** What is stored of recovery codes. */
export function hashesOf(codes: readonly string[]): string[] {
  return codes.map((code) => hashCredential(code.replaceAll("-", "")));
}
