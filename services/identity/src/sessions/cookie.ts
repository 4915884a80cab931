import { stringifySetCookie } from "cookie";
import { SESSION_COOKIE } from "@nts/shared/credential";
import { LONGEST_MS } from "./lifetime.rules.js";

/** Makes the values of `Set-Cookie`. */
export interface SessionCookies {
  /** The browser keeps it as long as a session can last; when it really ends is decided here. */
  carrying(token: string): string;
  /**
   * Makes the browser keep a token, or none. A browser that sent more than one session cookie also holds one that another
   * page or a subdomain has put in front of ours: it is told to forget those of every path and domain that reach the API.
   *
   * @param sent how many session cookies came with the request
   */
  replacing(sent: number, token: string | null): string[];
}

/** Paths that a cookie may be bound to and still reach operations. */
const PATHS = ["/", "/api", "/api/", "/api/auth", "/api/auth/", "/api/v1", "/api/v1/"];

/** @param publicUrl with https, browsers send the cookie over https only */
export function createSessionCookies(publicUrl: string): SessionCookies {
  const attributes = {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: new URL(publicUrl).protocol === "https:",
  } as const;
  const cookie = (value: string, maxAge: number, place: { path?: string; domain?: string } = {}): string =>
    stringifySetCookie({ ...attributes, ...place, name: SESSION_COOKIE, value, maxAge });
  const strays = [...PATHS.slice(1).map((path) => ({ path })), ...domainsOf(publicUrl).flatMap((domain) => PATHS.map((path) => ({ path, domain })))]; // prettier-ignore
  const carrying = (token: string): string => cookie(token, LONGEST_MS / 1000);
  return {
    carrying,
    replacing: (sent, token) => [
      token === null ? cookie("", 0) : carrying(token),
      ...(sent > 1 ? strays.map((place) => cookie("", 0, place)) : []),
    ],
  };
}

/** The host of a URL and the domains above it that can have cookies, at most three; none of an address or a single name. */
function domainsOf(url: string): string[] {
  const { hostname } = new URL(url);
  const labels = hostname.split(".");
  if (labels.length < 2 || /^[\d.]+$|:/.test(hostname)) return [];
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join(".")).slice(-3); // prettier-ignore
}
