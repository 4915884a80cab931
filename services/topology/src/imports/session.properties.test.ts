import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Interface } from "@nts/shared/contract";
import type { PlannedHost, Recognized } from "./plan.rules.js";
import { createSession } from "./session.js";
import { after } from "./testing/sightings.js";

// Machines with a MAC address each move between addresses; scans see some of them, from their own link with MAC addresses,
// from elsewhere without. What the inventory holds is compared with a model that knows only the law: an address belongs to
// the machine that was seen there last.

interface Sighting {
  readonly ip: string;
  readonly mac: string | null;
  readonly port: number;
}

const IPS = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
const MACS = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"];

const aSighting: fc.Arbitrary<Sighting> = fc.record({
  ip: fc.constantFrom(...IPS),
  mac: fc.option(fc.constantFrom(...MACS)),
  port: fc.constantFrom(22, 80, 443),
});
const someScans = fc.array(fc.array(aSighting, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });

const fileOf = (sightings: readonly Sighting[]): string =>
  `<nmaprun>${sightings
    .map(
      ({ ip, mac, port }) =>
        `<host><address addr="${ip}" addrtype="ipv4"/>${mac === null ? "" : `<address addr="${mac}" addrtype="mac"/>`}` +
        `<ports><port protocol="tcp" portid="${port}"><state state="open"/></port></ports></host>`,
    )
    .join("")}</nmaprun>`;

/** A network in memory, which plans are applied to. */
function createNetwork() {
  const hosts = new Map<string, Recognized>();
  const interfaces = (): Interface[] =>
    [...hosts.values()].flatMap((host) => host.interfaces.map(({ entity }) => entity));

  function apply(plan: PlannedHost): void {
    for (const gone of plan.superseded) {
      const loser = hosts.get(gone.host_id)!;
      const services = loser.services.map(({ entity, revision }) => ({
        revision,
        entity: { ...entity, bindings: entity.bindings.filter((one) => one.interface_id !== gone.id) },
      }));
      const left = loser.interfaces.filter(({ entity }) => entity.id !== gone.id);
      hosts.set(gone.host_id, { ...loser, services, interfaces: left });
    }
    hosts.set(plan.entity.id, after(plan, hosts.get(plan.entity.id) ?? null));
  }

  /** Imports, each host planned on what is there by then or, in a preview, on what was there before. */
  function importScan(sightings: readonly Sighting[], isDry: boolean): PlannedHost[] {
    const session = createSession();
    session.read([new TextEncoder().encode(fileOf(sightings))], { networkId: "network", hints: [] });
    session.recognize(interfaces());
    session.settle([]);
    return session.jobs(0).map(({ index, match }) => {
      const there = match === null ? undefined : hosts.get(match.hostId);
      const known = match === null || there === undefined ? null : { ...there, by: match.by };
      const now = "2026-02-16T09:30:00.000Z";
      const plan = session.plan(index, { now, known, interfaces: isDry ? null : interfaces() });
      if (!isDry) apply(plan);
      return plan;
    });
  }

  return { hosts, interfaces, importScan };
}

/** The same of a plan in a preview and in an import. */
const shapeOf = (plans: readonly PlannedHost[]): unknown =>
  plans.map(({ action, matchedBy, interfaces, ports, services, changes, superseded }) => ({
    action,
    matchedBy,
    interfaces: interfaces.map((one) => [one.action, one.entity.ip_address, one.entity.mac_address]),
    ports: ports.map((one) => [one.action, one.entity.number]),
    services: services.map((one) => [one.action, one.entity.name, one.seenAt]),
    changes,
    superseded: superseded.map(({ id }) => id),
  }));

describe("whatever moves, and however it is seen", () => {
  it("an address is at one host, which is the machine that was seen there last", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = createNetwork();
        for (const scan of scans) {
          network.importScan(scan, false);
          const last = new Map(scan.map((sighting) => [sighting.ip, sighting]));
          for (const { ip, port } of last.values()) {
            const holders = network.interfaces().filter((one) => one.ip_address === ip);
            expect(holders.length).toBe(1);
            const host = network.hosts.get(holders[0]!.host_id)!;
            expect(host.ports.map(({ entity }) => entity.number)).toContain(port);
          }
          // Of several sightings of an address that agree, one may know the MAC address.
          for (const { ip, mac } of last.values()) {
            const [holder] = network.interfaces().filter((one) => one.ip_address === ip);
            const host = network.hosts.get(holder!.host_id)!;
            if (mac !== null) expect(host.interfaces.map(({ entity }) => entity.mac_address)).toContain(mac);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("a preview says what the import then does", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = createNetwork();
        for (const scan of scans) {
          const preview = shapeOf(network.importScan(scan, true));
          expect(shapeOf(network.importScan(scan, false))).toEqual(preview);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("the same scan again changes nothing", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = createNetwork();
        for (const scan of scans) {
          network.importScan(scan, false);
          const again = network.importScan(scan, true);
          expect(again.map(({ action }) => action)).toEqual(again.map(() => "unchanged"));
        }
      }),
      { numRuns: 150 },
    );
  });
});
