import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { ansibleFacts } from "./ansible-facts.js";

/** The files of the corpus: the hosts that each becomes, and what is left out. */
const CORPUS: readonly (readonly [string, string[], string[]])[] = [
  ["addresses-only", ["alpine [10.60.0.9, 2001:db8:60::9]: "], []],
  [
    "cache",
    ["hv1 [10.30.0.5 3C:EC:EF:00:00:01]: "],
    [
      "1 address 192.168.122.1 of machine hv1: virbr0 leads to containers or virtual machines inside of one machine",
      "1 address 10.30.0.1 of machine hv1: it is a virtual address of several routers (VRRP, HSRP)",
    ],
  ],
  [
    "callback-json",
    [
      "web01.example.net [10.20.0.11 52:54:00:10:00:01, 2001:db8:20::11 52:54:00:10:00:01]: ",
      "db01.example.net [10.20.0.100 52:54:00:10:00:02, 10.20.0.12 52:54:00:10:00:02, 10.21.0.12 52:54:00:10:01:02]: ",
    ],
    [
      "1 address fe80::5054:ff:fe10:1 of machine web01: its address is link-local",
      "1 address 172.17.0.1 of machine web01: docker0 leads to containers or virtual machines inside of one machine",
      "1 machine old: it was unreachable, or returned no facts",
    ],
  ],
  [
    "macos",
    ["studio.local [10.40.0.7 A4:83:E7:00:00:07]: "],
    ["1 address fe80::1c2d%en0 of machine studio.local: its address is link-local"],
  ],
  [
    "printed-one-line",
    ["web01.example.net [10.20.0.11 52:54:00:10:00:01, 2001:db8:20::11 52:54:00:10:00:01]: "],
    [
      "2 address fe80::5054:ff:fe10:1 of machine web01: its address is link-local",
      "2 address 172.17.0.1 of machine web01: docker0 leads to containers or virtual machines inside of one machine",
      "3 machine db09: it was unreachable, or returned no facts",
    ],
  ],
  [
    "printed",
    [
      "web01.example.net [10.20.0.11 52:54:00:10:00:01, 2001:db8:20::11 52:54:00:10:00:01]: ",
      "db01.example.net [10.20.0.100 52:54:00:10:00:02, 10.20.0.12 52:54:00:10:00:02, 10.21.0.12 52:54:00:10:01:02]: ",
    ],
    [
      "1 address fe80::5054:ff:fe10:1 of machine web01: its address is link-local",
      "1 address 172.17.0.1 of machine web01: docker0 leads to containers or virtual machines inside of one machine",
    ],
  ],
  [
    "tree-all",
    [
      "web01.example.net [10.20.0.11 52:54:00:10:00:01, 2001:db8:20::11 52:54:00:10:00:01]: ",
      "db01.example.net [10.20.0.100 52:54:00:10:00:02, 10.20.0.12 52:54:00:10:00:02, 10.21.0.12 52:54:00:10:01:02]: ",
    ],
    [
      "1 address fe80::5054:ff:fe10:1 of machine web01.example.net: its address is link-local",
      "1 address 172.17.0.1 of machine web01.example.net: docker0 leads to containers or virtual machines inside of one machine",
    ],
  ],
  [
    "tree-one",
    ["web01.example.net [10.20.0.11 52:54:00:10:00:01, 2001:db8:20::11 52:54:00:10:00:01]: "],
    [
      "1 address fe80::5054:ff:fe10:1 of machine web01.example.net: its address is link-local",
      "1 address 172.17.0.1 of machine web01.example.net: docker0 leads to containers or virtual machines inside of one machine",
    ],
  ],
  [
    "vagrant",
    ["node1 [192.168.56.11 08:00:27:00:00:11]: ", "node2 [192.168.56.12 08:00:27:00:00:12]: "],
    [
      "1 address 10.0.2.15 of machine node1: several machines report it",
      "2 address 10.0.2.15 of machine node2: several machines report it",
    ],
  ],
  [
    "windows",
    ["dc1.corp.example [10.50.0.10 00:50:56:00:50:10]: "],
    ["1 address fe80::a1b2 of machine dc1.corp.example: its address is link-local"],
  ],
];

describe("Ansible facts", () => {
  it.each(CORPUS)("become hosts, and what is left out has its place and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("ansible-facts", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(ansibleFacts, file)).toEqual(skipped);
  });

  it("describe a new host by its system and its virtualization", () => {
    const { hosts } = read(ansibleFacts, corpusFile("ansible-facts", "tree-all"));
    expect(hosts.map(({ vendor }) => vendor)).toEqual(["Debian 12.5, PowerEdge R640", "Ubuntu 24.04, KVM"]);
  });

  it("are merged when one machine reports them several times", () => {
    const file = Buffer.from(corpusFile("ansible-facts", "tree-one"));
    expect(importedFrom([[Buffer.concat([file, file])]])).toEqual(importedFrom([[file]]));
  });

  it.each([
    ["", "line 1, column 1: must have a value in JSON"],
    ["web01 | SUCCESS => [7,\n", "line 2, column 1: is not valid JSON, or ends early"],
    ['{"ansible_facts":{}}\n{"hosts":[]}', "line 2, column 1: must be facts as printed by `ansible -m setup`"],
    ["[7]", "line 1, column 1: must be facts as printed by `ansible -m setup`"],
    [`{"ansible_facts":${"[".repeat(40)}`, "$: must not be nested deeper than 32 levels"],
  ])("are rejected with the place when they are invalid: %j", (file, refusal) => {
    expect(refusalOf(ansibleFacts, file)).toBe(refusal);
  });
});

describe("Facts that are too long", () => {
  it("are cut, and listed", () => {
    const facts = {
      ansible_hostname: "nas",
      ansible_product_name: "x".repeat(201),
      ansible_all_ipv4_addresses: ["10.0.0.1"],
    };
    expect(skippedIn(ansibleFacts, JSON.stringify({ ansible_facts: facts }))).toEqual([
      "1 product_name of machine nas: only its first 200 characters are kept",
    ]);
  });
});
