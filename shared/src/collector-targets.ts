import { addressText, networkOf, readBlock } from "./addresses.js";
import type { CollectorTargets } from "./contract/collectors.js";
import { MOST_TARGET_ADDRESSES } from "./contract/sizes.js";

// Where a collector looks.

/** Addresses of a family, both ends inclusive. */
interface Span {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** A fault of the targets, and where; null if there is none. */
export function targetsFault({ cidrs, exclude }: CollectorTargets): { path: string; message: string } | null {
  for (const [member, blocks] of [
    ["cidrs", cidrs],
    ["exclude", exclude],
  ] as const) {
    const at = blocks.findIndex(hasHostBits);
    if (at !== -1)
      return { path: `targets.${member}.${at}`, message: `has host bits: write ${normalOf(blocks[at] as string)}` };
  }
  const addresses = addressesIn(cidrs);
  if (addresses > MOST_TARGET_ADDRESSES)
    return {
      path: "targets.cidrs",
      message: `has ${addresses} addresses; at most ${MOST_TARGET_ADDRESSES} are looked at: name smaller blocks, or make several collectors`,
    };
  return null;
}

/** The number of IPv4 addresses in blocks. */
export function addressesIn(cidrs: readonly string[]): number {
  const ofFamily = merged(cidrs.map(spanOf)).filter(({ family }) => family === 4);
  return Number(ofFamily.reduce((sum, { first, last }) => sum + last - first + 1n, 0n));
}

/** The index of the first block that does not lie inside others; -1 if all do. No others stand for anywhere. */
export function outsideOf(blocks: readonly string[], within: readonly string[]): number {
  const spans = merged(within.map(spanOf));
  return within.length === 0 ? -1 : blocks.findIndex((block) => !spans.some((one) => contains(one, spanOf(block))));
}

/** Whether what a job may look at is still allowed by the targets of its collector. */
export function isStillAllowed(job: CollectorTargets, now: CollectorTargets): boolean {
  if (job.cidrs.length === 0 ? now.cidrs.length > 0 : outsideOf(job.cidrs, now.cidrs) !== -1) return false;
  const excluded = merged(job.exclude.map(spanOf));
  const looked = job.cidrs.map(spanOf);
  return now.exclude.every((block) => {
    const span = spanOf(block);
    // Exclusions of what it does not look at do not concern it.
    const isLookedAt = looked.length === 0 || looked.some((one) => overlaps(one, span));
    return !isLookedAt || excluded.some((one) => contains(one, span));
  });
}

function contains(outer: Span, inner: Span): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

function overlaps(one: Span, other: Span): boolean {
  return one.family === other.family && one.first <= other.last && other.first <= one.last;
}

/** Ascending and disjoint; neighbours are joined. */
function merged(spans: readonly Span[]): Span[] {
  const done: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1))) {
    const last = done.at(-1);
    if (last === undefined || last.family !== span.family || span.first > last.last + 1n) done.push(span);
    else if (span.last > last.last) done[done.length - 1] = { ...last, last: span.last };
  }
  return done;
}

function spanOf(cidr: string): Span {
  const [address, bits] = readBlock(cidr);
  const family = address.kind() === "ipv4" ? 4 : 6;
  const hostBits = BigInt((family === 4 ? 32 : 128) - bits);
  const number = address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const first = (number >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n };
}

function hasHostBits(cidr: string): boolean {
  const [address, bits] = readBlock(cidr);
  return networkOf(address, bits).toString() !== address.toString();
}

function normalOf(cidr: string): string {
  const [address, bits] = readBlock(cidr);
  return `${addressText(networkOf(address, bits))}/${bits}`;
}
