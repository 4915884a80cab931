import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

// `nts_u_`, public id (8), `_`, secret (32 random characters, 190 bits), CRC-32 of all before (6); all base62. The secrets of
// shares begin with `nts_s_`, keys of collectors with `nts_c_`, and the tokens with which they enrol with `nts_e_`.
// The checksum lets mistyped keys be rejected without a lookup.

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "nts_u_";
const OF_SHARES = "nts_s_";
const OF_COLLECTORS = "nts_c_";
const OF_ENROLMENTS = "nts_e_";
const PUBLIC_ID_LENGTH = 8;
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = /^nts_[ceus]_([0-9A-Za-z]{8})_[0-9A-Za-z]{38}$/;

/** A source of uniformly distributed integers from 0 to below `limit`. */
export type RandomBelow = (limit: number) => number;

/** A new API key, with its public id. */
export interface NewApiKey {
  readonly secret: string;
  readonly publicId: string;
}

/** Generates an API key. @param random must be cryptographic, which the default is */
export function createApiKey(random: RandomBelow = (limit) => randomInt(limit)): NewApiKey {
  return createSecret(PREFIX, random);
}

/** Generates the secret of a share. */
export function createShareSecret(): string {
  return createSecret(OF_SHARES, (limit) => randomInt(limit)).secret;
}

/** Generates the key of a collector. */
export function createCollectorKey(): string {
  return createSecret(OF_COLLECTORS, (limit) => randomInt(limit)).secret;
}

/** Generates the token with which a machine enrols as a collector. */
export function createEnrolmentToken(): string {
  return createSecret(OF_ENROLMENTS, (limit) => randomInt(limit)).secret;
}

function createSecret(prefix: string, random: RandomBelow): NewApiKey {
  const characters = (length: number): string =>
    Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]).join("");
  const publicId = characters(PUBLIC_ID_LENGTH);
  const unchecked = `${prefix}${publicId}_${characters(RANDOM_LENGTH)}`;
  return { secret: unchecked + checksumOf(unchecked), publicId };
}

/** Whether a well-formed key is the secret of a share. */
export function isShareSecret(key: string): boolean {
  return key.startsWith(OF_SHARES);
}

/** Whether a well-formed key is that of a collector. */
export function isCollectorKey(key: string): boolean {
  return key.startsWith(OF_COLLECTORS);
}

/** True for a well-formed token with which a machine enrols. */
export function isEnrolmentToken(text: string): boolean {
  return text.startsWith(OF_ENROLMENTS) && hasChecksum(text);
}

/** The public id of a well-formed API key; otherwise null. Does not tell whether the key exists. */
export function parseApiKey(text: string): { readonly publicId: string } | null {
  const publicId = FORM.exec(text)?.[1];
  return publicId === undefined || text.startsWith(OF_ENROLMENTS) || !hasChecksum(text) ? null : { publicId };
}

function hasChecksum(text: string): boolean {
  const end = text.length - CHECKSUM_LENGTH;
  return FORM.test(text) && checksumOf(text.slice(0, end)) === text.slice(end);
}

/** True for a well-formed API key with a valid checksum. */
export function isWellFormedApiKey(text: string): boolean {
  return parseApiKey(text) !== null;
}

/** An API key for display: asterisks in place of the secret. */
export function maskApiKey(publicId: string): string {
  return `${PREFIX}${publicId}_${"*".repeat(RANDOM_LENGTH + CHECKSUM_LENGTH)}`;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? "") + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
