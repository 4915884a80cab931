import { isIP } from "node:net";
import type { ImportedScan, Protocol } from "@nts/shared/contract";
import { canonicalMac, HOSTNAME_LIMIT, isMac, textFault } from "@nts/shared/contract/formats";
import { parseAddress } from "../../values/addresses.js";
import { isLocal, isOfRouters } from "../../values/mac-addresses.rules.js";
import { isSynthetic } from "../../values/synthetic-names.rules.js";

// Normalizes values of files, and decides which of them identify hosts.

const TEXT_LIMIT = 2_000;
/** Description for a locally administered MAC address. */
const RANDOM_CARD = "MAC address that is random, or of a virtual machine";
/** Description for a MAC address that routers share. */
const ROUTERS_CARD = "address that routers share, as by VRRP";
/** Maximum characters of an address with zone. */
const ADDRESS_LIMIT = 100;

/** Protocols by lower-case name. */
export const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ["tcp", "Tcp"],
  ["udp", "Udp"],
]);

/** Text without control characters and surrounding white space; null if empty. */
export function clip(text: string | undefined, limit = TEXT_LIMIT): string | null {
  const clean =
    text
      ?.slice(0, 4 * limit)
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
      .trim() ?? "";
  return clean === "" ? null : [...clean].slice(0, limit).join("").trim();
}

/** An address in canonical form without zone; null if invalid. */
export function addressIn(text: string): string | null {
  const [bare = ""] = text.slice(0, ADDRESS_LIMIT).split("%", 1);
  return isIP(bare) === 0 ? null : parseAddress(bare).text;
}

/** A MAC address in canonical form; null if invalid. */
export function macIn(text: string): string | null {
  const mac = canonicalMac(text.slice(0, ADDRESS_LIMIT).trim());
  return isMac(mac) ? mac : null;
}

/** Not zero, broadcast or multicast: only such an address identifies a host. */
export function isOfOneCard(mac: string): boolean {
  return mac !== "00:00:00:00:00:00" && (parseInt(mac.slice(0, 2), 16) & 1) === 0;
}

/**
 * Classifies a MAC address: `local` is random or of a virtual machine; Docker derives one from the IP address, equal on
 * every machine.
 *
 * @param ip with which it was seen
 */
function macKind(mac: string, ip: string): "global" | "local" | "of its address" {
  const bytes = mac.split(":").map((part) => parseInt(part, 16));
  if (mac.startsWith("02:42:") && bytes.slice(2).join(".") === ip) return "of its address";
  return isLocal(mac) ? "local" : "global";
}

/** The MAC address to keep for an address: none if shared, or derived from it. */
export function cardOf(
  mac: string | null,
  ip: string,
): { readonly mac: string | null; readonly vendor: string | null } {
  if (mac === null || !isOfOneCard(mac)) return { mac: null, vendor: null };
  if (isOfRouters(mac)) return { mac: null, vendor: ROUTERS_CARD };
  const kind = macKind(mac, ip);
  return { mac: kind === "of its address" ? null : mac, vendor: kind === "local" ? RANDOM_CARD : null };
}

/** Digits of 130 bytes. */
const LONGEST_DUID = 260;

/** A DUID as pairs of digits with colons, in which programs differ; null if it is none. */
export function duidIn(text: string): string | null {
  const digits = text
    .trim()
    .replace(/^0x/i, "")
    .replaceAll(/[\s:.-]/g, "")
    .toLowerCase();
  const isOne = digits.length <= LONGEST_DUID && /^(?:[\da-f]{2}){3,}$/.test(digits);
  return isOne ? (digits.match(/../g) ?? []).join(":") : null;
}

/** Multicast or broadcast. @param mac in canonical form */
export function isGroupMac(mac: string): boolean {
  return (parseInt(mac.slice(0, 2), 16) & 1) === 1;
}

/** Multicast, broadcast, unspecified, or of a block that nobody has, which Ubuntu's hosts file names. @param ip in canonical form */
export function isGroup(ip: string): boolean {
  const first = Number(ip.split(".", 1)[0]);
  return ip.includes(":") ? /^f(?:f[0-9a-f]|e[0-7])[0-9a-f]:/.test(ip) || ip === "::" : first === 0 || first >= 224;
}

/** A hostname by which a machine can be told from others; null if it is invalid, or the same on many machines. */
export function hostnameIn(text: string): string | null {
  // The dot of the root, as in `nas.lan.`, is not part of a name.
  const name = text
    .slice(0, TEXT_LIMIT)
    .trim()
    .replace(/(?<=\w)\.$/, "");
  return textFault(name, 1, HOSTNAME_LIMIT) === null && !isSynthetic(name) ? name : null;
}

/** Loopback. @param ip in canonical form */
export function isLoopback(ip: string): boolean {
  return ip === "::1" || ip.startsWith("127.");
}

/** Link-local. @param ip in canonical form */
export function isLinkLocal(ip: string): boolean {
  return ip.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(ip);
}

/** Why an address is not reachable by others; null if it is. @param ip in canonical form */
export function reasonAgainst(ip: string): string | null {
  if (isLoopback(ip) || isGroup(ip)) return "it is not the address of a machine";
  return isLinkLocal(ip) ? "its address is link-local" : null;
}

/** A placeholder name from tools. */
export function toolInfo(scanner: string): ImportedScan {
  return { scanner, version: null, args: null, started_at: null };
}
