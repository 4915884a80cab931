import { describe, expect, it } from "@jest/globals";
import type { Host } from "@nts/shared/contract";
import { COLUMN_MEANINGS, saidColumn } from "@nts/shared/contract/import-formats";
import { guessOf } from "../guess.rules.js";
import { corpusFile } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { faultsOf, importedFrom, NOW_MS, read, refusalOf, skippedIn } from "../testing/reading.js";
import { createCsvWriter } from "../../exports/formats/csv.rules.js";
import { csv } from "./csv.js";
import { columnsOf, meaningOf, saidOf } from "./headings.rules.js";

describe("a CSV table", () => {
  it.each([
    [
      "excel-semicolons",
      ["Drucker Büro [192.168.1.31 00:1B:A9:00:11:22]: ", "pc-07 [192.168.1.107]: "],
      ["5 row ohne Adresse: it has no address"],
    ],
    [
      "hosts",
      [
        "NAS [192.168.1.20 00:11:32:AA:BB:CC]: ",
        "Printer [192.168.1.30 3C:2A:F4:AA:BB:CC]: ",
        "Router [192.168.1.1]: ",
      ],
      [],
    ],
    [
      "interfaces",
      ["fw [192.168.1.1 00:0D:B9:00:00:02, 2001:db8:1::1 00:0D:B9:00:00:02, 203.0.113.5 00:0D:B9:00:00:01]: "],
      ["5 row link: fe80::1 is link-local"],
    ],
    [
      "netbox",
      ["gw.dc.example [10.5.0.1, 2001:db8:5::1]: "],
      [
        "1 columns vrf, tenant: nothing is made of what such a column says",
        "2 row gw.dc.example: Anycast is not a role",
      ],
    ],
    [
      "phpipam",
      ["web01.example.net [10.4.0.10 52:54:00:AA:00:10]: ", "web02.example.net [10.4.0.11]: "],
      ["1 columns Section, Owner: nothing is made of what such a column says"],
    ],
    [
      "ports",
      [
        "10.2.0.7 [10.2.0.7]: SNMP: 161/Udp@10.2.0.7 · SSH: 22/Tcp@10.2.0.7",
        "10.2.0.8 [10.2.0.8]: HP JetDirect: 9100/Tcp@10.2.0.8",
      ],
      ["5 row 10.2.0.8: only TCP and UDP ports are supported"],
    ],
    [
      "services",
      [
        "nas [192.168.1.20]: Photos: 2283/Tcp@192.168.1.20 443/Tcp@192.168.1.20 · Shares: 445/Tcp@all",
        "crm [192.168.1.40]: CRM: 8096/Tcp@192.168.1.40",
      ],
      ["6 row Nothing: its port is not a number from 1 to 65535"],
    ],
    [
      "several-addresses",
      [
        "core [10.3.0.1 00:50:56:00:00:01, 10.3.1.1 00:50:56:00:00:02, 2001:db8:3::1 00:50:56:00:00:03]: ",
        "edge [10.3.0.2]: ",
      ],
      ["4 row self: 127.0.0.1 is not the address of a machine"],
    ],
    [
      "drawn",
      ["web [10.10.10.11, fd42:1::11]: "],
      [
        "2 columns TYPE, SNAPSHOTS: nothing is made of what such a column says",
        "6 row old: the row says that it is STOPPED; to take such rows, ignore the column",
      ],
    ],
    ["aligned", ["nas [10.11.0.1 00:11:32:11:00:01]: ", "printer [10.11.0.2 00:1B:A9:11:00:02]: "], []],
    [
      "netbox-interfaces",
      [
        "web01 [10.2.0.5 52:54:00:00:00:01, 10.3.0.5 52:54:00:00:00:02, fd00::5 52:54:00:00:00:02]: ",
        "db01 [10.2.0.6]: ",
      ],
      ["1 columns enabled, description: nothing is made of what such a column says"],
    ],
    ["several-lines", ['The "old" server [10.1.0.5]: ', "Spare [10.1.0.6]: "], []],
    [
      "tabs",
      ["ap-1 [10.10.0.11 24:5A:4C:00:00:01]: ", "ap-2 [10.10.0.12 24:5A:4C:00:00:02]: "],
      ["4 row ap-3: it has no address"],
    ],
  ])("becomes hosts, and what is left out has its place and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("csv", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(csv, file)).toEqual(skipped);
  });
});

describe("a table whose columns are aligned by blanks", () => {
  it("has no values cut in two where a long one, or lost blanks, have moved the others", () => {
    const rows = [
      "Name        IP address   MAC address        Owner",
      "nas         10.0.0.5     00:11:32:aa:bb:cc  Eva",
      "a-very-long-name 10.0.0.6     00:11:32:aa:bb:cd",
      "tv 10.0.0.7 00:11:32:aa:bb:ce",
      "printer     10.0.0.8                        Ada",
    ];
    expect(importedFrom([[rows.join("\n")]])).toEqual(["nas [10.0.0.5 00:11:32:AA:BB:CC]: ", "printer [10.0.0.8]: "]);
    const reason = "its values do not stand under their headings: keep the blanks between the columns";
    expect(skippedIn(csv, rows.join("\n"))).toEqual([
      "1 column Owner: nothing is made of what such a column says",
      `3 line 3: ${reason}`,
      `4 line 4: ${reason}`,
    ]);
  });
});

describe("a table in JSON", () => {
  it.each([
    [
      "netbox-answer",
      ["sw1 [10.0.0.2]: "],
      [
        "1 columns url, site, device_type: nothing is made of what such a column says",
        "1 row srv1: the row says that it is offline; to take such rows, ignore the column",
      ],
    ],
    [
      "unifi-clients",
      [
        "Eva iPhone [192.168.1.41 A4:83:E7:00:00:41]: ",
        "nas [192.168.1.5 00:11:32:00:00:05]: ",
        "78:8A:20:00:00:02 []: ",
      ],
      ["1 columns is_wired, ap_mac, essid, vlan: nothing is made of what such a column says"],
    ],
    [
      "pihole-devices",
      ["nas.lan [192.168.1.5 00:11:32:00:00:05, fd00::5 00:11:32:00:00:05]: "],
      ["1 columns firstSeen, lastQuery, numQueries, interface: nothing is made of what such a column says"],
    ],
    [
      "powershell",
      ["192.168.1.5 [192.168.1.5 00:11:32:00:00:05]: "],
      [
        "1 columns ifIndex, InterfaceAlias: nothing is made of what such a column says",
        "1 row 192.168.1.255: 192.168.1.255 is not the address of a machine: FF:FF:FF:FF:FF:FF is not unicast",
      ],
    ],
    ["tailscale", ["nas [100.101.102.103, fd7a:115c:a1e0::1]: ", "laptop [100.101.102.104, fd7a:115c:a1e0::2]: "], []],
    [
      "zabbix-hosts",
      ["nas.lan [192.168.1.5]: ", "sw1 [192.168.1.2]: "],
      ["1 column hostid: nothing is made of what such a column says"],
    ],
    [
      "aws-instances",
      ["web1 [10.0.1.5 02:00:00:00:00:01]: "],
      ["1 columns InstanceId, PublicIpAddress: nothing is made of what such a column says"],
    ],
  ])("becomes hosts by the same headings, wherever its objects are: %s", (name, hosts, skipped) => {
    const file = corpusFile("csv", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(csv, file)).toEqual(skipped);
  });

  it("gives a machine the addresses that lie in another member of it, and names what is not read", () => {
    const card = '{"hwaddr":"00:16:3e:11:22:33","host_name":"veth1","addresses":[{"address":"10.0.0.5"}]}';
    const incus = `[{"name":"web","status":"Running","config":{"a":1},"state":{"network":{"eth0":${card}}}},{"name":"db","status":"Stopped"}]`;
    expect(importedFrom([[incus]])).toEqual(["web [10.0.0.5 00:16:3E:11:22:33]: "]);
    expect(skippedIn(csv, incus)).toEqual([
      "1 column config: nothing is made of what such a column says",
      "1 row db: the row says that it is Stopped; to take such rows, ignore the column",
    ]);
    const hetzner = '[{"name":"web","public_net":{"ipv4":{"ip":"203.0.113.5"}},"private_net":[{"ip":"10.0.0.2"}]}]';
    expect(importedFrom([[hetzner]])).toEqual(["web [10.0.0.2, 203.0.113.5]: "]);
    const google = '[{"name":"vm","networkInterfaces":[{"name":"nic0","networkIP":"10.128.0.2"}]}]';
    expect(importedFrom([[google]])).toEqual(["vm [10.128.0.2]: "]);
  });

  it("gives a machine the addresses of its cards, and is refused if nothing has an address", () => {
    const cards =
      '"interfaces":[{"name":"eth0","mac":"52-54-00-00-00-10","ip":"10.0.0.1"},{"name":"eth1","ip":"10.1.0.1"}]';
    expect(importedFrom([[`[{"hostname":"web",${cards}}]`]])).toEqual(["web [10.0.0.1 52:54:00:00:00:10, 10.1.0.1]: "]);
    expect(refusalOf(csv, '{"name":"app","database":{"ip":"10.0.0.5"}}')).toMatch(
      /^line 1, column 1: must have objects/,
    );
  });
});

describe("a CSV table, cell by cell,", () => {
  it("says what a spreadsheet has made of a MAC address", () => {
    expect(skippedIn(csv, "Name;IP;MAC\npc;10.0.0.1;7,20E+11\n")).toEqual([
      "2 row pc: a spreadsheet has made the number 7,20E+11 of a MAC address: format the column as text before",
    ]);
  });

  it("says what a device is", () => {
    const file =
      "IP;Hersteller;Modell;Seriennummer;Betriebssystem\n10.0.0.1;Dell;R640;ABC1;Debian 12\n10.0.0.2;-;;n/a;\n";
    const { hosts, skipped } = read(csv, file);
    const os = { name: "Debian 12", version: null, cpe: null, accuracy: null };
    expect(hosts.map(({ says }) => says)).toEqual([
      { os, vendor: "Dell", model: "R640", serial: "ABC1" },
      { os: null, vendor: null, model: null, serial: null },
    ]);
    expect(skipped.count()).toBe(0);
  });

  it("says which version a system or a service has, and what a version without a system is worth", () => {
    const hosts = "ip,os,os_version\n10.0.0.1,Debian,12\n10.0.0.2,,13\n";
    expect(read(csv, hosts).hosts.map(({ says }) => says?.os)).toEqual([
      { name: "Debian", version: "12", cpe: null, accuracy: null },
      null,
    ]);
    expect(skippedIn(csv, hosts)).toEqual([
      "3 row 10.0.0.2: a version says nothing without the name of the operating system",
    ]);
    const services = "ip,port,protocol,service,version\n10.0.0.1,22,tcp,ssh,9.2p1\n";
    expect(read(csv, services).hosts[0]?.ports[0]?.service?.version).toBe("9.2p1");
  });

  it("keeps the usable addresses of a row, and lists the others", () => {
    const file = "name,ip\na,fe80::1 10.0.0.1 x\n";
    expect(read(csv, file).hosts.map(({ addresses }) => addresses)).toEqual([[{ ip: "10.0.0.1", mac: null }]]);
    expect(skippedIn(csv, file)).toEqual(["2 row a: fe80::1 is link-local", "2 row a: x is not an IP address"]);
  });

  it("makes no hosts of networks and broadcast addresses, however their masks are written", () => {
    const file =
      "name,ip,mask\na,10.0.0.0,255.255.255.0\nb,10.0.0.255,24\nc,10.0.0.1,/24\nd,10.0.1.0/255.255.255.0,\ne,10.0.2.0,255.255.255.254\n";
    expect(read(csv, file).hosts.map(({ name }) => name)).toEqual(["c", "e"]);
    expect(skippedIn(csv, file)).toEqual([
      "2 row a: 10.0.0.0/24 is a network",
      "3 row b: 10.0.0.255 is the broadcast address of 10.0.0.0/24",
      "5 row d: 10.0.1.0/24 is a network",
    ]);
  });

  it("begins below what programs write for programs, and titles", () => {
    const rows = "Name;IP-Adresse;MAC-Adresse\nDrucker;10.0.0.5;00:11:32:00:00:05\n";
    for (const before of ["sep=;\n", "#TYPE System.Object\n", "Devices of the office\n\nAs of today\n"])
      expect(importedFrom([[`${before}${rows}`]])).toEqual(["Drucker [10.0.0.5 00:11:32:00:00:05]: "]);
  });

  it("makes nothing of ports that are not open", () => {
    const file = "host,ip,port,state,service\nweb,10.0.0.5,22,open,ssh\nweb,10.0.0.5,23,closed,telnet\n";
    expect(importedFrom([[file]])).toEqual(["web [10.0.0.5]: ssh: 22/Tcp@10.0.0.5"]);
    expect(skippedIn(csv, `${file}web,10.0.0.5,25,open|filtered,smtp\n`)).toEqual([
      "3 row web: the row says that it is closed",
      "4 row web: the row says that it is open|filtered",
    ]);
  });

  it("reads addresses below the names of their networks, and in brackets", () => {
    const addresses = ["lan=10.0.0.5, fd00::5; dmz=10.1.0.5", "{'lan': ['10.0.0.5', 'fd00::5'], 'dmz': ['10.1.0.5']}"];
    for (const cell of [...addresses, "{10.0.0.5, fd00::5, 10.1.0.5}"])
      expect(importedFrom([[`Name,Status,Networks\nweb,ACTIVE,"${cell}"\n`]])).toEqual([
        "web [10.0.0.5, 10.1.0.5, fd00::5]: ",
      ]);
  });

  it("makes no hosts of the internet, of addresses that move, and of those that something else has", () => {
    const file = [
      "name,ip,mac,role,devParentMAC,devParentPort",
      "Internet,203.0.113.7,Internet,,,",
      "gw,10.0.0.1,00:11:32:00:00:01,Edge Router,Internet,1",
      "web,10.0.0.9,,VRRP,,",
      "BAD_ADDRESS,10.0.0.8,,,,",
      "tv,10.0.0.7,00:11:32:00:00:07,TV,00:11:32:00:00:01,4",
    ].join("\n");
    const { hosts, skipped, devices } = read(csv, file);
    expect(hosts.map(({ name, role }) => `${name ?? ""} ${role ?? ""}`)).toEqual(["gw Router", "tv Media"]);
    expect(devices).toMatchObject([{ machine: { macs: ["00:11:32:00:00:01"] } }]);
    expect(skipped.listed.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
      "2 it stands for the internet",
      "4 VRRP addresses move between machines",
      "5 it was declined: something else has the address",
      "3 nothing identifies it",
    ]);
  });

  it("makes no host of an address that the row calls free, unless a machine is there", () => {
    const file = "Name;IP;MAC\nfrei;10.0.0.1;\nfree;10.0.0.2;00:11:32:00:00:02\nfreezer;10.0.0.3;\n";
    expect(read(csv, file).hosts.map(({ name }) => name)).toEqual(["free", "freezer"]);
    expect(skippedIn(csv, file)).toEqual(["2 row frei: the row says that it is frei"]);
  });

  it("has no dot at the end of a host name", () => {
    expect(importedFrom([["ip,hostname\n10.0.0.5,nas.lan.\n"]])).toEqual(["nas.lan [10.0.0.5]: "]);
  });

  it("reads the MAC address in what a DHCP client calls itself", () => {
    for (const client of ["01-00-11-32-00-00-05", "0100.1132.0000.05", "01001132000005"])
      expect(importedFrom([[`IPAddress,ClientId,HostName\n10.0.0.5,${client},nas\n`]])).toEqual([
        "nas [10.0.0.5 00:11:32:00:00:05]: ",
      ]);
  });

  it("leaves what sources have observed to them, and says so if there is anything of it", () => {
    const file = (os: string): string => `name,ip_addresses,observed_vendor,observed_os\nnas,10.0.0.5,,${os}\n`;
    expect(skippedIn(csv, file(""))).toEqual([]);
    expect(skippedIn(csv, file("Linux"))).toEqual([
      "1 column observed_os: what sources have observed is taken from sources and archives only; to take it as the table's own words, say what the columns mean",
    ]);
    const columns = [{ heading: "observed_os", meaning: "os" }];
    expect(read(csv, file("Linux"), { columns })).toMatchObject({ hosts: [{ says: { os: { name: "Linux" } } }] });
  });

  it("takes a port of a switch for none of the machine", () => {
    const file = "name,ip,port\na,10.0.0.1,Gi0/1\nb,10.0.0.2,443\n";
    expect(importedFrom([[file]])).toEqual(["a [10.0.0.1]: ", "b [10.0.0.2]: HTTPS: 443/Tcp@10.0.0.2"]);
    expect(skippedIn(csv, file)).toEqual(["2 row a: Gi0/1 is the port of a switch"]);
  });

  it("says which machines hang at which ports of which switches, and that of a switch which it lists itself", () => {
    const file =
      "name,ip,mac,switch,port\nnas,10.0.0.5,00:11:32:00:00:05,core,Gi0/5\ncam,10.0.0.6,,core,Gi0/6\ncore,10.0.0.2,,,\nap,10.0.0.7,00:11:32:00:00:07,78:8A:20:00:00:02,7\n";
    const { hosts, devices } = read(csv, file);
    expect(hosts.map(({ name, cards = [] }) => name ?? cards.join())).toEqual([
      "nas",
      "cam",
      "core",
      "ap",
      "78:8A:20:00:00:02",
    ]);
    expect(hosts.map(({ role = null }) => role)).toEqual([null, null, "Switch", null, "Switch"]);
    const heard = { ips: ["10.0.0.6"], macs: [], name: "cam" };
    expect(devices).toMatchObject([
      {
        machine: { name: "core", macs: [] },
        ports: [{ name: "Gi0/5" }, { name: "Gi0/6" }],
        table: [{ port: 0, mac: "00:11:32:00:00:05" }],
        neighbours: [{ port: 1, machine: heard }],
      },
      { machine: { macs: ["78:8A:20:00:00:02"] }, ports: [{ name: "7" }], neighbours: [] },
    ]);
    expect(skippedIn(csv, "name,ip,switch\na,10.0.0.1,core\n")).toEqual([
      "1 column switch: nothing is made of what such a column says",
    ]);
  });

  it("has one host for a name with an address of each family, and two for one MAC address with two names", () => {
    const families = "name,ip\nA,10.0.0.1\nA,2001:db8::1\n";
    expect(importedFrom([[families]])).toEqual(["A [10.0.0.1, 2001:db8::1]: "]);
    const repeater = "name,ip,mac\nA,10.0.0.1,7C:2F:80:10:20:30\nB,10.0.0.2,7C:2F:80:10:20:30\n";
    expect(importedFrom([[repeater]])).toEqual(["A [10.0.0.1]: ", "B [10.0.0.2]: "]);
  });

  it("reports each invalid cell with line, column and code", () => {
    const file =
      "Host;IP;MAC;Port;Proto\na;10.0.0.1;zz;22;\na;;;22;\na;10.0.0.x;;22;\na;::1;;22;\na;10.0.0.1;;0;\na;10.0.0.1;;5;sctp\na;10.0.0.1;;7/sctp;";
    const listed = read(csv, file).skipped.listed.map(({ line, column, code }) => [line, column, code]);
    expect(listed).toEqual([
      [2, "MAC", "not_a_mac_address"],
      [3, "IP", "missing_address"],
      [4, "IP", "not_an_address"],
      [5, "IP", "unusable_address"],
      [6, "Port", "not_a_port"],
      [7, "Proto", "unknown_protocol"],
      [8, "Port", "unknown_protocol"],
    ]);
    expect(read(csv, file).hosts.map(({ ports }) => ports.map(({ number }) => number))).toEqual([[22]]);
  });

  it.each([
    ["", "missing_headings"],
    ["name,colour\n", "missing_column"],
    ['ip,name\n10.0.0.1,"a"b\n', "misplaced_quote"],
    ['ip,name\n10.0.0.2,"b\n', "open_quote"],
    [`ip,name\n${",".repeat(300)}\n`, "too_many_cells"],
    [`ip,name\n"${"a\n".repeat(40_000)}"\n`, "row_too_long"],
  ])("is rejected with a code when it is not a table", (file, code) => {
    expect(faultsOf(csv, file)).toEqual([expect.objectContaining({ code })]);
  });

  it("is read as the requested format when its headings are ambiguous", () => {
    const file = Buffer.from("name,ip_address,port\nnas,10.0.0.5,22\n");
    const namesAs = (resource: "hosts" | "services"): unknown =>
      csv
        .read([file], { nowMs: NOW_MS, resource })
        .hosts.map(({ name, ports }) => [name, ports.map(({ number }) => number)]);
    expect(namesAs("hosts")).toEqual([["nas", []]]);
    expect(namesAs("services")).toEqual([[null, [22]]]);
  });

  it("determines what services are, which is not a guess, also on ports that are known for something else", () => {
    const file =
      "host,ip,port,name,service_definition\ncrm,10.0.0.5,8096,CRM,Our own CRM\ncrm,10.0.0.5,5432,Data,postgresql\n";
    const guesses = read(csv, file).hosts.flatMap(({ ports }) => ports.map((port) => guessOf(port, port.service)));
    expect(guesses.map((guess) => [guess?.name, guess?.definition])).toEqual([
      ["CRM", "Our own CRM"],
      ["Data", "PostgreSQL"],
    ]);
  });

  it.each([
    "=x",
    "+1",
    "-1",
    "@x",
    "'=x",
    "''+1",
    "'-1",
    "'''@x",
    "'x",
    "''",
    "O'Neil =x",
    "＝x",
    "'＋1",
    "－1",
    "''＠x",
  ])("is read as what was exported, also text that looks as if an apostrophe protected it: %s", (text) => {
    const writer = createCsvWriter("hosts", NAMES);
    const host = { name: text, hostname: null, description: text, tags: [], interfaces: [{ ip_address: "10.0.0.5" }] };
    const file = writer.begin + writer.hosts([host as unknown as Host]);
    expect(read(csv, file).hosts).toMatchObject([{ name: text, vendor: text }]);
  });

  it("gives hosts the role and the attributes of their rows, and says what it cannot read", () => {
    for (const [role, meant] of [
      ["Core Switch", "Switch"],
      ["Wireless Access Point", "AccessPoint"],
      ["Laptop", "Computer"],
    ])
      expect(read(csv, `ip,role\n10.0.0.1,${role}\n`).hosts).toMatchObject([{ role: meant }]);
    const file = `ip,role,attributes_rack,attributes_height\n10.0.0.1,access point,A3,2\n10.0.0.2,Fridge,"${"x".repeat(501)}",\n`;
    expect(read(csv, file).hosts).toMatchObject([
      { role: "AccessPoint", attributes: { rack: "A3", height: 2 } },
      { role: null },
    ]);
    expect(read(csv, file).skipped.listed.map(({ line, column }) => [line, column])).toEqual([
      [3, "role"],
      [3, "attributes_rack"],
    ]);
    const ofPorts = "ip,port,attributes_rack\n10.0.0.1,80,A3\n";
    expect(read(csv, ofPorts).skipped.listed).toMatchObject([{ column: "attributes_rack" }]);
  });

  it("gives hosts the tags of their rows, separated by semicolons or commas, and says which cannot be read", () => {
    const file = `ip,tags\n10.0.0.1,a; b;c\\;d\n10.0.0.2,"x,y"\n10.0.0.3,${"x".repeat(51)};ok\n10.0.0.4,\n`;
    expect(read(csv, file).hosts.map(({ tags }) => tags)).toEqual([["a", "b", "c;d"], ["x", "y"], ["ok"], undefined]);
    expect(read(csv, file).skipped.listed).toMatchObject([{ line: 4, column: "tags" }]);
  });

  it.each([
    [
      "of this network and others",
      "Home",
      "Office",
      [1],
      ["3 row 10.0.0.2: it is of the network Office; to take such rows, ignore the column"],
    ],
    ["of another network", "Office", "Office", [1, 2], []],
    [
      "of several others",
      "Lab",
      "Office",
      [1, 2],
      ["2 column network: rows of several networks are taken, none of which is called like this one"],
    ],
  ])("takes rows %s", (_what, first, second, taken, skipped) => {
    const { hosts, skipped: left } = read(csv, `ip,network\n10.0.0.1,${first}\n10.0.0.2,${second}\n`, {
      network: "home",
    });
    expect(hosts.map(({ addresses }) => addresses[0]?.ip)).toEqual(taken.map((n) => `10.0.0.${n}`));
    expect(left.listed.map(({ line, what, reason }) => `${line} ${what}: ${reason}`)).toEqual(skipped);
  });

  it.each([
    ["", "line 1, column 1: must begin with a line of headings"],
    ["name,colour\n", "line 1, column 1: must be headings with one of them `ip_address`"],
    ['ip,name\n10.0.0.1,"a"b\n', "line 2, column 12: has a misplaced quote"],
    ['ip,name\n10.0.0.1,a\n10.0.0.2,"b\n', "line 3, column 1: has a quote that is not closed"],
    [`ip,name\n${",".repeat(300)}\n`, "line 2, column 201: must not have more than 200 cells"],
  ])("is rejected with the place when it is malformed: %j", (file, refusal) => {
    expect(refusalOf(csv, file)).toBe(refusal);
  });
});

const NAMES = { network: (id: string) => id, tag: (tag: string) => tag };
const CARD = "00:11:22:33:44:55";
const OTHER = "00:11:22:33:44:66";
const ADDRESSES = ["192.168.1.20", "192.168.1.4", "2001:db8::5"];

/** Address and MAC address of each interface that a table makes. */
function cardsIn(file: string): (readonly [ip: string, mac: string | null])[] {
  return read(csv, file).hosts.flatMap(({ addresses }) => addresses.map(({ ip, mac }) => [ip, mac] as const));
}

describe("MAC addresses of a CSV table of hosts", () => {
  /** All ways in which up to three interfaces have a MAC address of two, or an unknown one. */
  const known = [null, CARD, OTHER];
  const combinations = [1, 2, 3].flatMap((count) =>
    Array.from({ length: known.length ** count }, (_, n) =>
      Array.from({ length: count }, (_, at) => known[Math.floor(n / known.length ** at) % known.length] ?? null),
    ),
  );

  it.each(combinations.map((macs) => [macs]))(
    "belong to the same addresses after an export and an import: %j",
    (macs) => {
      const interfaces = macs.map((mac_address, n) => ({ ip_address: ADDRESSES[n], mac_address }));
      const host = { name: "nas", hostname: null, description: null, tags: [], interfaces } as unknown as Host;
      const writer = createCsvWriter("hosts", NAMES);
      const file = writer.begin + writer.hosts([host]);
      expect(cardsIn(file)).toEqual(macs.map((mac, n) => [ADDRESSES[n], mac]));
      expect(skippedIn(csv, file)).toEqual([]);
    },
  );

  it.each([
    ["mac_addresses", CARD, [null, null]],
    ["MACs", CARD, [null, null]],
    ["mac_addresses", `${CARD} ${OTHER} ${CARD}`, [null, null]],
    ["mac_addresses", `${CARD} ${OTHER}`, [CARD, OTHER]],
    ["mac_addresses", `? ${OTHER}`, [null, OTHER]],
    ["mac_addresses", "", [null, null]],
    ["mac_address", CARD, [CARD, CARD]],
    ["MAC", CARD, [CARD, CARD]],
    ["mac", `${CARD} ${OTHER} ${CARD}`, [null, null]],
  ])("under %s are assigned to two addresses only where it is certain which has which: %s", (heading, cell, macs) => {
    const file = `name,ip_addresses,${heading}\nnas,${ADDRESSES[0]} ${ADDRESSES[1]},${cell}\n`;
    expect(cardsIn(file).map(([, mac]) => mac)).toEqual(macs);
    const isLeftOut = cell !== "" && macs.every((mac) => mac === null);
    expect(read(csv, file).skipped.listed.map(({ column, code }) => [column, code])).toEqual(
      isLeftOut ? [[heading, "unassigned_mac_addresses"]] : [],
    );
  });
});

describe("Cells and columns of a table that are not kept", () => {
  const cut = (length: number): string => "x".repeat(length);

  it.each([
    [
      "texts that are too long",
      `ip_address,hostname,model,os,os_version\n10.0.0.1,nas,${cut(201)},Debian,${cut(101)}\n`,
      ["2 row nas: only its first 200 characters are kept", "2 row nas: only its first 100 characters are kept"],
    ],
    [
      "names that are none",
      `ip_address,name,hostname\n10.0.0.1,nas,${cut(254)}\n`,
      ["2 row nas: its host name is not a text of 1 to 253 characters"],
    ],
    [
      "versions of no service",
      "Name,IP Address,Model,Application,Version\ncore,10.0.0.2,X1,Network,7.1\n",
      ["1 columns Application, Version: nothing is made of what such a column says"],
    ],
    [
      "columns that mean nothing in such rows",
      "host,ip_address,name,interface,role\nnas,10.0.0.1,eth0,eth0,Nas\n",
      ["1 columns role, interface: nothing is made of what such a column says"],
    ],
  ])("are listed: %s", (_what, file, skipped) => {
    expect(skippedIn(csv, file)).toEqual(skipped);
  });
});

describe("a table of interfaces or services", () => {
  const imported = (...files: readonly string[]) => {
    const network = createMemoryNetwork();
    const plans = files.flatMap((file) => network.importFile(file, false));
    const host = [...network.hosts.values()].at(0);
    return { host, changes: plans.at(-1)?.changes.map(({ path, to }) => `${path}: ${to}`) };
  };

  it("gives interfaces the attributes of their rows, and keeps those that they have", () => {
    const table =
      "host,name,ip_address,attributes_vlan,attributes_outlet\nnas,eth0,10.0.0.5,20,\nnas,eth1,10.0.1.5,30,B2\n";
    const { host, changes } = imported(table, table.replace("5,20,", "5,21,B1"));
    expect(host?.interfaces.map(({ entity }) => [entity.ip_address, entity.attributes])).toEqual([
      ["10.0.0.5", { vlan: 20, outlet: "B1" }],
      ["10.0.1.5", { vlan: 30, outlet: "B2" }],
    ]);
    expect(changes).toEqual(["interfaces.10.0.0.5.attributes.outlet: B1"]);
  });

  it("gives services the attributes of their rows, and keeps those that they have", () => {
    const table =
      "host,ip_address,port,name,service_definition,attributes_owner,attributes_tier\nnas,10.0.0.5,443,Photos,Immich,ada,\n";
    const { host, changes } = imported(table, table.replace("ada,", "grace,2"));
    expect(host?.services.map(({ entity }) => [entity.name, entity.attributes])).toEqual([
      ["Photos", { owner: "ada", tier: 2 }],
    ]);
    expect(changes).toEqual(["services.Photos.attributes.tier: 2"]);
  });
});

describe("a table whose columns the request explains", () => {
  const table = "Kennung;Netzadresse;Karte;Standort;Port\nnas;192.168.1.20;00:11:32:aa:bb:cc;Keller;7\n";
  const columns = [
    { heading: "Kennung", meaning: "name" },
    { heading: "netz adresse", meaning: "vendor" },
    { heading: "NETZADRESSE", meaning: "ip_address" },
    { heading: "Karte", meaning: "mac_address" },
    { heading: "Standort", meaning: "attributes_site" },
    { heading: "Port", meaning: "ignore" },
  ];

  it("means what the request says, however the headings are spelled, and the plan says what each was taken for", () => {
    const { hosts, columns: taken, skipped } = read(csv, table, { columns });
    expect(hosts).toMatchObject([
      {
        name: "nas",
        addresses: [{ ip: "192.168.1.20", mac: "00:11:32:AA:BB:CC" }],
        attributes: { site: "Keller" },
        ports: [],
      },
    ]);
    expect(taken?.map(({ heading, meaning, given }) => `${heading}: ${meaning ?? "-"}, ${given}`)).toEqual([
      "Kennung: name, true",
      "Netzadresse: ip_address, true",
      "Karte: mac_address, true",
      "Standort: attributes_site, true",
      "Port: -, true",
    ]);
    expect(skipped.count()).toBe(0);
    expect([csv.looksLike(table, { columns }), csv.looksLike(table)]).toEqual([true, false]);
  });

  it("is refused with its headings if the request does not say which are the addresses", () => {
    const headings = ["Kennung", "Netzadresse", "Karte", "Standort", "Port"];
    expect(faultsOf(csv, table)).toMatchObject([{ code: "missing_column", headings }]);
  });

  it("has columns without a meaning in its rows", () => {
    const { columns: taken } = read(csv, "ip,hostname,location,port\n10.0.0.5,nas,cellar,\n", { resource: "hosts" });
    expect(taken?.map(({ heading, meaning }) => `${heading}: ${meaning ?? "-"}`)).toEqual([
      "ip: ip_address",
      "hostname: hostname",
      "location: -",
      "port: -",
    ]);
  });

  it("can be said to have each column that a table can have", () => {
    const taken = COLUMN_MEANINGS.map((meaning) => {
      const [column = null] = columnsOf(["Own"], saidOf([{ heading: "own", meaning }]));
      return column === null ? "ignore" : meaningOf(column);
    });
    expect(taken).toEqual(COLUMN_MEANINGS);
    expect(saidColumn("a = b=ip_address")).toEqual({ heading: "a = b", meaning: "ip_address" });
    expect(["ip_address", "=name", "x=nothing", "x=attributes_", "x=attributes_9"].map(saidColumn)).toEqual(
      Array.from({ length: 5 }, () => null),
    );
  });
});
