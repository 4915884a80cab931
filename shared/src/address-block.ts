import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { addressText, networkOf, readAddress, readBlock } from "./addresses.js";

/** What an address is counted under; IPv6 by its /64, which is one customer's allocation. */
export function addressBlockOf(address: string): string {
  if (!isIPv6(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/** What an address takes turns under: IPv6 by its /48, the most that one site is usually given. */
export function siteOf(address: string): string {
  if (!isIPv6(address)) return address;
  const site = ipaddr.IPv6.parse(address).parts.slice(0, 3);
  return `${site.map((group) => group.toString(16)).join(":")}::/48`;
}

/**
 * Normalizes a CIDR block, or an address as a block of one; IPv4-mapped IPv6 becomes IPv4.
 *
 * @param text a well-formed address or block
 * @returns null if it has host bits
 */
export function normalBlock(text: string): string | null {
  const address = readAddress(text.split("/", 1)[0] ?? "");
  const [network, bits] = text.includes("/") ? readBlock(text) : [address, address.kind() === "ipv4" ? 32 : 128];
  if (networkOf(network, bits).toString() !== network.toString()) return null;
  return `${addressText(network)}/${bits}`;
}
