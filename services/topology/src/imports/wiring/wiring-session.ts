import type { Interface } from "@nts/shared/contract";
import { chunksOf } from "@nts/shared/groups";
import type { NamedHost } from "../../storage/stores/host-names.js";
import type { SeenHost } from "../scan.rules.js";
import { createMachineIndex, type HostFacts, type MachineIndex } from "./machines.js";
import { planWiring, type PlannedWiring, type World } from "./plan.rules.js";
import { wiringOf } from "./resolve.rules.js";
import type { Wiring, WiredDevice } from "./wiring.rules.js";

// The part of an import that finds links, once its hosts are done.

/** MAC addresses looked up together. */
const TOGETHER = 1_000;

export interface WiringSession {
  /** MAC addresses in tables of switches, to be looked up; null after the last batch. */
  wiredMacs(batch: number): readonly string[] | null;
  /** Records what has them. */
  recognizeWired(interfaces: readonly Interface[], hosts: readonly NamedHost[]): void;
  /** MAC addresses of chassis and ports of hosts of the file, by the ids of these. */
  cards(): readonly (readonly [hostId: string, macs: readonly string[]])[];
  /** Ids of hosts that may be at the ends of links. */
  wiredHosts(): readonly string[];
  /** Decides which links there are. @returns ids of the existing hosts at their ends */
  resolve(facts: readonly HostFacts[]): readonly string[];
  /** @param facts of the hosts at all ends of existing links, too */
  planLinks(there: Pick<World, "links" | "interfaces" | "vlans">, facts: readonly HostFacts[]): PlannedWiring;
  /** What is known of hosts that are not written, or were written by this import. */
  factsOfNew(): ReadonlyMap<string, HostFacts>;
}

/** What the rest of the import knows. */
export interface OfImport {
  readonly devices: readonly WiredDevice[];
  readonly hosts: readonly SeenHost[];
  /** Of hosts as they are planned, by their place. */
  readonly planned: ReadonlyMap<number, HostFacts>;
  readonly newId: () => string;
}

export function createWiringSession({ devices, hosts, planned, newId }: OfImport): WiringSession {
  let known: MachineIndex | null = null;
  let batches: readonly string[][] = [];
  let wiring: Wiring = { links: [], hubs: [], unclear: [] };
  const index = (): MachineIndex => {
    if (known === null) {
      known = createMachineIndex(devices, hosts, (place) => planned.get(place)?.id);
      batches = chunksOf(known.others, TOGETHER);
    }
    return known;
  };
  const ofNew = (): Map<string, HostFacts> => new Map([...planned.values()].map((one) => [one.id, one]));
  const allOf = (stored: readonly HostFacts[]): Map<string, HostFacts> => {
    const all = ofNew();
    for (const one of stored) all.set(one.id, one);
    return all;
  };
  return {
    wiredMacs: (batch) => {
      index();
      return batches[batch] ?? null;
    },
    recognizeWired: (interfaces, found) => {
      index().add(interfaces, found);
    },
    cards: () =>
      hosts.flatMap(({ cards = [] }, place) => {
        const id = planned.get(place)?.id;
        return id === undefined || cards.length === 0 ? [] : [[id, cards] as const];
      }),
    wiredHosts: () => index().hostIds(),
    resolve: (stored) => {
      wiring = wiringOf(devices, index().machines(allOf(stored)));
      const ends = [
        ...wiring.links.flatMap((link) => link.ends),
        ...wiring.hubs.flatMap(({ at, members }) => [at, ...members]),
      ];
      return [...new Set(ends.map(({ machine }) => machine))];
    },
    planLinks: (there, stored) => planWiring(wiring, devices, { ...there, facts: allOf(stored), newId }),
    factsOfNew: ofNew,
  };
}
