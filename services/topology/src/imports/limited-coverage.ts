import type { CollectorTargets } from "@nts/shared/contract";
import { MOST_TARGET_ADDRESSES } from "@nts/shared/contract/sizes";
import { type AddressRange, type Coverage, COVERS_NOTHING } from "./coverage.rules.js";
import { targetsOf } from "./readers/nmap-targets.js";
import type { Skipped } from "./scan.rules.js";

/** What a report may cover: nothing, or its targets. */
export type CoverageLimit = "nothing" | CollectorTargets;

const ALONE = "no machine answered besides the collector itself, so its link is at fault: nothing counts as not found";

/** A coverage, no larger than allowed, whatever the report claims. */
export function limitedCoverage(
  coverage: Coverage | null,
  limit: CoverageLimit,
  skipped: Pick<Skipped, "add">,
): Coverage {
  if (coverage === null) return COVERS_NOTHING;
  const nothing = { ...COVERS_NOTHING, mentioned: coverage.mentioned };
  if (limit === "nothing" || coverage.addresses.length === 0) return nothing;
  if (coverage.others === 0) {
    skipped.add(1, "the coverage of the report", ALONE);
    return nothing;
  }
  const { cidrs, exclude } = limit;
  const excluded = targetsOf(exclude, []);
  const targets = cidrs.length === 0 ? null : targetsOf(cidrs, []);
  if (excluded === null || (targets === null && cidrs.length > 0)) return nothing;
  const wanted = targets === null ? coverage.addresses : common(coverage.addresses, targets.ranges);
  const addresses = without(wanted, excluded.ranges);
  if (countOf(addresses) > BigInt(MOST_TARGET_ADDRESSES)) return nothing;
  const shown = cidrs.filter((cidr) => common(addresses, targetsOf([cidr], [])?.ranges ?? []).length > 0);
  const blocks = targets === null ? coverage.reported.addresses : shown;
  const reported = [...new Set([...blocks, ...exclude.map((cidr) => `not ${cidr}`)])];
  return { ...coverage, absent: [], addresses, reported: { ...coverage.reported, addresses: reported } };
}

// Ranges are ascending and disjoint, and their keys of the same family compare like numbers.

/** The addresses in both. */
function common(one: readonly AddressRange[], other: readonly AddressRange[]): AddressRange[] {
  const found: AddressRange[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    const a = one[i] as AddressRange;
    const b = other[j] as AddressRange;
    const from = a.from > b.from ? a.from : b.from;
    const to = a.to < b.to ? a.to : b.to;
    if (from <= to) found.push({ from, to });
    if (a.to < b.to) i++;
    else j++;
  }
  return found;
}

/** The addresses in the first, and not in the others. */
function without(ranges: readonly AddressRange[], excluded: readonly AddressRange[]): AddressRange[] {
  return ranges.flatMap((range) => {
    const parts: AddressRange[] = [];
    let { from } = range;
    for (const gap of common([range], excluded)) {
      if (from < gap.from) parts.push({ from, to: moved(gap.from, -1n) });
      from = moved(gap.to, 1n);
    }
    return from <= range.to && from.length === range.to.length ? [...parts, { from, to: range.to }] : parts;
  });
}

function moved(key: string, by: bigint): string {
  return (BigInt(`0x${key}`) + by).toString(16);
}

function countOf(ranges: readonly AddressRange[]): bigint {
  return ranges.reduce((sum, { from, to }) => sum + BigInt(`0x${to}`) - BigInt(`0x${from}`) + 1n, 0n);
}
