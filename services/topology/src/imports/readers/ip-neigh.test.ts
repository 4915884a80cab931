import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { ipNeigh } from "./ip-neigh.js";

/** The files of the corpus: the hosts that each becomes, and what is left out. */
const CORPUS: readonly (readonly [string, string[], string[]])[] = [
  [
    "arp-a-german",
    ["192.168.34.1 [192.168.34.1 48:8F:5A:34:00:01]: "],
    ["2 neighbour 192.168.34.9: it did not respond"],
  ],
  [
    "arp-a-names",
    [
      "fritz.box [192.168.178.1 2C:3A:FD:00:11:22]: ",
      "nas.fritz.box [192.168.178.20 00:11:32:AA:00:20]: ",
      "192.168.178.54 [192.168.178.54 7E:11:22:33:44:55]: ",
    ],
    [],
  ],
  [
    "arp-an",
    [
      "192.168.178.1 [192.168.178.1 2C:3A:FD:00:11:22]: ",
      "192.168.178.21 [192.168.178.21 B8:27:EB:12:34:56]: ",
      "192.168.178.40 [192.168.178.40 DC:A6:32:65:43:21]: ",
    ],
    [
      "3 neighbour 192.168.178.30: it did not respond",
      "5 neighbour 192.168.178.99: it is a proxy entry of the machine itself",
      "6 neighbour 172.18.0.3: br-0123456789ab leads to containers or virtual machines inside of one machine",
    ],
  ],
  [
    "docker-host",
    ["192.168.1.1 [192.168.1.1 F0:9F:C2:1A:2B:3C]: ", "192.168.1.60 [192.168.1.60]: "],
    [
      "1 neighbour 172.17.0.2: docker0 leads to containers or virtual machines inside of one machine",
      "2 neighbour 172.20.0.5: br-3f2a9c1d4e5b leads to containers or virtual machines inside of one machine",
      "5 neighbour 224.0.0.22: it is not the address of a machine",
    ],
  ],
  [
    "freebsd",
    [
      "gw.lab.example [10.50.0.1 00:0D:B9:11:22:33]: ",
      "10.50.0.14 [10.50.0.14 00:0D:B9:44:55:66]: ",
      "10.50.0.30 [10.50.0.30 3C:EC:EF:77:88:99]: ",
    ],
    [],
  ],
  [
    "ip-neigh",
    [
      "192.168.10.1 [192.168.10.1 48:8F:5A:00:00:01]: ",
      "192.168.10.20 [192.168.10.20 00:11:32:00:00:20]: ",
      "fd00:10::30 [fd00:10::30 52:54:00:12:34:56]: ",
    ],
    [
      "3 neighbour 192.168.10.55: it did not respond",
      "4 neighbour 192.168.10.56: it did not respond",
      "6 neighbour 10.0.3.7: lxcbr0 leads to containers or virtual machines inside of one machine",
      "7 neighbour 192.168.122.44: virbr0 leads to containers or virtual machines inside of one machine",
    ],
  ],
  [
    "laptop",
    [
      "192.168.1.1 [192.168.1.1 F0:9F:C2:1A:2B:3C]: ",
      "192.168.1.20 [192.168.1.20 00:11:32:AA:BB:CC, 2001:db8:1::20 00:11:32:AA:BB:CC]: ",
      "192.168.1.54 [192.168.1.54 DA:A1:19:3E:5F:01]: ",
    ],
    [
      "3 neighbour 192.168.1.77: it did not respond",
      "5 neighbour fe80::f29f:c2ff:fe1a:2b3c: its address is link-local",
    ],
  ],
  [
    "macos",
    ["10.1.1.1 [10.1.1.1 A4:2B:8C:01:02:03]: ", "tv.home [10.1.1.9 00:1E:C2:0A:0B:0C]: "],
    [
      "2 neighbour 10.1.1.7: it did not respond",
      "4 neighbour 10.1.1.255: its MAC address is not unicast",
      "5 neighbour 224.0.0.251: it is not the address of a machine",
    ],
  ],
  [
    "proxy-arp",
    ["10.0.0.1 [10.0.0.1 00:1B:21:00:00:01]: ", "10.0.0.9 [10.0.0.9 00:1B:21:00:00:09]: "],
    [
      "32 neighbour 10.0.0.50: it is a proxy entry of the machine itself",
      "2 neighbour 10.9.0.10: 00:0C:CE:00:00:AA responds for 30 addresses, as with proxy ARP",
      "3 neighbour 10.9.0.11: 00:0C:CE:00:00:AA responds for 30 addresses, as with proxy ARP",
    ],
  ],
  [
    "windows",
    ["192.168.0.1 [192.168.0.1 3C:37:86:11:22:33]: ", "192.168.0.12 [192.168.0.12 F4:4D:30:AA:BB:CC]: "],
    [
      "2 line 2: it is not a neighbour entry",
      "3 line 3: it is not a neighbour entry",
      "6 neighbour 192.168.0.255: its MAC address is not unicast",
      "7 neighbour 224.0.0.22: it is not the address of a machine",
      "8 neighbour 239.255.255.250: it is not the address of a machine",
    ],
  ],
];

describe("the neighbour table", () => {
  it.each(CORPUS)(
    "becomes hosts, one for each interface, and what is left out has a line and a reason: %s",
    (name, hosts, skipped) => {
      const file = corpusFile("ip-neigh", name);
      // Two of the many addresses of one interface represent all.
      const most = name === "proxy-arp" ? 3 : undefined;
      expect(importedFrom([[file]])).toEqual(hosts);

      expect(skippedIn(ipNeigh, file).slice(0, most)).toEqual(skipped);
    },
  );

  it("may be several lists in one file", () => {
    const list = (n: number): string =>
      `[{"dst":"10.0.0.${n}","dev":"eth0","lladdr":"48:8f:5a:00:00:0${n}","state":["REACHABLE"]}]`;
    expect(read(ipNeigh, `${list(1)}\n${list(2)}\n`).hosts.map(({ addresses }) => addresses[0]?.ip)).toEqual([
      "10.0.0.1",
      "10.0.0.2",
    ]);
  });

  it("marks MAC addresses that were not assigned by the manufacturer", () => {
    const vendors = read(ipNeigh, corpusFile("ip-neigh", "laptop")).hosts.map(({ vendor }) => vendor);
    expect(vendors).toEqual([null, null, "MAC address that is random, or of a virtual machine", null]);
  });

  it("is rejected with the place when the file is something else", () => {
    expect(refusalOf(ipNeigh, "a\n".repeat(20))).toMatch(/^line 1, column 1: must be neighbours/);
    expect(refusalOf(ipNeigh, '[\n {"dst": "10.0.0.1",}\n]')).toBe("line 2, column 21: is not valid JSON from here on");
    expect(refusalOf(ipNeigh, "[".repeat(40))).toBe("$: must not be nested deeper than 32 levels");
    expect(refusalOf(ipNeigh, '[{"dst": "10.0.0.1"}, null]')).toBe("$[1]: must be an object");
    const line = (n: number): string =>
      `10.${n >> 16}.${(n >> 8) & 255}.${n & 255} dev eth0 lladdr 00:11:22:33:44:55 STALE`;
    const file = Array.from({ length: 100_001 }, (_, n) => line(n)).join("\n");
    expect(refusalOf(ipNeigh, file)).toBe("line 100001, column 1: an import reads at most 100000 neighbours");
    expect(refusalOf(ipNeigh, `[${"{},".repeat(300_000)}{}]`)).toBe(
      "$: must not have more than 500000 values: import the file in parts",
    );
  });
});
