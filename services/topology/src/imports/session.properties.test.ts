import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { compareNames } from "../values/host-names.rules.js";
import type { Recognized } from "./plan.rules.js";
import { createMemoryNetwork, type MemoryNetwork, shapeOf } from "./testing/network.js";

// Machines with MAC addresses move between IP addresses; scans find some of them, with MAC addresses only on their own
// link. The model knows one rule: an address belongs to the machine that was last found there.

interface Sighting {
  readonly ip: string;
  readonly hostname: string | null;
  readonly mac: string | null;
  readonly port: number;
}

/** Drawn sequences of scans per property, and imports of a renamed host. */
const ROUNDS = Number(process.env["SIGHTING_ROUNDS"] ?? 30);
const RENAMED_IMPORTS = Number(process.env["RENAMED_IMPORTS"] ?? 50);

const IPS = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
const NAMES = ["nas", "NAS.home.example", "nas.lan", "web"];
const MACS = ["00:11:32:00:00:01", "00:11:32:00:00:02", "00:11:32:00:00:03"];

const aSighting: fc.Arbitrary<Sighting> = fc.record({
  ip: fc.constantFrom(...IPS),
  mac: fc.option(fc.constantFrom(...MACS)),
  hostname: fc.option(fc.constantFrom(...NAMES)),
  port: fc.constantFrom(22, 80, 443),
});
const someScans = fc.array(fc.array(aSighting, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });

const fileOf = (sightings: readonly Sighting[]): string =>
  `<nmaprun>${sightings
    .map(
      ({ ip, mac, hostname, port }) =>
        `<host><address addr="${ip}" addrtype="ipv4"/>${mac === null ? "" : `<address addr="${mac}" addrtype="mac"/>`}` +
        (hostname === null ? "" : `<hostnames><hostname name="${hostname}"/></hostnames>`) +
        `<ports><port protocol="tcp" portid="${port}"><state state="open"/></port></ports></host>`,
    )
    .join("")}</nmaprun>`;

/** Whether a scan shows the MAC address at machines of different names. */
function isShared(mac: string | null, scan: readonly Sighting[]): boolean {
  const names = scan.flatMap((one) => (one.mac === mac && one.hostname !== null ? [one.hostname] : []));
  return names.some((name) => compareNames(name, names[0]!) === "different");
}

/** A network in which two machines have sent their sockets, without an address. */
function aNetworkWithSockets(): MemoryNetwork {
  const network = createMemoryNetwork();
  for (const hostname of ["nas.home.example", "web"])
    network.importFile("tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n", false, { hostname });
  return network;
}

describe("any moves of machines between any scans", () => {
  it("leave an address at one host, the machine that was found there last", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = aNetworkWithSockets();
        for (const scan of scans) {
          network.importFile(fileOf(scan), false);
          const last = new Map(scan.map((sighting) => [sighting.ip, sighting]));
          for (const { ip, port } of last.values()) {
            const holders = network.interfaces().filter((one) => one.ip_address === ip);
            expect(holders.length).toBe(1);
            const host = network.hosts.get(holders[0]!.host_id)!;
            expect(host.ports.map(({ entity }) => entity.number)).toContain(port);
          }
          // When several sightings of an address agree, one of them may contain the MAC address.
          for (const { ip, mac } of last.values()) {
            if (isShared(mac, scan)) continue;
            const [holder] = network.interfaces().filter((one) => one.ip_address === ip);
            const host = network.hosts.get(holder!.host_id)!;
            if (mac !== null) expect(host.interfaces.map(({ entity }) => entity.mac_address)).toContain(mac);
          }
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  it("are previewed exactly as they are imported", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = aNetworkWithSockets();
        for (const scan of scans) {
          const preview = shapeOf(network.importFile(fileOf(scan), true));
          expect(shapeOf(network.importFile(fileOf(scan), false))).toEqual(preview);
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  it("change nothing when the same scan is repeated", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = aNetworkWithSockets();
        for (const scan of scans) {
          network.importFile(fileOf(scan), false);
          const again = network.importFile(fileOf(scan), true);
          expect(again.map(({ action }) => action)).toEqual(again.map(() => "unchanged"));
        }
      }),
      { numRuns: ROUNDS },
    );
  });
});

describe("any identity of machines", () => {
  it("keeps a machine one host once its MAC address was found, whoever takes its addresses", () => {
    fc.assert(
      fc.property(someScans, (scans) => {
        const network = aNetworkWithSockets();
        const hostWith = new Map<string, string>();
        for (const scan of scans) {
          network.importFile(fileOf(scan), false);
          for (const { host_id, mac_address: mac } of network.interfaces()) {
            if (mac === null) continue;
            expect(hostWith.get(mac) ?? host_id).toBe(host_id);
            hostWith.set(mac, host_id);
          }
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  it("keeps a renamed host the same through many imports, whatever they call it", () => {
    const network = createMemoryNetwork();
    const scan = (n: number): string =>
      `<nmaprun><host><address addr="10.0.0.${(n % 4) + 1}" addrtype="ipv4"/><address addr="${MACS[0]}" addrtype="mac"/>` +
      `<hostnames><hostname name="name-${n}"/></hostnames></host></nmaprun>`;
    network.importFile(scan(0), false);
    const [[id, known]] = [...network.hosts] as [[string, Recognized]];
    const { entity } = known.host;
    network.hosts.set(id, { ...known, host: { ...known.host, entity: { ...entity, name: "ours", hostname: "ours" } } });
    for (let n = 1; n <= RENAMED_IMPORTS; n++) network.importFile(scan(n), false);
    const hosts = [...network.hosts.values()].map(({ host }) => [
      host.entity.id,
      host.entity.name,
      host.entity.hostname,
    ]);
    expect(hosts).toEqual([[id, "ours", "ours"]]);
  });
});
