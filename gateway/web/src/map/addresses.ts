// Addresses and blocks as the map orders and shortens them.

const GROUPS = 8;

/** A text that orders like the address or block: IPv4 before IPv6, each by its numbers. */
export function addressKey(text: string): string {
  const [address = "", bits = ""] = text.split("/");
  const suffix = bits.padStart(3, "0");
  if (!address.includes(":")) return `4${address.split(".").map(padded).join("")}${suffix}`;
  return `6${groupsOf(address).join("")}${suffix}`;
}

function padded(part: string): string {
  return part.padStart(3, "0");
}

/** The eight groups of an IPv6 address, in four digits each. */
function groupsOf(address: string): string[] {
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const between = after === undefined ? 0 : Math.max(0, GROUPS - head.length - tail.length);
  return [...head, ...Array.from({ length: between }, () => "0"), ...tail].map((group) => group.padStart(4, "0"));
}

/** What tells the addresses of one block apart: `.12` of an IPv4 address, `:5` of an IPv6 address. */
export function lastPart(address: string): string {
  const separator = address.includes(":") ? ":" : ".";
  return address.slice(address.lastIndexOf(separator));
}

/** The number of addresses that hosts can have in an IPv4 block; null for IPv6, whose blocks are never full, and where it is hidden. */
export function capacityOf(cidr: string): number | null {
  const [address = "", bits = ""] = cidr.split("/");
  if (address === "" || address.includes(":")) return null;
  const size = 2 ** (32 - Number(bits));
  return size <= 2 ? size : size - 2;
}
