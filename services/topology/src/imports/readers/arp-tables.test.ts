import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { arp } from "./ip-neigh.js";

describe("ARP entries of systems, routers and switches", () => {
  it.each([
    ["arista", ["10.22.0.1 [10.22.0.1 00:1C:73:10:06:01]: ", "10.22.0.50 [10.22.0.50 3C:EC:EF:10:06:50]: "], []],
    ["arp-scan", ["10.25.0.1 [10.25.0.1 00:0D:B9:10:11:01]: ", "10.25.0.40 [10.25.0.40 00:11:32:10:11:40]: "], []],
    [
      "cisco-ios",
      ["10.20.0.1 [10.20.0.1 00:11:22:10:04:01]: ", "10.20.0.20 [10.20.0.20 00:11:32:10:04:20]: "],
      [
        "1 line 1: it is not a neighbour entry",
        "5 neighbour 10.20.0.21: it did not respond",
        "6 line 6: it is not a neighbour entry",
      ],
    ],
    [
      "fortinet",
      ["10.24.0.1 [10.24.0.1 E0:23:FF:10:10:01]: ", "10.24.0.33 [10.24.0.33 00:11:32:10:10:33]: "],
      ["1 line 1: it is not a neighbour entry"],
    ],
    [
      "huawei",
      ["10.33.0.1 [10.33.0.1 48:8F:5A:33:00:01]: ", "10.33.0.2 [10.33.0.2 48:8F:5A:33:00:02]: "],
      ["1 line 1: it is not a neighbour entry", "2 line 2: it is not a neighbour entry"],
    ],
    [
      "linux-fr",
      ["192.168.30.1 [192.168.30.1 48:8F:5A:30:00:01]: "],
      ["1 line 1: it is not a neighbour entry", "3 neighbour 192.168.30.9: it did not respond"],
    ],
    [
      "ndp",
      ["2001:db8:32::1 [2001:db8:32::1 48:8F:5A:32:00:01]: "],
      [
        "1 line 1: it is not a neighbour entry",
        "3 neighbour fe80::1%en0: its address is link-local",
        "4 neighbour 2001:db8:32::9: it did not respond",
      ],
    ],
    [
      "powershell",
      ["192.168.31.1 [192.168.31.1 48:8F:5A:31:00:01]: "],
      [
        "2 line 2: it is not a neighbour entry",
        "4 neighbour 192.168.31.255: its MAC address is not unicast",
        "6 neighbour 192.168.31.9: it did not respond",
      ],
    ],
    ["nbtscan", ["EVA-PC [192.168.1.60 A4:83:E7:00:00:60]: ", "NAS [192.168.1.5 00:11:32:00:00:05]: "], []],
    [
      "netdiscover",
      ["192.168.1.1 [192.168.1.1 00:0D:B9:00:00:01]: ", "192.168.1.5 [192.168.1.5 00:11:32:00:00:05]: "],
      [],
    ],
    ["juniper", ["gw.lab.example [10.23.0.1 44:F4:77:10:07:01]: ", "10.23.0.20 [10.23.0.20 00:11:32:10:07:20]: "], []],
    [
      "juniper-no-resolve",
      [
        "10.24.0.1 [10.24.0.1 44:F4:77:10:07:01]: ",
        "10.24.0.20 [10.24.0.20 00:11:32:10:07:20]: ",
        "10.24.0.21 [10.24.0.21 00:11:32:10:07:21]: ",
      ],
      ["1 line 1: it is not a neighbour entry"],
    ],
    [
      "mikrotik-prompt",
      ["192.168.89.10 [192.168.89.10 48:8F:5A:10:08:10]: ", "192.168.89.11 [192.168.89.11 DC:A6:32:10:08:11]: "],
      [
        "1 line 1: it is not a neighbour entry",
        "6 line 6: it is not a neighbour entry",
        "8 line 8: it is not a neighbour entry",
      ],
    ],
    [
      "linux-n",
      ["192.168.7.1 [192.168.7.1 48:8F:5A:10:00:01]: ", "192.168.7.20 [192.168.7.20 00:11:32:10:00:20]: "],
      [
        "4 neighbour 192.168.7.77: it did not respond",
        "5 neighbour 172.18.0.5: br-0123456789ab leads to containers or virtual machines inside of one machine",
      ],
    ],
    [
      "linux-names",
      ["192.168.178.20 [192.168.178.20 00:11:32:10:01:20]: "],
      ["2 neighbour fritz.box: it shows a name instead of an address; use arp -n"],
    ],
    [
      "mikrotik-terse",
      ["192.168.88.20 [192.168.88.20 48:8F:5A:10:09:20]: "],
      ["3 neighbour 192.168.88.21: it did not respond"],
    ],
    [
      "mikrotik",
      ["192.168.88.10 [192.168.88.10 48:8F:5A:10:08:10]: ", "192.168.88.11 [192.168.88.11 DC:A6:32:10:08:11]: "],
      [],
    ],
    ["nx-os", ["10.21.0.1 [10.21.0.1 00:11:22:10:05:01]: ", "10.21.0.44 [10.21.0.44 00:11:32:10:05:44]: "], []],
    [
      "solaris",
      ["10.79.0.5 [10.79.0.5 00:14:4F:79:00:05]: ", "10.79.0.1 [10.79.0.1 00:14:4F:79:00:01]: "],
      ["6 neighbour 224.0.0.0: it is not the address of a machine"],
    ],
    [
      "openbsd",
      ["10.2.0.1 [10.2.0.1 00:0D:B9:10:03:01]: ", "10.2.0.14 [10.2.0.14 A4:BB:6D:10:03:14]: "],
      ["4 neighbour 10.2.0.15: it did not respond"],
    ],
    [
      "proc-net-arp",
      ["10.1.0.1 [10.1.0.1 00:0D:B9:10:02:01]: ", "10.1.0.30 [10.1.0.30 3C:EC:EF:10:02:30]: "],
      ["3 neighbour 10.1.0.9: it did not respond"],
    ],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("arp", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(arp, file)).toEqual(skipped);
  });

  it("of arp-scan say to whom MAC addresses are assigned", () => {
    const rows =
      "10.25.0.1\t00:0d:b9:10:11:01\tPC Engines GmbH\n10.25.0.2\t00:0d:b9:10:11:02\tPC Engines GmbH (DUP: 2)\n10.25.0.3\t3c:ec:ef:10:11:03\t(Unknown)\n";
    const { hosts } = read(arp, rows);
    expect(hosts.map(({ says, addresses }) => [says?.vendor, addresses[0]?.vendor])).toEqual([
      ["PC Engines GmbH", "PC Engines GmbH"],
      ["PC Engines GmbH", "PC Engines GmbH"],
      [undefined, undefined],
    ]);
  });

  it("of arp-scan keep the first 200 characters of a vendor, and say so", () => {
    const vendor = "v".repeat(201);
    const row = `10.25.0.1\t00:0d:b9:10:11:01\t${vendor}\n`;
    expect(read(arp, row).hosts[0]?.says?.vendor).toBe(vendor.slice(0, 200));
    expect(skippedIn(arp, row)).toEqual(["1 vendor of neighbour 10.25.0.1: only its first 200 characters are kept"]);
  });

  it("are not found in lists of something else", () => {
    for (const file of ["1700000000 00:11:22:33:44:55 10.0.0.5 nas *\n", "10.0.0.5 nas nas.home\n", "name ip mac\n"])
      expect(arp.looksLike(file)).toBe(false);
    expect(refusalOf(arp, "hello\n")).toBe(
      "line 1, column 1: must be neighbours as printed by `ip -j neigh` or `arp -an`",
    );
  });
});
