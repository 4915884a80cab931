import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** What an address is counted under: IPv6 by its /64, which is what one customer gets. */
export function addressBlockOf(address: string): string {
  if (!isIPv6(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}
