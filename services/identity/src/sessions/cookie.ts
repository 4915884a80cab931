import { stringifySetCookie } from "cookie";
import { SESSION_COOKIE } from "@nts/shared/credential";
import { LONGEST_MS } from "./lifetime.js";

/** Makes the values of `Set-Cookie`. */
export interface SessionCookies {
  /** The browser keeps it as long as a session can last; when it really ends is decided here. */
  carrying(token: string): string;
  /** Makes the browser forget the session. */
  cleared(): string;
}

/** @param publicUrl with https, browsers send the cookie over https only */
export function createSessionCookies(publicUrl: string): SessionCookies {
  const attributes = {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: new URL(publicUrl).protocol === "https:",
  } as const;
  const cookie = (value: string, maxAge: number): string =>
    stringifySetCookie({ ...attributes, name: SESSION_COOKIE, value, maxAge });
  return {
    carrying: (token) => cookie(token, LONGEST_MS / 1000),
    cleared: () => cookie("", 0),
  };
}
