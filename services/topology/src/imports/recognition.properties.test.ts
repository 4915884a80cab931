import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createMemoryNetwork, type MemoryNetwork } from "./testing/network.js";
import { aWorld, type Machine, type Observation, observed, passed, type World } from "./testing/machines.js";

// Machines whose identities are known live through days of DHCP, new names, cards and hardware, seen by several sources that each see a
// part. A host is never of two machines, and a machine that shows what it has shown before gets no second host.

/** Drawn worlds, and a seed under which a fault is found again. */
const ROUNDS = Number(process.env["SIGHTING_ROUNDS"] ?? 30);
const SEED = Number(process.env["SIGHTING_SEED"] ?? 20_260_216);

/** What was found out about a world. */
interface Faults {
  /** Hosts of two machines. */
  readonly joined: string[];
  /** Hosts of machines that had one. */
  readonly doubled: string[];
}

/** Which machine each host is of, as it turns out. */
interface Judge {
  readonly machineOf: Map<string, Machine>;
  readonly shown: World["shown"];
  readonly faults: Faults;
}

function importInto(network: MemoryNetwork, observation: Observation, { machineOf, shown, faults }: Judge): void {
  const plans = network.importFile(observation.file, false, observation.given);
  for (const plan of plans) {
    const ips = plan.interfaces.map(({ entity }) => entity.ip_address);
    const owners = new Set(ips.flatMap((ip) => observation.ownerOf.get(ip) ?? []));
    const [machine] = owners;
    if (machine === undefined) continue;
    const { id, name } = plan.entity;
    const what = `${name} [${plan.evidence.map(({ by, value }) => `${by} ${value}`).join(", ")}] in\n${observation.file}`;
    const before = machineOf.get(id);
    if (owners.size > 1 || (before !== undefined && before !== machine))
      faults.joined.push(`${[...owners, before].map((one) => one?.id ?? "-").join(" and ")}: ${what}`);
    const known = shown.get(machine) ?? new Set();
    const isRecognizable = ips.flatMap((ip) => observation.shownAt.get(ip) ?? []).some((one) => known.has(one));
    if (plan.action === "create" && isRecognizable) faults.doubled.push(`${machine.id}: ${what}`);
    machineOf.set(id, machine);
  }
  for (const [ip, tokens] of observation.shownAt) {
    const machine = observation.ownerOf.get(ip);
    if (machine !== undefined) shown.set(machine, new Set([...(shown.get(machine) ?? []), ...tokens]));
  }
}

/** Runs a world. */
function faultsIn(world: World): Faults {
  const network = createMemoryNetwork();
  const judge: Judge = { machineOf: new Map(), shown: world.shown, faults: { joined: [], doubled: [] } };
  for (const day of world.days) {
    passed(world, day);
    for (const look of day.looks) {
      const observation = observed(world, look);
      if (observation.ownerOf.size > 0) importInto(network, observation, judge);
    }
  }
  return judge.faults;
}

describe("machines in any world", () => {
  it("are one host each, and no host is two of them", () => {
    fc.assert(
      fc.property(aWorld, (drawn) => {
        expect(faultsIn(drawn())).toEqual({ joined: [], doubled: [] });
      }),
      { numRuns: ROUNDS, seed: SEED },
    );
  });
});
