import type { Role } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";

// Which hosts are cut off when a device stops: those from which all known links lead through it to every router of their part of
// the network; without a router to every firewall, else to every switch. Rings and second cables therefore cut nobody off.

/** A host that passes on what others send. */
export interface Carrier {
  readonly id: string;
  readonly role: Role;
  /** What it runs on. */
  readonly runners: readonly string[];
}

/** What hosts pass on, by rank as the core of a network. */
export const CARRIERS: readonly Role[] = ["Router", "Firewall", "Switch", "AccessPoint"];

export interface Hanging {
  /** Of hosts, the nearest device without which they are cut off. */
  readonly above: ReadonlyMap<string, string>;
  readonly below: ReadonlyMap<string, readonly string[]>;
}

/** The hosts at both ends. */
export type HostLink = readonly [one: string, other: string];

/** In place of what is beyond all cores. */
const ROOT = "";
/** Devices between a host that several carry and the nearest one that all of these need; behind more, none is told. */
const MOST_CLIMBED = 100;

/** @param links of one network @param together hosts that stop at the same time, which count as the first of them */
export function hangingOf(
  carriers: readonly Carrier[],
  links: readonly HostLink[],
  together: readonly string[] = [],
): Hanging {
  const { neighbours, ranks } = graphOf(carriers, links, together);
  const cores = coresOf(neighbours, ranks);
  const isCore = new Set(cores);
  const around = (id: string): readonly string[] =>
    id === ROOT
      ? cores
      : [...(neighbours.get(id) ?? []).filter((next) => ranks.has(next)), ...(isCore.has(id) ? [ROOT] : [])];
  const tops = topsOf(around);
  const above = new Map<string, string>();
  for (const id of neighbours.keys()) {
    const top = ranks.has(id)
      ? tops.get(id)?.top
      : commonOf(
          (neighbours.get(id) ?? []).filter((at) => tops.has(at)),
          tops,
        );
    if (top !== undefined && top !== ROOT) above.set(id, top);
  }
  const below = new Map<string, string[]>();
  for (const [id, top] of above) putUnder(below, top, id);
  const [first = ""] = together;
  for (const id of together) below.set(id, below.get(first) ?? []);
  return { above, below };
}

interface Graph {
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
  /** Of hosts that pass on, the rank of their role. */
  readonly ranks: ReadonlyMap<string, number>;
}

function graphOf(carriers: readonly Carrier[], links: readonly HostLink[], together: readonly string[]): Graph {
  const [first = ""] = together;
  const merged = new Set(together);
  const called = (id: string): string => (merged.has(id) ? first : id);
  const neighbours = new Map<string, string[]>();
  const connect = (one: string, other: string): void => {
    if (one === other) return;
    putUnder(neighbours, one, other);
    putUnder(neighbours, other, one);
  };
  for (const [one, other] of links) connect(called(one), called(other));
  const linked = new Set(neighbours.keys());
  const ranks = new Map<string, number>();
  const rank = (id: string, one: number): void => void ranks.set(id, Math.min(one, ranks.get(id) ?? one));
  for (const { id, role, runners } of carriers) {
    rank(called(id), CARRIERS.indexOf(role));
    const runner = linked.has(called(id)) ? undefined : runners.map(called).find((one) => linked.has(one));
    if (runner === undefined) continue;
    // A virtual router reaches others through what it runs on.
    connect(called(id), runner);
    rank(runner, CARRIERS.length);
  }
  return { neighbours, ranks };
}

/** Of each part that is connected, those of the best rank. */
function coresOf(neighbours: Graph["neighbours"], ranks: Graph["ranks"]): string[] {
  const cores: string[] = [];
  const passed = new Set<string>();
  for (const start of ranks.keys()) {
    if (passed.has(start) || !neighbours.has(start)) continue;
    const part = new Set([start]);
    let best = CARRIERS.length;
    for (const id of part) {
      passed.add(id);
      best = Math.min(best, ranks.get(id) ?? best);
      for (const next of (neighbours.get(id) ?? []).filter((one) => ranks.has(one))) part.add(next);
    }
    cores.push(...[...part].filter((id) => ranks.get(id) === best));
  }
  return cores;
}

/** The nearest device through which all ways from the root lead, and how many there are of these. */
interface Top {
  readonly top: string;
  readonly depth: number;
}

/** Of devices, as a walk into the depth tells: from below a device that cuts off, no link leads above it. */
function topsOf(around: (id: string) => readonly string[]): ReadonlyMap<string, Top> {
  const entered = new Map<string, number>();
  const parents = new Map<string, string>();
  const order: string[] = [];
  const open: [id: string, parent: string][] = [[ROOT, ROOT]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [id, parent] = next;
    if (entered.has(id)) continue;
    entered.set(id, order.length);
    parents.set(id, parent);
    order.push(id);
    for (const one of around(id)) if (!entered.has(one)) open.push([one, id]);
  }
  const highest = new Map(entered);
  const enteredAt = (id: string): number => entered.get(id) ?? 0;
  const highestFrom = (id: string): number => highest.get(id) ?? 0;
  for (const id of [...order].reverse()) {
    for (const one of around(id)) highest.set(id, Math.min(highestFrom(id), enteredAt(one)));
    const parent = parents.get(id) ?? ROOT;
    highest.set(parent, Math.min(highestFrom(parent), highestFrom(id)));
  }
  const tops = new Map<string, Top>([[ROOT, { top: ROOT, depth: 0 }]]);
  for (const id of order.slice(1)) {
    const parent = parents.get(id) ?? ROOT;
    const top = highestFrom(id) >= enteredAt(parent) ? parent : (tops.get(parent)?.top ?? ROOT);
    tops.set(id, { top, depth: (tops.get(top)?.depth ?? 0) + 1 });
  }
  return tops;
}

/** The nearest device that is one of some, or above it, for all of them; the root if it is not near. */
function commonOf(some: readonly string[], tops: ReadonlyMap<string, Top>): string | undefined {
  let [common] = some;
  for (const id of new Set(some)) {
    let other = id;
    for (let climbed = 0; common !== undefined && common !== other; climbed++) {
      if (climbed === MOST_CLIMBED) return ROOT;
      const mine = tops.get(common);
      const theirs = tops.get(other);
      if ((mine?.depth ?? 0) >= (theirs?.depth ?? 0)) common = mine?.top ?? ROOT;
      else other = theirs?.top ?? ROOT;
    }
  }
  return common;
}
