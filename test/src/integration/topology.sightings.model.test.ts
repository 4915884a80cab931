/**
 * Moving machines, scans that cover some of them, and a model with one rule: what is covered and not found is missed,
 * nothing else. `npm run long -- sightings` runs 1,000 imports of each kind.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { getHost, type Host, patchHost, patchInterface, patchService } from "@nts/shared/contract";
import { anEmptyNetwork, hostsOf, importFile, importScan } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { missingIn, scanOfBlock, sizeOf, type Up } from "../support/sightings.js";
import { startTopology, type Topology } from "../support/topology.js";
import { SEED } from "../support/sample-seed.js";

const ROUNDS = Number(process.env["SIGHTING_ROUNDS"] ?? 10);
const IMPORTS = Number(process.env["RENAMED_IMPORTS"] ?? 12);
const MACHINES = 6;
const PORTS = [22, 80, 443];
const BLOCKS = ["10.0.0.0/24", "10.0.0.0/25", "10.0.0.128/25", "10.0.0.64/26", "10.0.0.17/32"];
const ADDRESSES = ["10.0.0.17", "10.0.0.70", "10.0.0.90", "10.0.0.120", "10.0.0.130", "10.0.0.200", "10.0.0.250"];

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

/** A scan of one round. */
interface Round {
  readonly block: string;
  /** For each machine: whether it is up, its address by index, and its open ports as bits. */
  readonly machines: readonly { readonly isUp: boolean; readonly at: number; readonly ports: number }[];
  readonly services: string | undefined;
  readonly isDry: boolean;
}

const aRound: fc.Arbitrary<Round> = fc.record({
  block: fc.constantFrom(...BLOCKS),
  machines: fc.array(fc.record({ isUp: fc.boolean(), at: fc.nat(ADDRESSES.length - 1), ports: fc.nat(7) }), {
    minLength: MACHINES,
    maxLength: MACHINES,
  }),
  services: fc.constantFrom(undefined, "1-1000", "1-100"),
  isDry: fc.boolean(),
});

const last = (ip: string): number => Number(ip.split(".")[3]);
const isIn = (block: string, ip: string): boolean => {
  const from = last(block.split("/")[0] ?? "");
  return last(ip) >= from && last(ip) < from + sizeOf(block);
};
const macOf = (machine: number): string => `02:00:00:00:00:${String(machine + 10)}`;

/** The model's state of a machine that was found. */
interface Known {
  /** The round since which each address is missed; null when it is not. */
  readonly addresses: Map<string, number | null>;
  readonly ports: Map<number, number | null>;
  missed: number | null;
}

/** By name. A machine that has lost its last address to another one is still known by its MAC address. */
interface Model {
  readonly all: Map<string, Known>;
  /** The names of machines that were found. */
  readonly names: Map<number, string>;
}

/** The machines that a round finds: of several at one address, the first one. */
function upIn({ block, machines }: Round): Map<number, Up> {
  const found = new Map<number, Up>();
  const taken = new Set<string>();
  for (const [machine, { isUp, at, ports }] of machines.entries()) {
    const ip = ADDRESSES[at] ?? "";
    if (!isUp || taken.has(ip) || !isIn(block, ip)) continue;
    taken.add(ip);
    found.set(machine, { ip, mac: macOf(machine), ports: PORTS.filter((_port, bit) => (ports & (1 << bit)) !== 0) });
  }
  return found;
}

/** The rule of the model. */
function follow({ all, names }: Model, { block, services }: Round, up: ReadonlyMap<number, Up>, round: number): void {
  const at = new Set([...up.values()].map(({ ip }) => ip));
  // Machines are matched before any of them takes an address.
  for (const machine of up.keys())
    if (!names.has(machine)) {
      const name = `machine-${machine}-${round}`;
      names.set(machine, name);
      all.set(name, { addresses: new Map(), ports: new Map(), missed: null });
    }
  for (const [machine, { ip, ports = [] }] of up) {
    const known = all.get(names.get(machine) ?? "") as Known;
    for (const other of all.values()) if (other !== known) other.addresses.delete(ip);
    known.addresses.set(ip, null);
    known.missed = null;
    for (const port of ports) known.ports.set(port, null);
  }
  const isAbsent = (ip: string): boolean => isIn(block, ip) && !at.has(ip);
  const seenAs = new Map([...up].map(([machine, one]) => [names.get(machine), one]));
  for (const [name, known] of all) {
    const seen = seenAs.get(name);
    const most = Number(services?.split("-")[1] ?? 0);
    for (const [port, since] of known.ports) {
      const isCovered =
        seen !== undefined && port <= most && [...known.addresses.keys()].every((ip) => ip === seen.ip || isAbsent(ip));
      if (isCovered && seen.ports?.includes(port) !== true) known.ports.set(port, since ?? round);
    }
    let isTouched = false;
    for (const [ip, since] of known.addresses)
      if (isAbsent(ip)) {
        known.addresses.set(ip, since ?? round);
        isTouched = true;
      }
    if (isTouched && [...known.addresses.values()].every((since) => since !== null)) known.missed ??= round;
  }
}

describe(`sightings over ${ROUNDS} random imports (SEED=${SEED})`, () => {
  it(
    "mark as missed what was covered and not found, and never what was not covered; moved addresses follow their machine",
    async () => {
      const { owner, network } = await anEmptyNetwork(topology.aCaller());
      const model: Model = { all: new Map(), names: new Map() };
      const spans: [number, number][] = [];
      const roundOf = (time: string | null | undefined): number | null => {
        if (time === null || time === undefined) return null;
        const ms = Date.parse(time);
        return spans.findIndex(([from, to]) => from <= ms && ms <= to);
      };
      const stateOf = (hosts: readonly Host[]): unknown =>
        Object.fromEntries(
          hosts.map((host) => [
            host.hostname,
            {
              missed: roundOf(host.missed_since),
              addresses: Object.fromEntries(
                host.interfaces.map((one) => [one.ip_address, roundOf(one.missed_since)] as const).sort(),
              ),
              ports: Object.fromEntries(host.ports.map((one) => [one.number, roundOf(one.missed_since)])),
            },
          ]),
        );
      const expected = (): unknown =>
        Object.fromEntries(
          [...model.all].map(([name, { missed, addresses, ports }]) => [
            name,
            { missed, addresses: Object.fromEntries([...addresses].sort()), ports: Object.fromEntries(ports) },
          ]),
        );

      for (const [round, one] of fc.sample(aRound, { seed: SEED, numRuns: ROUNDS }).entries()) {
        const up = upIn(one);
        const file = scanOfBlock(
          one.block,
          [...up.values()],
          one.services === undefined ? {} : { services: one.services },
        );
        const preview = one.isDry ? await importScan(owner, network, file, { dry_run: "true" }) : null;
        const from = Date.now();
        const plan = await importScan(owner, network, file);
        spans.push([from, Date.now()]);
        // A host that could not be written has nothing missing, so its error is checked first.
        expect(plan.hosts.flatMap(({ name, error }) => (error === null ? [] : [[round, name, error]]))).toEqual([]);
        if (preview !== null) expect(missingIn(preview)).toEqual(missingIn(plan));
        follow(model, one, up, round);
        // Users rename hosts, and no import changes that.
        for (const host of await hostsOf(owner, network)) {
          const mac = host.interfaces.find(({ mac_address }) => mac_address !== null)?.mac_address;
          const hostname = model.names.get(Number(mac?.slice(-2)) - 10) ?? "nobody";
          if (host.hostname === null)
            await owner.call(patchHost, { params: { id: host.id }, body: { name: `our ${hostname}`, hostname } });
        }
        const hosts = await hostsOf(owner, network);
        expect({ round, ...(stateOf(hosts) as object) }).toEqual({ round, ...(expected() as object) });
        for (const host of hosts) expect(host.name).toBe(`our ${host.hostname ?? ""}`);
      }
    },
    60_000 + ROUNDS * 2_000,
  );
});

describe(`a host that a user has renamed, over ${IMPORTS} imports (SEED=${SEED})`, () => {
  const MAC = "00:11:32:00:00:0A";
  const OTHER = "00:11:32:00:00:0B";
  const STRANGER = "10.0.0.5";

  /**
   * What a source reports of the machine at an address, and of another one with the name that the user gave to the
   * first.
   */
  const files: readonly ((ip: string, n: number) => readonly [format: string, file: string])[] = [
    (ip, n) => [
      "auto",
      scanOfBlock("10.0.0.0/24", [
        { ip, mac: MAC, hostname: `dhcp-${n}.lan`, ports: [22] },
        { ip: STRANGER, mac: OTHER, hostname: "files.lan" },
      ]),
    ],
    (ip, n) => ["dhcp-leases", `4102444800 ${MAC} ${ip} nas-${n} *\n4102444800 ${OTHER} ${STRANGER} files *\n`],
    (ip) => [
      "ip-neigh",
      JSON.stringify(
        [
          [ip, MAC],
          [STRANGER, OTHER],
        ].map(([dst, lladdr]) => ({ dst, dev: "eth0", lladdr, state: ["REACHABLE"] })),
      ),
    ],
    () => ["auto", scanOfBlock("10.0.0.0/24", [{ ip: STRANGER, mac: OTHER, ports: [80] }])],
  ];

  it(
    "stays the same, with all edits of the user, wherever its machine moves and whatever it is called there",
    async () => {
      const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
      const [, first] = files[0]!(ADDRESSES[0]!, 0);
      await importScan(owner, network_id, first);
      const [made] = (await hostsOf(owner, network_id)).filter(({ interfaces: [one] }) => one?.mac_address === MAC);
      const ours = { name: "Our files", hostname: "files.lan", description: "under the stairs", tags: ["mine"] };
      await owner.call(patchHost, { params: made!, body: ours });
      await owner.call(patchInterface, { params: made!.interfaces[0]!, body: { name: "uplink" } });
      await owner.call(patchService, { params: made!.services[0]!, body: { name: "Our shell" } });
      const draws = fc.sample(fc.tuple(fc.nat(files.length - 1), fc.constantFrom(...ADDRESSES)), {
        seed: SEED,
        numRuns: IMPORTS,
      });
      const at = new Set([ADDRESSES[0]]);
      for (const [n, [source, ip]] of draws.entries()) {
        const [format, file] = files[source]!(ip, n);
        if (file.includes(MAC)) at.add(ip);
        const { summary } = await importFile(owner, format, { network_id }, file);
        expect([n, format, summary.hosts.create, summary.hosts.failed]).toEqual([n, format, 0, 0]);
        const host = await owner.call(getHost, { params: made! });
        expect(host).toMatchObject({ ...ours, services: [{ name: "Our shell" }] });
        expect(host.interfaces[0]).toMatchObject({ ip_address: ADDRESSES[0], name: "uplink" });
        expect(host.interfaces.map((one) => [one.ip_address, one.mac_address]).sort()).toEqual(
          [...at].sort().map((one) => [one, MAC]),
        );
      }
      expect((await hostsOf(owner, network_id)).map(({ interfaces }) => interfaces[0]?.mac_address).sort()).toEqual(
        [MAC, OTHER].sort(),
      );
    },
    60_000 + IMPORTS * 500,
  );
});
