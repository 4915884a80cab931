import { hash } from "node:crypto";

/** The cookie that carries a session. @see docs/api.md "Authentication" */
export const SESSION_COOKIE = "session_id";

/** The cookie that binds a provider sign-in to the browser that started it. */
export const BROWSER_COOKIE = "sign_in";

/** SHA-256, in hexadecimal, stored and passed on in place of an API key or session token. */
export function hashCredential(secret: string): string {
  return hash("sha256", secret);
}

/** True for text in the format of a session token: 256 bits in base64url. */
export function isWellFormedSession(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
