import { numberOf, textAt } from "../../values/address-space.js";
import { blockAround, parseAddress, parseBlock } from "../../values/addresses.js";
import type { AddressRange } from "../coverage.rules.js";
import { addressIn } from "./texts.js";

// The addresses named by an nmap command line. Names and files are unknown here, so callers compare the number of
// addresses with the number that the scan reports.

/** Maximum ranges; beyond it, nothing counts as covered. */
const MOST_RANGES = 4_096;
/** Maximum characters of a command line. */
const LONGEST = 20_000;
/** Options with a value that may look like a target. */
const WITH_ADDRESSES: ReadonlySet<string> = new Set([
  "-S",
  "-D",
  "-b",
  "-sI",
  "--dns-servers",
  "--proxies",
  "--route-dst",
]);
/** Options that specify targets elsewhere, or probe nothing. */
const UNKNOWN_TARGETS = /^(?:-iL|-iR|-sL|--excludefile|--resume)/;

export interface Targets {
  /** Ascending and disjoint. */
  readonly ranges: readonly AddressRange[];
  /** Number of addresses in them. */
  readonly count: bigint;
  /** As written on the command line. */
  readonly texts: readonly string[];
}

/** Address keys as numbers. */
type Range = readonly [from: bigint, to: bigint];
/** Prefix of IPv4 keys. */
const OF_IPV4 = 4n;

/** The addresses of targets without the excluded ones; null if one is no address, block or octet range. */
export function targetsOf(targets: readonly string[], excluded: readonly string[]): Targets | null {
  const parse = (texts: readonly string[]): Range[] | null => {
    const parts = texts.slice(0, MOST_RANGES).map(rangesOf);
    return parts.some((ranges) => ranges === null) ? null : parts.flatMap((ranges) => ranges ?? []);
  };
  const included = parse(targets);
  const left = parse(excluded);
  if (included === null || left === null || included.length + left.length > MOST_RANGES) return null;
  return difference(included, left, [...targets, ...excluded.map((text) => `not ${text}`)]);
}

/** Parses a command line; null if it does not name its targets. */
export function targetsIn(args: string): Targets | null {
  if (args.length > LONGEST || /["']/.test(args)) return null;
  const targets: Range[] = [];
  const excluded: Range[] = [];
  const texts: string[] = [];
  const words = args.trim().split(/\s+/).slice(1);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (UNKNOWN_TARGETS.test(word)) return null;
    if (WITH_ADDRESSES.has(word)) at++;
    else if (word === "--exclude" || word.startsWith("--exclude=")) {
      const written = word === "--exclude" ? (words[++at] ?? "") : word.slice("--exclude=".length);
      const parts = written.split(",").map(rangesOf);
      // A name may stand for any address.
      if (parts.some((ranges) => ranges === null)) return null;
      excluded.push(...parts.flatMap((ranges) => ranges ?? []));
      texts.push(`not ${written}`);
    } else if (!word.startsWith("-")) {
      const ranges = rangesOf(word);
      if (ranges === null) continue;
      targets.push(...ranges);
      texts.push(word);
    }
    if (targets.length + excluded.length > MOST_RANGES) return null;
  }
  return difference(targets, excluded, texts);
}

function difference(targets: readonly Range[], excluded: readonly Range[], texts: readonly string[]): Targets {
  const ranges = without(merged(targets), merged(excluded));
  const count = ranges.reduce((sum, [from, to]) => sum + (to - from) + 1n, 0n);
  return { ranges: ranges.map(([from, to]) => ({ from: from.toString(16), to: to.toString(16) })), count, texts };
}

/** The first and last IPv4 addresses of the blocks on a command line, which are those of no machine. */
export function edgesIn(args: string): ReadonlySet<string> {
  const words = args.slice(0, LONGEST).split(/\s+/, MOST_RANGES);
  return new Set(
    words.flatMap((word) => {
      const [, ip = "", bits = ""] = /^(\d[\d.]{6,14})\/(\d\d?)$/.exec(word.replace(/\.(?:\*|0-255)$/, ".0/24")) ?? [];
      if (addressIn(ip) === null || !(Number(bits) >= 8 && Number(bits) <= 30)) return [];
      const block = parseBlock(blockAround(ip, Number(bits)), "args");
      return [block.first, block.last].map((key) => textAt({ family: "4" }, numberOf(key)));
    }),
  );
}

/** Parses a target; null if it is no address, block or octet range. */
function rangesOf(word: string): Range[] | null {
  const [written = "", bits] = word.split("/", 2);
  const ip = addressIn(written);
  if (ip !== null && !word.includes("%")) {
    const at = BigInt(`0x${parseAddress(ip).key}`);
    const size = ip.includes(":") ? 128 : 32;
    const prefix = bits === undefined ? size : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (prefix < 0 || prefix > size) return null;
    const mask = (1n << BigInt(size - prefix)) - 1n;
    return [[at & ~mask, at | mask]];
  }
  return bits === undefined ? ofOctets(written) : null;
}

/** Such as `10.0.0-3.1,5-9` and `10.0.0.*`. */
function ofOctets(text: string): Range[] | null {
  const octets = text.split(".").map(octetIn);
  if (octets.length !== 4) return null;
  let ranges: Range[] = [[OF_IPV4, OF_IPV4]];
  for (const octet of octets) {
    const next = octet === null ? null : withOctet(ranges, octet);
    if (next === null) return null;
    ranges = next;
  }
  return ranges;
}

/** Appends an octet to ranges; null if they become too many. */
function withOctet(ranges: readonly Range[], octet: readonly Range[]): Range[] | null {
  const next: Range[] = [];
  for (const range of ranges)
    for (const within of octet) {
      if (next.length > MOST_RANGES) return null;
      next.push(...below(range, within));
    }
  return next;
}

/** Appends values of an octet to each range; stays one range if all values are included. */
function below([from, to]: Range, [low, high]: Range): Range[] {
  if (low === 0n && high === 255n) return [[from << 8n, (to << 8n) | 255n]];
  const count = Number(to - from) + 1;
  if (count > MOST_RANGES) return Array.from({ length: MOST_RANGES + 1 }, () => [from, to]);
  return Array.from({ length: count }, (_, n) => {
    const one = (from + BigInt(n)) << 8n;
    return [one | low, one | high];
  });
}

function octetIn(text: string): Range[] | null {
  if (text === "*") return [[0n, 255n]];
  const parts = text.split(",").map((part): Range | null => {
    const [, from = "", dash, to = ""] = /^(\d{0,3})(-?)(\d{0,3})$/.exec(part) ?? [];
    if (dash === undefined || (from === "" && dash === "")) return null;
    const range: Range = [BigInt(from || "0"), BigInt(dash === "" ? from : to || "255")];
    return range[0] <= range[1] && range[1] <= 255n ? range : null;
  });
  return parts.some((part) => part === null) ? null : (parts as Range[]);
}

function merged(ranges: readonly Range[]): Range[] {
  const found: [bigint, bigint][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const before = found.at(-1);
    if (before !== undefined && from <= before[1] + 1n) before[1] = to > before[1] ? to : before[1];
    else found.push([from, to]);
  }
  return found;
}

function without(ranges: readonly Range[], excluded: readonly Range[]): Range[] {
  const left: Range[] = [];
  for (const [from, to] of ranges) {
    let at = from;
    for (const [low, high] of excluded) {
      if (high < at || low > to) continue;
      if (low > at) left.push([at, low - 1n]);
      at = high + 1n;
    }
    if (at <= to) left.push([at, to]);
  }
  return left;
}
