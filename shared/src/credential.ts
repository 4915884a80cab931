import { hash } from "node:crypto";

/** The cookie that carries a session. @see docs/api.md "Authentication" */
export const SESSION_COOKIE = "session_id";

/** The cookie that binds a sign-in by a provider to the browser in which it began. */
export const BROWSER_COOKIE = "sign_in";

/** What is kept and passed on in place of an API key or the content of a session cookie: its SHA-256, in hexadecimal. */
export function hashCredential(secret: string): string {
  return hash("sha256", secret);
}

/** True for text that can be the content of a session cookie: 256 bits in base64url. */
export function isWellFormedSession(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
