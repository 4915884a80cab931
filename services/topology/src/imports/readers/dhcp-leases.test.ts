import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { dhcpLeases } from "./dhcp-leases.js";

describe("DHCP leases", () => {
  it.each([
    [
      "cisco",
      ["10.7.0.20 [10.7.0.20 00:11:32:07:00:20]: ", "10.7.0.21 [10.7.0.21 00:11:32:07:00:21]: "],
      ["6 lease of 10.7.0.22: it has expired"],
    ],
    [
      "mikrotik",
      ["laptop [192.168.88.250 48:8F:5A:20:00:01]: ", "192.168.88.251 [192.168.88.251 48:8F:5A:20:00:02]: "],
      ["6 lease of 192.168.88.252: no machine has it at present"],
    ],
    [
      "mikrotik-prompt",
      ["nas [192.168.88.10 00:11:32:00:00:10]: ", "laptop-eva [192.168.88.254 00:11:32:00:00:20]: "],
      ["7 lease of 192.168.88.253: no machine has it at present"],
    ],
    [
      "mikrotik-export",
      ["192.168.88.10 [192.168.88.10 00:11:32:88:00:10]: ", "192.168.88.11 [192.168.88.11 00:11:32:88:00:11]: "],
      ["9 lease of 192.168.88.12: it is disabled"],
    ],
    [
      "openbsd",
      ["new [192.168.60.5 00:11:32:60:00:05]: "],
      [
        "7 lease of 192.168.60.6: it has expired",
        "13 lease of 192.168.60.7: it was abandoned: something else has the address",
      ],
    ],
    [
      "fortinet",
      ["PC-01 [192.168.14.10 00:11:32:14:00:10]: ", "192.168.14.11 [192.168.14.11 00:11:32:14:00:11]: "],
      [],
    ],
    [
      "libvirt",
      ["web01 [192.168.122.10 52:54:00:00:00:10]: ", "192.168.122.11 [192.168.122.11 52:54:00:00:00:11]: "],
      [],
    ],
    [
      "odhcpd",
      ["laptop [192.168.1.5 00:11:32:08:00:05, 2001:db8:8::5 00:11:32:08:00:05, fd00:8::5 00:11:32:08:00:05]: "],
      ["3 lease of 192.168.1.6: it has expired", "4 lease of fd00:8:0:f0::: it is a prefix, not an address"],
    ],
    [
      "udhcpd",
      ["laptop [192.168.9.20 00:11:32:09:00:20]: ", "192.168.9.21 [192.168.9.21 00:11:32:09:00:21]: "],
      ["4 lease of 192.168.9.22: it has expired"],
    ],
    [
      "reservations-dhcpd",
      ["printer [192.168.10.2 00:1B:A9:0A:00:02]: ", "camera [192.168.10.3 48:8F:5A:0A:00:03]: "],
      ["8 lease of guest: no address is kept for it"],
    ],
    [
      "reservations-dnsmasq",
      [
        "printer [192.168.11.2 00:1B:A9:0B:00:02]: ",
        "nas [192.168.11.3 00:11:32:0B:00:03, fd00:11::3 00:11:32:0B:00:03]: ",
        "mail.lan [192.168.11.5]: ",
      ],
      ["4 lease of tv: no address is kept for it"],
    ],
    [
      "reservations-openwrt",
      ["nas [192.168.22.5 00:11:32:22:00:05]: ", "laptop [192.168.22.6]: ", "cloud [192.168.22.8]: "],
      ["18 lease of tv: no address is kept for it"],
    ],
    ["reservations-kea", ["printer [192.168.12.2 00:1B:A9:0C:00:02]: ", "nas [fd00:12::3 00:11:32:0C:00:03]: "], []],
    ["kea-answer", ["printer [192.168.13.2 00:1B:A9:0D:00:02]: "], ["2 lease of 192.168.13.3: it has expired"]],
    [
      "dhcpd",
      ["192.168.20.102 [192.168.20.102 7E:11:22:33:44:55]: ", "hp-printer [192.168.20.100 00:1B:78:11:22:33]: "],
      ["20 lease of 192.168.20.101: it has expired"],
    ],
    [
      "dhcpd-kept",
      ["pc [10.21.0.10 00:11:32:21:00:10]: ", "printer [10.21.0.14 00:1B:A9:21:00:14]: "],
      ["21 lease of 10.21.0.15: it was deleted"],
    ],
    ["dnsmasq-v6", ["vm1 [10.0.0.30 52:54:00:12:34:56, fd00:10::30]: ", "fd00:10::31 [fd00:10::31]: "], []],
    [
      "dnsmasq",
      [
        "nas [192.168.1.20 00:11:32:AA:BB:CC]: ",
        "Pixel-8 [192.168.1.54 DA:A1:19:3E:5F:01]: ",
        "printer [192.168.1.22 DC:A6:32:65:43:21]: ",
        "192.168.1.23 [192.168.1.23 3C:37:86:11:22:33]: ",
      ],
      ["3 lease of 192.168.1.21: it has expired"],
    ],
    ["kea4-new", ["camera-1 [172.16.5.20 48:8F:5A:00:00:20]: ", "camera-2 [172.16.5.21 48:8F:5A:00:00:21]: "], []],
    [
      "kea4",
      ["10.1.0.11 [10.1.0.11 00:0C:29:4F:8E:36]: ", "web1.example.org [10.1.0.10 00:0C:29:4F:8E:35]: "],
      [
        "4 lease of 10.1.0.12: it has expired",
        "5 lease of 10.1.0.13: it was released",
        "6 lease of 10.1.0.14: it was declined: something else has the address",
      ],
    ],
    [
      "kea6",
      ["web1.example.org [2001:db8:1::10 00:0C:29:4F:8E:35]: ", "2001:db8:1::11 [2001:db8:1::11]: "],
      ["3 lease of 2001:db8:8000::: it is a prefix, not an address"],
    ],
    [
      "openwrt",
      [
        "tv [192.168.8.101 2C:3A:FD:00:11:22]: ",
        "container [192.168.8.102]: ",
        "192.168.8.103 [192.168.8.103 F0:9F:C2:1A:2B:3C]: ",
      ],
      [],
    ],
    [
      "pfsense",
      ["ups [10.20.30.40 3C:EC:EF:77:88:99]: "],
      [
        "9 lease of 10.20.30.41: it has expired",
        "16 lease of 10.20.30.42: it was abandoned: something else has the address",
        "25 lease of 10.20.30.43: the file ends inside it",
      ],
    ],
  ])("become hosts while they are valid, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("dhcp-leases", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(dhcpLeases, file)).toEqual(skipped);
  });
});

describe("DHCP leases: times and numbers", () => {
  it("are evaluated at the time of the import: expired ones are left out", () => {
    const file = (seconds: number): string => `${seconds} 00:11:32:aa:bb:cc 10.0.0.1 nas *\n`;
    expect(read(dhcpLeases, file(1_771_234_201)).hosts.length).toBe(1);
    expect(skippedIn(dhcpLeases, file(1_771_234_199))).toEqual(["1 lease of 10.0.0.1: it has expired"]);
  });

  it("are taken from the last entry of an address, for servers that append to their file", () => {
    const kea = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n";
    const row = (mac: string, state: number): string => `10.0.0.1,${mac},,4000,1771240000,1,0,0,nas,${state}\n`;
    const moved = kea + row("00:11:32:00:00:01", 0) + row("00:11:32:00:00:02", 0);
    expect(importedFrom([[moved]])).toEqual(["nas [10.0.0.1 00:11:32:00:00:02]: "]);
    const released = moved + row("00:11:32:00:00:02", 3);
    expect(skippedIn(dhcpLeases, released)).toEqual(["4 lease of 10.0.0.1: it was released"]);
  });

  it("are left out with a reason if the file ends inside them, and names are read as dhcpd writes them", () => {
    const lease = (end: number, name: string): string =>
      `lease 10.0.0.${end} {\n  hardware ethernet 00:11:32:00:00:0${end};\n  client-hostname "${name}";\n`;
    const file = `${lease(1, 'desk\\"top')}}\n${lease(2, "b\\303\\274ro")}}\n${lease(3, "tablet")}`;
    expect(importedFrom([[file]])).toEqual([
      'desk"top [10.0.0.1 00:11:32:00:00:01]: ',
      "büro [10.0.0.2 00:11:32:00:00:02]: ",
    ]);
    expect(skippedIn(dhcpLeases, file)).toEqual(["9 lease of 10.0.0.3: the file ends inside it"]);
  });

  it("of Kea, client identities alone, and reservations without an address are read or listed", () => {
    const kept = [
      { "client-id": "01:00:11:32:00:00:06", "ip-address": "10.0.0.6" },
      { "hw-address": "00:11:32:00:00:07", hostname: "tv" },
    ];
    const file = JSON.stringify({ Dhcp4: { subnet4: [{ reservations: kept }] } });
    expect(importedFrom([[file]])).toEqual(["10.0.0.6 [10.0.0.6 00:11:32:00:00:06]: "]);
    expect(skippedIn(dhcpLeases, file)).toEqual(["2 lease of tv: no address is kept for it"]);
  });

  it("of dnsmasq may have the duration and the network card behind them, as network storages write", () => {
    const file = "1771234201 00:11:32:aa:bb:cc 10.0.0.1 nas * 86400 eth0\n";
    expect(importedFrom([[file]])).toEqual(["nas [10.0.0.1 00:11:32:AA:BB:CC]: "]);
  });

  it("have what people have written of them as the description of new hosts", () => {
    const file = corpusFile("dhcp-leases", "mikrotik-export");
    expect(read(dhcpLeases, file).hosts.map(({ vendor }) => vendor)).toEqual(["NAS", 'Printer, "hall"']);
    const taking = read(dhcpLeases, corpusFile("dhcp-leases", "reservations-openwrt"));
    expect(taking.hosts[1]?.vendor).toBe("One of the network cards 00:1B:A9:22:00:06, 48:8F:5A:22:00:06");
  });

  it("are listed when their values no longer stand under the headings", () => {
    const pasted = [
      "# ADDRESS MAC-ADDRESS HOST-NAME SERVER STATUS",
      "0 10.0.0.5 00:11:32:AA:BB:CC nas dhcp1 bound",
      "1 10.0.0.6 00:11:32:AA:BB:CD tv dhcp1 bound",
    ].join("\n");
    expect(read(dhcpLeases, pasted).hosts).toEqual([]);
    const reason = "its values do not stand under their headings: keep the blanks between the columns";
    expect(skippedIn(dhcpLeases, pasted)).toEqual([`2 lease of 10.0.0.5: ${reason}`, `3 lease of 10.0.0.6: ${reason}`]);
  });

  it("count in any unknown state", () => {
    const kea = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n";
    const isc = "lease 10.0.0.1 {\n  binding state constructor;\n}\n";
    for (const file of [`${kea}10.0.0.1,,,4000,1771240000,1,0,0,nas,constructor\n`, isc])
      expect(read(dhcpLeases, file)).toMatchObject({ hosts: [{ addresses: [{ ip: "10.0.0.1" }] }] });
  });

  it("are rejected when the file is something else", () => {
    expect(refusalOf(dhcpLeases, "hello\n")).toBe(
      "line 1, column 1: must be leases of dnsmasq, odhcpd, ISC dhcpd or, as CSV, Kea; or reservations",
    );
  });

  it("are accepted up to the limits of an import", () => {
    const line = (n: number): string => `0 * 10.${n >> 16}.${(n >> 8) & 255}.${n & 255} * *\n`;
    const file = Array.from({ length: 100_001 }, (_, n) => line(n)).join("");
    expect(refusalOf(dhcpLeases, file)).toBe("line 100001, column 1: an import reads at most 100000 leases");
  });
});
