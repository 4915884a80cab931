import { describe, expect, it } from "@jest/globals";
import type { Interface } from "@nts/shared/contract";
import { createSession } from "./session.js";
import { createMemoryNetwork } from "./testing/network.js";
import { MAKERS } from "./testing/sightings.js";

const NOW = "2026-02-16T09:30:00.000Z";
const ipOf = (n: number): string => `10.0.0.${n + 1}`;
const hostOf = (n: number): string =>
  `<host><status state="up"/><address addr="${ipOf(n)}" addrtype="ipv4"/><address addr="02:00:00:00:00:0${n}" addrtype="mac"/></host>`;

describe("addresses that many machines have", () => {
  it("make no host, and take nothing from another", () => {
    const network = createMemoryNetwork();
    const host = (ip: string, mac: string, type: string): string =>
      `<nmaprun scanner="nmap"><host><status state="up"/><address addr="${ip}" addrtype="${type}"/><address addr="${mac}" addrtype="mac"/></host></nmaprun>`;
    expect(network.importFile(host("127.0.0.1", "02:00:00:00:00:01", "ipv4"), false)).toEqual([]);
    for (const mac of ["02:00:00:00:00:02", "02:00:00:00:00:03"])
      expect(network.importFile(host("fe80::1", mac, "ipv6"), false)).toEqual([]);
  });
});

describe("new hosts that are planned ahead", () => {
  it("are planned again if they take something from others by then, or exist", async () => {
    const session = createSession(MAKERS);
    const file = `<nmaprun scanner="nmap">${[0, 1, 2, 3, 4].map(hostOf).join("\n")}</nmaprun>`;
    const given = { networkId: "network", hints: [], format: "nmap", named: null, nowMs: 0 } as const;
    session.read([Buffer.from(file)], given);
    session.settle([]);
    const planned = (indexes: readonly number[], there: Pick<Interface, "ip_address" | "mac_address">[] = []) => {
      const interfaces = there.map(
        (one, n) => ({ ...one, id: `i${n}`, host_id: `h${n}`, subnet_id: "s" }) as Interface,
      );
      const { created, matches } = session.planNew(indexes, { now: NOW, interfaces, named: [] });
      return [created.map(({ index, made }) => [index, made.interfaces[0]?.ip_address]), [...matches.keys()]];
    };
    expect(planned([0, 1])).toEqual([[0, 1].map((n) => [n, ipOf(n)]), []]);
    await new Promise(setImmediate);
    const taken = { ip_address: ipOf(2), mac_address: "02:00:00:00:00:0F" };
    const there = { ip_address: ipOf(3), mac_address: "02:00:00:00:00:03" };
    // The first is written alone, since it takes an address; the second is known by now.
    expect(planned([2, 3, 4], [taken, there])).toEqual([[[4, ipOf(4)]], [3]]);
  });
});
