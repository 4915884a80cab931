import type { IncomingMessage } from "node:http";
import { sessionsOf } from "../authenticate/credential.js";

/**
 * False for a request whose meaning depends on who reads it: one without `Host`, or with two of what decides who is asked
 * or who asks (`Host`, `Authorization`, the session cookie).
 */
export function isSound({ rawHeaders, httpVersion, headers }: IncomingMessage): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations++;
  }
  if (hosts === 0 ? httpVersion === "1.1" : hosts > 1) return false;
  return authorizations <= 1 && sessionsOf(headers.cookie).length <= 1;
}
