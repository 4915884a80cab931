import { isIPv6 } from "node:net";

/** What an address is counted under: IPv6 by its /64, which is what one customer gets. */
export function addressBlockOf(address: string): string {
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(":")}::/64` : address;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address
    .toLowerCase()
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    })
    .split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map((group) => parseInt(group, 16).toString(16));
}
