import ipaddr from "ipaddr.js";
import { readBlock } from "@nts/shared/addresses";
import type { ReservedRange, Subnet } from "@nts/shared/contract";
import { type Fault, validationFailed } from "@nts/shared/errors";
import { keyOf, parseAddress, parseBlock } from "./addresses.js";

// Assignable addresses of a subnet: without network and broadcast address for IPv4, without subnet-router anycast for
// IPv6 (RFC 4291), but both of point-to-point links (RFC 3021, RFC 6164), and a block of one address.

/** Inclusive at both ends. */
export interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

export interface AddressSpace extends Span {
  readonly family: "4" | "6";
  /** Ascending and disjoint. */
  readonly reserved: readonly Span[];
  /** The IPv4-mapped addresses of a larger block: they are IPv4, so none of its own. */
  readonly mapped: Span | null;
  /** Both, ascending: what is never assigned. */
  readonly passed: readonly Span[];
}

const MAPPED: Span = { first: 0xffffn << 32n, last: (0x1_0000n << 32n) - 1n };

export function spaceOf({ cidr, reserved }: Pick<Subnet, "cidr" | "reserved">): AddressSpace {
  const [network, bits] = readBlock(cidr);
  const family = network.kind() === "ipv4" ? "4" : "6";
  const hostBits = (family === "4" ? 32 : 128) - bits;
  const start = numberOf(keyOf(network));
  const end = start + (1n << BigInt(hostBits)) - 1n;
  const isLink = hostBits <= 1;
  const mapped = family === "6" && start < MAPPED.first && end >= MAPPED.last ? MAPPED : null;
  const spans = reserved.map(({ from, to }) => ({
    first: numberOf(parseAddress(from).key),
    last: numberOf(parseAddress(to).key),
  }));
  return {
    family,
    first: isLink ? start : start + 1n,
    last: isLink || family === "6" ? end : end - 1n,
    reserved: spans,
    mapped,
    passed: mapped === null ? spans : [...spans, mapped].sort((a, b) => (a.first < b.first ? -1 : 1)),
  };
}

/** Converts a key to the number of an address. */
export function numberOf(key: string): bigint {
  return BigInt(`0x${key.slice(1)}`);
}

/** Converts the number of an address to its key. */
export function keyAt({ family }: Pick<AddressSpace, "family">, address: bigint): string {
  return family + address.toString(16).padStart(family === "4" ? 8 : 32, "0");
}

/** Converts the number of an address to text. */
export function textAt(space: Pick<AddressSpace, "family">, address: bigint): string {
  const digits = keyAt(space, address).slice(1);
  const bytes = (digits.match(/../g) ?? []).map((byte) => parseInt(byte, 16));
  return parseAddress(ipaddr.fromByteArray(bytes).toString()).text;
}

/** The first address from here on that may be assigned. */
export function pastReserved({ passed }: AddressSpace, from: bigint): bigint {
  let address = from;
  for (const { first, last } of passed) if (address >= first && address <= last) address = last + 1n;
  return address;
}

/** Whether an address can be assigned. */
export function isGivable(space: AddressSpace, address: bigint): boolean {
  return address >= space.first && address <= space.last && pastReserved(space, address) === address;
}

/** Number of assignable addresses, and of reserved ones among them. */
export function sizesOf({ first, last, reserved, mapped }: AddressSpace): { size: bigint; reserved: bigint } {
  const sizeIn = (span: Span): bigint => lengthOf(span) - (mapped === null ? 0n : lengthOf(within(span, mapped)));
  const sizes = reserved.map((span) => sizeIn(within(span, { first, last })));
  return { size: sizeIn({ first, last }), reserved: sizes.reduce((sum, size) => sum + size, 0n) };
}

function lengthOf({ first, last }: Span): bigint {
  return last < first ? 0n : last - first + 1n;
}

/** The intersection of two ranges. */
export function within(span: Span, other: Span): Span {
  return {
    first: span.first > other.first ? span.first : other.first,
    last: span.last < other.last ? span.last : other.last,
  };
}

/**
 * Normalizes reserved ranges, ascending.
 *
 * @throws AppError `validation_failed` for one outside the block, inverted, or overlapping another
 */
export function reservedIn(cidr: string, ranges: readonly ReservedRange[]): ReservedRange[] {
  const block = parseBlock(cidr, "cidr");
  const faults: Fault[] = [];
  const placed = ranges.map(({ from, to, purpose }, index) => {
    const start = parseAddress(from);
    const end = parseAddress(to);
    const path = `reserved.${index}`;
    if (!block.contains(from) || !block.contains(to)) faults.push({ path, message: `must be inside ${block.text}` });
    else if (end.key < start.key) faults.push({ path, message: "must not end before it begins" });
    return { path, start, end, range: { from: start.text, to: end.text, purpose } };
  });
  placed.sort((a, b) => (a.start.key < b.start.key ? -1 : 1));
  if (faults.length === 0)
    placed.slice(1).forEach(({ path, start }, i) => {
      if (start.key <= (placed[i]?.end.key ?? "")) faults.push({ path, message: "must not overlap another range" });
    });
  if (faults.length > 0) throw validationFailed(...faults);
  return placed.map(({ range }) => range);
}
