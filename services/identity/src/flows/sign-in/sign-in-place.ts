import Bowser from "bowser";
import type { SignInPlace } from "../../model/session.js";

/** Characters of a user agent that are parsed, and stored for an unknown one. */
const MOST_READ = 512;
const MOST_KEPT = 60;

/** Where a request comes from, recognizable for the user. */
export function placeOf(call: { readonly userAgent: string | null; readonly clientAddress: string }): SignInPlace {
  const { userAgent, clientAddress } = call;
  return { browser: browserOf(userAgent ?? ""), address: clientAddress === "" ? null : clientAddress };
}

/** Such as `Firefox 131 on Linux`, or `curl/8.5.0` for other clients; null if unknown. */
export function browserOf(userAgent: string): string | null {
  const read = userAgent.slice(0, MOST_READ).trim();
  if (read === "") return null;
  const { browser, os } = Bowser.parse(read);
  const name = browser.name ?? "";
  if (name === "" || os.name === undefined || os.name === "") return read.split(/\s/)[0]?.slice(0, MOST_KEPT) ?? null;
  return `${name} ${browser.version?.split(".")[0] ?? ""}`.trim() + ` on ${os.name}`;
}
