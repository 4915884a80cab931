import type { Role } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";

// The links of hosts as trees, one from the core of each part of the network that is connected: the router, as everything
// leads to it; without one the firewall, then a switch, then what has the most links.

export interface TreeHost {
  readonly id: string;
  readonly role: Role | null;
  /** What it runs on, which need not be hosts. */
  readonly runners: readonly string[];
}

/** The ids of the hosts at both ends. */
export type TreeLink = readonly [one: string, other: string];

export interface Tree {
  /** Steps from the core; undefined if no link leads there. */
  depthOf(hostId: string): number | undefined;
  /** Whether a link, by its place, is that by which the farther of its ends hangs on the tree. */
  isBranch(link: number): boolean;
}

/** The roles of cores, by rank. */
export const CORES: readonly Role[] = ["Router", "Firewall", "Switch"];

/** @param hosts from the oldest to the youngest @param links whose ends are among the hosts */
export function treeOf(hosts: readonly TreeHost[], links: readonly TreeLink[]): Tree {
  const neighbours = new Map<string, { readonly id: string; readonly link: number }[]>();
  for (const [link, [one, other]] of links.entries()) {
    putUnder(neighbours, one, { id: other, link });
    putUnder(neighbours, other, { id: one, link });
  }
  const depths = new Map<string, number>();
  const branches = new Set<number>();

  function grow(core: string): void {
    depths.set(core, 0);
    const reached = [core];
    for (const id of reached)
      for (const { id: next, link } of neighbours.get(id) ?? []) {
        if (depths.has(next)) continue;
        depths.set(next, (depths.get(id) ?? 0) + 1);
        branches.add(link);
        reached.push(next);
      }
  }

  const weightOf = ({ id, role }: TreeHost): readonly [rank: number, links: number] => {
    const place = role === null ? -1 : CORES.indexOf(role);
    return [place === -1 ? CORES.length : place, -(neighbours.get(id)?.length ?? 0)];
  };
  const linked = hosts.filter(({ id }) => neighbours.has(id)).map((host) => ({ id: host.id, weight: weightOf(host) }));
  // Each part begins with its best; what is reached from there is no core.
  linked.sort(
    ({ weight: [rank, count] }, { weight: [otherRank, otherCount] }) => rank - otherRank || count - otherCount,
  );
  for (const { id } of linked) if (!depths.has(id)) grow(id);

  const ids = new Set(hosts.map(({ id }) => id));
  const runners = new Map(
    hosts.flatMap(({ id, runners: named }) => {
      const runner = neighbours.has(id) ? undefined : named.find((one) => ids.has(one));
      return runner === undefined ? [] : [[id, runner] as const];
    }),
  );
  return {
    depthOf: (hostId) => {
      let steps = 0;
      const passed = new Set<string>();
      for (let id = hostId; !passed.has(id); steps++) {
        const depth = depths.get(id);
        if (depth !== undefined) return depth + steps;
        const runner = runners.get(id);
        if (runner === undefined) return undefined;
        passed.add(id);
        id = runner;
      }
      return undefined;
    },
    isBranch: (link) => branches.has(link),
  };
}
