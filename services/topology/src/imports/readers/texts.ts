import { isIP } from "node:net";
import type { ImportedScan, Protocol } from "@nts/shared/contract";
import { canonicalMac, HOSTNAME_LIMIT, isMac, textFault } from "@nts/shared/contract/formats";
import { parseAddress } from "../../values/addresses.js";

// Texts of files in the form in which they are kept, and what of them tells hosts apart.

const TEXT_LIMIT = 2_000;
/** What is said of a card whose address nobody gave to it who makes cards. */
const RANDOM_CARD = "MAC address that is random, or of a virtual machine";
/** Characters of an address with the name of a link. */
const ADDRESS_LIMIT = 100;

/** Protocols by their names in small letters. */
export const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ["tcp", "Tcp"],
  ["udp", "Udp"],
]);

/** Text without control characters and white space around it; null when nothing is left. */
export function clip(text: string | undefined, limit = TEXT_LIMIT): string | null {
  const clean =
    text
      ?.slice(0, 4 * limit)
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
      .trim() ?? "";
  return clean === "" ? null : [...clean].slice(0, limit).join("").trim();
}

/** An address in canonical form, without the name of the link behind it; null when it is none. */
export function addressIn(text: string): string | null {
  const [bare = ""] = text.slice(0, ADDRESS_LIMIT).split("%", 1);
  return isIP(bare) === 0 ? null : parseAddress(bare).text;
}

/** A MAC address in canonical form; null when it is none. */
export function macIn(text: string): string | null {
  const mac = canonicalMac(text.slice(0, ADDRESS_LIMIT).trim());
  return isMac(mac) ? mac : null;
}

/** Neither nothing, nor all, nor a group of cards: only such an address tells hosts apart. */
export function isOfOneCard(mac: string): boolean {
  return mac !== "00:00:00:00:00:00" && (parseInt(mac.slice(0, 2), 16) & 1) === 0;
}

/**
 * What a MAC address says of itself: `local` was not given to a card by who made it, but is random or that of a virtual
 * machine; Docker makes one of the address, which is the same on every machine.
 *
 * @param ip with which it was seen
 */
function macKind(mac: string, ip: string): "global" | "local" | "of its address" {
  const bytes = mac.split(":").map((part) => parseInt(part, 16));
  if (mac.startsWith("02:42:") && bytes.slice(2).join(".") === ip) return "of its address";
  return ((bytes[0] ?? 0) & 2) === 0 ? "global" : "local";
}

/** What is kept of the card that was seen with an address: no MAC address of several cards, nor one that follows from that. */
export function cardOf(
  mac: string | null,
  ip: string,
): { readonly mac: string | null; readonly vendor: string | null } {
  if (mac === null || !isOfOneCard(mac)) return { mac: null, vendor: null };
  const kind = macKind(mac, ip);
  return { mac: kind === "of its address" ? null : mac, vendor: kind === "local" ? RANDOM_CARD : null };
}

/** That of many at once, or of nobody. @param ip in canonical form */
export function isGroup(ip: string): boolean {
  const first = Number(ip.split(".", 1)[0]);
  return ip.includes(":") ? /^ff[0-9a-f]{2}:/.test(ip) || ip === "::" : first === 0 || first >= 224;
}

/** A host name; null when the text cannot be one. */
export function hostnameIn(text: string): string | null {
  const name = text.slice(0, TEXT_LIMIT).trim();
  return textFault(name, 1, HOSTNAME_LIMIT) === null ? name : null;
}

/** Reaches no other machine. @param ip in canonical form */
export function isLoopback(ip: string): boolean {
  return ip === "::1" || ip.startsWith("127.");
}

/** Means something on one link only, and is the same on others. @param ip in canonical form */
export function isLinkLocal(ip: string): boolean {
  return ip.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(ip);
}

/** Why an address is not one at which others reach a machine; null when it is. @param ip in canonical form */
export function reasonAgainst(ip: string): string | null {
  if (isLoopback(ip) || isGroup(ip)) return "it is not the address of a machine";
  return isLinkLocal(ip) ? "its address means something on one link only" : null;
}

/** What answers the name of a tool that says nothing of itself. */
export function toolInfo(scanner: string): ImportedScan {
  return { scanner, version: null, args: null, started_at: null };
}
