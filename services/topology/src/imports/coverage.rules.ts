import type { Protocol } from "@nts/shared/contract";
import type { SeenAddress } from "./scan.rules.js";

// What a file covers: where it would have reported what exists. Only covered entities can be missed, so readers claim
// no more than the file proves; see docs/sightings.md.

/** Addresses, both ends inclusive, as keys (see `Address`). */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/** Numbers, both ends inclusive. */
export type PortRange = readonly [from: number, to: number];

/** Ports of a host whose state the file reports. */
export interface CoveredPorts {
  /** Null stands for all addresses of the host. */
  readonly ip: string | null;
  readonly protocol: Protocol;
  /** Ascending and disjoint. */
  readonly ranges: readonly PortRange[];
  /** Exceptions, ascending and disjoint as well: as single numbers, those of a machine that hardly answers are a megabyte. */
  readonly except: readonly PortRange[];
}

/** Where the file would have reported a host. */
export interface Coverage {
  /** Ascending and disjoint. */
  readonly addresses: readonly AddressRange[];
  /** Addresses reported as unused. */
  readonly absent: readonly SeenAddress[];
  /** Addresses of hosts that may be up, in canonical form; never missed, whatever their outcome. */
  readonly mentioned: ReadonlySet<string>;
  /** Machines in the file besides the one that has looked; absent if that is not known. */
  readonly others?: number;
  /** For display. */
  readonly reported: { readonly addresses: readonly string[]; readonly ports: readonly string[] };
}

/** For files that report presence but not absence. */
export const COVERS_NOTHING: Coverage = {
  addresses: [],
  absent: [],
  mentioned: new Set(),
  reported: { addresses: [], ports: [] },
};

/** What several files cover together. */
export function coveragesTogether(coverages: readonly Coverage[]): Coverage {
  const ranges = coverages.flatMap(({ addresses }) => addresses).sort((a, b) => (a.from < b.from ? -1 : 1));
  const addresses: AddressRange[] = [];
  for (const range of ranges) {
    const last = addresses.at(-1);
    if (last === undefined || range.from > last.to) addresses.push(range);
    else if (range.to > last.to) addresses[addresses.length - 1] = { from: last.from, to: range.to };
  }
  return {
    addresses,
    absent: coverages.flatMap(({ absent }) => absent),
    mentioned: new Set(coverages.flatMap(({ mentioned }) => [...mentioned])),
    reported: {
      addresses: [...new Set(coverages.flatMap(({ reported }) => reported.addresses))],
      ports: [...new Set(coverages.flatMap(({ reported }) => reported.ports))],
    },
  };
}

/** Whether an address is in one of the ranges. @param key of the address */
export function isWithin(ranges: readonly AddressRange[], key: string): boolean {
  const found = lastBeginningAt(ranges, ({ from }) => from <= key);
  return found !== null && key <= found.to;
}

/** Whether the file reports if a port is open there. */
export function reportsOn({ ranges, except }: CoveredPorts, number: number): boolean {
  return isAmong(ranges, number) && !isAmong(except, number);
}

function isAmong(ranges: readonly PortRange[], number: number): boolean {
  const found = lastBeginningAt(ranges, ([from]) => from <= number);
  return found !== null && number <= found[1];
}

/** Single numbers as ranges. */
export function singly(numbers: Iterable<number>): PortRange[] {
  return [...numbers].sort((a, b) => a - b).map((number) => [number, number]);
}

/** Parses port lists such as `1-1000,8080`; empty if invalid. */
export function portRangesIn(text: string): PortRange[] {
  const ranges = text.split(",").map((part): PortRange => {
    const [, from = "", to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    return [from === "" ? NaN : Number(from), Number(to)];
  });
  const isOrdered = ranges.every(([from, to], at) => from <= to && from > (ranges[at - 1]?.[1] ?? -1));
  return isOrdered ? ranges : [];
}

/** The last of the ordered ranges that starts early enough. */
function lastBeginningAt<Range>(ranges: readonly Range[], isEarly: (range: Range) => boolean): Range | null {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isEarly(ranges[middle] as Range)) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1] ?? null;
}
