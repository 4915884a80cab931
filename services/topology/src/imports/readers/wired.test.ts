import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { read, refusalOf, skippedIn } from "../testing/reading.js";
import type { WiredDevice } from "../wiring/wiring.rules.js";
import { lldp } from "./lldp.js";
import type { Reader } from "./reader.js";
import { readFile } from "./readers.js";
import { snmpWalk } from "./snmp-walk.js";

const deviceIn = (reader: Reader, file: string | Uint8Array): WiredDevice =>
  read(reader, file).devices?.[0] as WiredDevice;

/** Neighbours such as `24 core 94:40:C9:AA:10:00 192.168.1.2: 7`. */
const heardIn = (reader: Reader, file: string | Uint8Array): string[] => {
  const { neighbours, ports } = deviceIn(reader, file);
  return neighbours.map(({ port, machine: { name, macs, ips }, portNames }) => {
    const whom = [ports[port]?.name, name, ...macs, ...ips].filter((part) => part !== null).join(" ");
    return `${whom}: ${portNames.join(", ")}`;
  });
};

const hostsIn = (reader: Reader, file: string | Uint8Array): string[] =>
  read(reader, file).hosts.map(({ hostname, name, addresses, cards = [], role }) =>
    `${hostname ?? name ?? "-"} [${addresses.map(({ ip, mac }) => [ip, mac].filter(Boolean).join(" ")).join(", ")}] ${cards.length} ${role ?? ""}`.trim(),
  );

describe("what lldpd hears", () => {
  it("is read as lists, and the machine is the one that describes itself", () => {
    const file = corpusFile("lldp", "json0");
    expect(heardIn(lldp, file)).toEqual(["eth0 core 94:40:C9:AA:10:00 192.168.1.2: 7"]);
    expect(deviceIn(lldp, file).machine).toEqual({
      macs: ["00:16:3E:0A:0B:0C"],
      ips: ["192.168.1.20"],
      name: "nas.home.example",
    });
    expect(hostsIn(lldp, file)).toEqual(["nas.home.example [192.168.1.20] 1", "core [192.168.1.2] 1 Switch"]);
    expect(skippedIn(lldp, file)).toEqual(["16 neighbour without a name at eth1: nothing identifies it"]);
  });

  it("is read with names as keys, of a machine that the request names, also by CDP", () => {
    const file = corpusFile("lldp", "json");
    expect(heardIn(lldp, file)).toEqual([
      "eno1 core 94:40:C9:AA:10:00 192.168.1.2 2001:db8::2: 24, Uplink",
      "eno2 phone 192.168.1.70: Port 2",
    ]);
    expect(deviceIn(lldp, file).machine.isNamed).toBe(true);
    expect(read(lldp, file).hosts[0]?.isNamed).toBe(true);
  });

  it("is refused if it is something else", () => {
    expect(refusalOf(lldp, "[]")).toMatch(/must be an object/);
    expect(refusalOf(lldp, '{"lldp":')).toMatch(/JSON/);
    expect(deviceIn(lldp, '{"lldp": []}').neighbours).toEqual([]);
  });
});

describe("a walk of a switch", () => {
  const procurve = corpusFile("snmp-walk", "procurve");

  it("says what the device is, whom it hears and knows, and what it has learnt", () => {
    expect(hostsIn(snmpWalk, procurve)).toEqual([
      "core [192.168.1.2 94:40:C9:AA:10:00] 5 Switch",
      "office.home.example [192.168.1.3] 1 Switch",
      "- [192.168.1.20 00:16:3E:0A:0B:0C] 0",
      "- [192.168.1.30 00:11:32:00:00:30] 0",
      "- [192.168.1.31 00:11:32:00:00:31] 0",
      "- [192.168.1.40 00:11:32:00:00:40] 0",
    ]);
    expect(read(snmpWalk, procurve).hosts[0]?.says).toEqual({ vendor: "HPE", model: "JL259A", serial: "CN00XXX0XX" });
    expect(heardIn(snmpWalk, procurve)).toEqual([
      "24 office.home.example 00:1E:BD:42:11:80 192.168.1.3: Gi1/0/48, GigabitEthernet1/0/48",
    ]);
    const { ports, table, vlans } = deviceIn(snmpWalk, procurve);
    const named = (place: number): string => ports[place]?.name ?? "";
    expect(table?.map(({ port, mac }) => `${named(port)} ${mac}`)).toEqual([
      "8 00:11:32:00:00:30",
      "8 00:11:32:00:00:31",
      "1 00:11:32:00:00:40",
      "7 00:16:3E:0A:0B:0C",
    ]);
    expect(vlans).toEqual([
      { vid: 1, name: "DEFAULT_VLAN" },
      { vid: 20, name: "Office" },
    ]);
    expect(ports.filter(({ vids }) => vids.includes(1)).map(({ name }) => name)).toEqual(["1", "7", "8", "24", "Trk1"]);
    expect(ports.filter(({ lag }) => lag !== null).map(({ name, lag }) => `${name} ${named(lag ?? 0)}`)).toEqual([
      "25 Trk1",
      "26 Trk1",
    ]);
    expect(ports.find(({ name }) => name === "7")).toMatchObject({ called: ["7", "nas"], speedMbps: 1_000 });
    expect(skippedIn(snmpWalk, procurve)).toEqual([]);
  });

  it("is read with names instead of numbers, and values as MIB files print them", () => {
    const file = corpusFile("snmp-walk", "cisco-names");
    expect(hostsIn(snmpWalk, file)).toEqual([
      "office.home.example [192.168.1.3 00:1E:BD:42:11:C0] 4",
      "SEP001122334455 [192.168.1.70] 0",
    ]);
    expect(heardIn(snmpWalk, file)).toEqual(["Gi1/0/1 SEP001122334455 192.168.1.70: Port 1"]);
    expect(deviceIn(snmpWalk, file).ports.map(({ name, isVirtual }) => `${name} ${isVirtual}`)).toEqual([
      "Vlan1 true",
      "Gi1/0/1 false",
      "Gi1/0/48 false",
    ]);
  });

  it("is read as snmpsim records it, except values that it computes", () => {
    const file = corpusFile("snmp-walk", "snmpsim");
    expect(hostsIn(snmpWalk, file)).toEqual(["attic [192.168.1.4 00:11:5A:00:00:09] 4", "core [] 1 Switch"]);
    expect(heardIn(snmpWalk, file)).toEqual(["Port 1 core 94:40:C9:AA:10:00: 12"]);
    const { ports, table } = deviceIn(snmpWalk, file);
    expect(table?.map(({ port, mac }) => `${ports[port]?.name} ${mac}`)).toEqual(["Port 2 00:11:32:00:00:50"]);
    expect(ports.map(({ name, speedMbps, isVirtual }) => [name, speedMbps, isVirtual])).toEqual([
      ["Port 1", 1_000, false],
      ["Port 2", null, false],
      ["Brücke", null, true],
    ]);
    expect(skippedIn(snmpWalk, file)).toEqual(["1 1 values: snmpsim computes them, so that they are not in the file"]);
  });

  it("of the second version of the tables of LLDP has the number of the interface, and one more in the index", () => {
    const at = (column: number): string => `.1.3.111.2.802.1.1.13.1.4.1.1.${column}.100.3.1.7`;
    const file = [
      '.1.3.6.1.2.1.1.5.0 = STRING: "a"',
      '.1.3.6.1.2.1.2.2.1.2.3 = STRING: "ethernet1/1/3"',
      `${at(5)} = INTEGER: 4`,
      `${at(6)} = Hex-STRING: 00 1E BD 42 11 80`,
      `${at(7)} = INTEGER: 3`,
      `${at(8)} = Hex-STRING: 00 1E BD 42 11 B0`,
      `${at(10)} = STRING: "b"`,
      ".1.3.111.2.802.1.1.13.1.4.2.1.3.100.3.1.7.1.4.10.0.0.9 = INTEGER: 2",
    ].join("\n");
    expect(heardIn(snmpWalk, file)).toEqual(["ethernet1/1/3 b 00:1E:BD:42:11:80 00:1E:BD:42:11:B0 10.0.0.9: "]);
  });

  it("is of one device", () => {
    const two = `${Buffer.from(procurve).toString()}.1.3.6.1.2.1.1.5.0 = STRING: "other"\n.1.3.6.1.2.1.1.5.0 = STRING: "other"\n`;
    expect(refusalOf(snmpWalk, two)).toMatch(/^line \d+, column 1: must be of one device: another one begins here/);
    // Overlapping walks of one say the same twice.
    const again = `${Buffer.from(procurve).toString()}\n${Buffer.from(procurve).toString()}`;
    expect(hostsIn(snmpWalk, again)).toEqual(hostsIn(snmpWalk, procurve));
  });

  it("says what is missing in it", () => {
    expect(refusalOf(snmpWalk, "hello\n")).toMatch(/must be rows as `snmpwalk -On` prints them/);
    const bare = ".1.3.6.1.2.1.17.4.3.1.2.0.17.50.0.0.48 = INTEGER: 8\nTimeout: No Response from 10.0.0.1\n";
    expect(skippedIn(snmpWalk, bare)).toEqual([
      "2 the rest of the walk: the device no longer answered",
      "1 device: nothing identifies it: walk sysName.0, the addresses and the interfaces, too",
    ]);
    const named = `.1.3.6.1.2.1.1.5.0 = STRING: "a"\n${bare}`;
    expect(skippedIn(snmpWalk, named)[1]).toMatch(/does not say which interfaces these are/);
  });

  it("and what lldpd hears are told from other files", () => {
    const formatOf = (file: Uint8Array): string =>
      readFile([new Uint8Array(file)], { format: "auto", nowMs: 0, named: null }).format;
    const walks = ["procurve", "cisco-names", "snmpsim"].map((name) => formatOf(corpusFile("snmp-walk", name)));
    const ofWindows = Buffer.from(Buffer.from(corpusFile("snmp-walk", "snmpsim")).toString().replaceAll("\n", "\r\n"));
    expect(new Set([...walks, formatOf(ofWindows)])).toEqual(new Set(["snmp-walk"]));
    expect(["json0", "json"].map((name) => formatOf(corpusFile("lldp", name)))).toEqual(["lldp", "lldp"]);
  });
});
