import { stringifySetCookie } from "cookie";
import { BROWSER_COOKIE } from "@nts/shared/credential";
import { SIGN_IN_SECONDS } from "../../storage/provider-sign-ins.js";

/** Creates the `Set-Cookie` values that bind a sign-in to its browser. */
export interface BrowserCookies {
  carrying(token: string): string;
  readonly cleared: string;
}

/** @param publicUrl with https, the cookie is `Secure` */
export function createBrowserCookies(publicUrl: string): BrowserCookies {
  const attributes = {
    path: "/api/auth/oidc",
    httpOnly: true,
    sameSite: "lax",
    secure: new URL(publicUrl).protocol === "https:",
  } as const;
  const cookie = (value: string, maxAge: number): string =>
    stringifySetCookie({ ...attributes, name: BROWSER_COOKIE, value, maxAge });
  return { carrying: (token) => cookie(token, SIGN_IN_SECONDS), cleared: cookie("", 0) };
}
