import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** What an address is counted under: IPv6 by its /64, which is what one customer gets. */
export function addressBlockOf(address: string): string {
  if (!isIPv6(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/**
 * A block in CIDR notation in its usual form, and an address as the block of itself; IPv4 inside IPv6 counts as IPv4.
 *
 * @param text an address or a block that is well-formed
 * @returns null when it has host bits
 */
export function normalBlock(text: string): string | null {
  const [given = "", length] = text.split("/");
  const address = ipaddr.process(given);
  const bits = address.kind() === "ipv4" ? 32 : 128;
  // The length of a block of IPv4 inside IPv6 counts from the beginning of IPv6.
  const prefix = length === undefined ? bits : Number(length) - (address.kind() === "ipv4" && isIPv6(given) ? 96 : 0);
  if (prefix < 0) return null;
  const cidr = `${address.toString()}/${prefix}`;
  const network = bits === 32 ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  if (network.toString() !== address.toString()) return null;
  return `${address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString()}/${prefix}`;
}
