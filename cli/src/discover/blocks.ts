import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";

// IPv4 addresses of blocks, such as `192.168.1.0/24`. Which of them this machine reaches without a router decides how they are
// looked for: on its own links every machine answers the question for its MAC address, even behind a firewall.

/** More are looked at in several runs: at the usual rate, they take some minutes. */
export const MOST_ADDRESSES = 65_536;
/** A link with more addresses is only looked at on request. */
const SMALLEST_PREFIX = 20;

/** A range of addresses as numbers, both ends inclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An IPv4 address of this machine. */
export interface OwnAddress {
  readonly ip: string;
  readonly mac: string;
  /** Such as `192.168.1.0/24`. */
  readonly block: string;
  /** The name of its interface. */
  readonly link: string;
}

/** Container bridges and virtual pairs are of no concern to other machines. */
const INNER = /^(?:lo|docker|br-|veth|cni|flannel|virbr|tun|tap|wg|utun)/;

/** The addresses of this machine. @param interfaces of `os.networkInterfaces()` */
export function ownAddressesAmong(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): OwnAddress[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    INNER.test(name)
      ? []
      : addresses
          .filter(({ family, internal, cidr }) => family === "IPv4" && !internal && cidr !== null)
          .map(({ address, mac, cidr }) => ({ ip: address, mac, block: blockOf(cidr ?? ""), link: name })),
  );
}

/** The IPv6 addresses of this machine that others can reach, also through routers. */
export function ownIpv6Among(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): Omit<OwnAddress, "block">[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    INNER.test(name)
      ? []
      : addresses
          .filter(({ family, internal, address }) => family === "IPv6" && !internal && !/^fe[89ab]/i.test(address))
          .map(({ address, mac }) => ({ ip: address, mac, link: name })),
  );
}

/** The blocks that are looked at if none is named: the links of this machine, except large ones. */
export function blocksOf(own: readonly OwnAddress[]): string[] {
  const blocks = own.map(({ block }) => block).filter((block) => prefixOf(block) >= SMALLEST_PREFIX);
  return [...new Set(blocks)];
}

/** A block with its host part cleared; null if the text is neither an IPv4 address nor a block. */
export function blockIn(text: string): string | null {
  const [ip = "", prefix = "32", more] = text.split("/");
  if (!isIPv4(ip) || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32 || more !== undefined) return null;
  return blockOf(`${ip}/${prefix}`);
}

/** An IPv6 address or block, such as `2001:db8::/64`; null if the text is neither. */
export function ipv6BlockIn(text: string): string | null {
  const [ip = "", prefix = "128", more] = text.split("/");
  const isBlock = isIPv6(ip) && !ip.includes("%") && /^\d{1,3}$/.test(prefix) && Number(prefix) <= 128;
  return isBlock && more === undefined ? `${ip}/${prefix}` : null;
}

/** Tells which IPv6 addresses are in any of the blocks. */
export function ipv6ListOf(blocks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) list.addSubnet(block.split("/", 1)[0] ?? "", prefixOf(block), "ipv6");
  return (ip) => list.check(ip, "ipv6");
}

/**
 * The addresses of blocks in ascending order, each once, without excluded ones, and without network and broadcast addresses.
 *
 * @returns null if there are more than {@link MOST_ADDRESSES}
 */
export function addressesOf(blocks: readonly string[], excluded: readonly string[]): string[] | null {
  const without = listOf(excluded);
  const ranges = blocks.map(machinesIn).sort((a, b) => a.from - b.from);
  const found: string[] = [];
  let next = 0;
  for (const { from, to } of ranges) {
    for (let at = Math.max(from, next); at <= to; at++) {
      const ip = textOf(at);
      if (without.check(ip)) continue;
      if (found.push(ip) > MOST_ADDRESSES) return null;
    }
    next = Math.max(next, to + 1);
  }
  return found;
}

/** Whether one block is inside of another, or the same. */
export function isInside(block: string, outer: string): boolean {
  return prefixOf(block) >= prefixOf(outer) && listOf([outer]).check(block.split("/", 1)[0] ?? "");
}

/** Tells which addresses are in any of the blocks. */
export function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) list.addSubnet(block.split("/", 1)[0] ?? "", prefixOf(block), "ipv4");
  return list;
}

/** Addresses of machines: the first and last one of a block of more than two have a meaning of their own. */
function machinesIn(block: string): Range {
  const from = numberOf(block.split("/", 1)[0] ?? "");
  const size = 2 ** (32 - prefixOf(block));
  return size <= 2 ? { from, to: from + size - 1 } : { from: from + 1, to: from + size - 2 };
}

function blockOf(cidr: string): string {
  const [ip = "", prefix = "32"] = cidr.split("/");
  const size = 2 ** (32 - Number(prefix));
  return `${textOf(Math.floor(numberOf(ip) / size) * size)}/${prefix}`;
}

function prefixOf(block: string): number {
  return Number(block.split("/")[1]);
}

function numberOf(ip: string): number {
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join(".");
}
