import type { Protocol } from "@nts/shared/contract";
import type { SeenAddress } from "./scan.rules.js";

// What a file covers: where it would have told of something that is there. Only what was covered can be missed, so a reader claims
// no more than its file shows; see the table in docs/sightings.md.

/** Addresses from one to another, both of them included, as keys (see `Address`). */
export interface AddressRange {
  readonly from: string;
  readonly to: string;
}

/** Numbers from one to another, both of them included. */
export type PortRange = readonly [from: number, to: number];

/** Ports of a host of which the file tells whether they are open. */
export interface CoveredPorts {
  /** Null stands for all addresses of the host. */
  readonly ip: string | null;
  readonly protocol: Protocol;
  /** In ascending order, apart from each other. */
  readonly ranges: readonly PortRange[];
  /** Those among them of which it does not tell. */
  readonly except: ReadonlySet<number>;
}

/** Where the file would have told of a host. */
export interface Coverage {
  /** In ascending order, apart from each other. */
  readonly addresses: readonly AddressRange[];
  /** Addresses at which the file says that nothing is. */
  readonly absent: readonly SeenAddress[];
  /** Addresses that the file has at hosts that may be there, in canonical form: these are not missed, whatever became of them. */
  readonly mentioned: ReadonlySet<string>;
  /** The same for people. */
  readonly told: { readonly addresses: readonly string[]; readonly ports: readonly string[] };
}

/** Of a file that tells what is there, and not what is not. */
export const COVERS_NOTHING: Coverage = {
  addresses: [],
  absent: [],
  mentioned: new Set(),
  told: { addresses: [], ports: [] },
};

/** Whether an address is in one of the ranges. @param key of the address */
export function isWithin(ranges: readonly AddressRange[], key: string): boolean {
  const found = lastBeginningAt(ranges, ({ from }) => from <= key);
  return found !== null && key <= found.to;
}

/** Whether the file tells if a port is open there. */
export function tellsOf({ ranges, except }: CoveredPorts, number: number): boolean {
  const found = lastBeginningAt(ranges, ([from]) => from <= number);
  return found !== null && number <= found[1] && !except.has(number);
}

/** Port numbers as scanners write them, such as `1-1000,8080`; empty when it is none of it. */
export function portRangesIn(text: string): PortRange[] {
  const ranges = text.split(",").map((part): PortRange => {
    const [, from = "", to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    return [from === "" ? NaN : Number(from), Number(to)];
  });
  const isOrdered = ranges.every(([from, to], at) => from <= to && from > (ranges[at - 1]?.[1] ?? -1));
  return isOrdered ? ranges : [];
}

/** The last of some ordered ranges that begins early enough. */
function lastBeginningAt<Range>(ranges: readonly Range[], isEarly: (range: Range) => boolean): Range | null {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isEarly(ranges[middle] as Range)) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1] ?? null;
}
