import { randomBytes } from "node:crypto";
import { hashCredential } from "@nts/shared/credential";

// A refresh token has two random parts: that of its family stays, and the other one changes with each use. So whoever presents
// an old token of a family is known to do so, however old it is, and only one hash of each part is stored.

const FORM = /^nts_r_([\w-]{32})\.[\w-]{43}$/;

export interface RefreshToken {
  readonly token: string;
  /** Hashes to be stored. */
  readonly family: string;
  readonly refresh: string;
}

/** Makes a token. @param previous of the same family; absent for a new one */
export function newRefreshToken(previous?: string): RefreshToken {
  const family = familyIn(previous ?? "") ?? randomBytes(24).toString("base64url");
  const token = `nts_r_${family}.${randomBytes(32).toString("base64url")}`;
  return { token, family: hashCredential(family), refresh: hashCredential(token) };
}

/** The hashes of a token; null if it is malformed. */
export function readRefreshToken(token: string): Pick<RefreshToken, "family" | "refresh"> | null {
  const family = familyIn(token);
  return family === null ? null : { family: hashCredential(family), refresh: hashCredential(token) };
}

function familyIn(token: string): string | null {
  return FORM.exec(token)?.[1] ?? null;
}
