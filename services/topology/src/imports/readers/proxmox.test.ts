import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { proxmox } from "./proxmox.js";

/** The files of the corpus: the hosts that each becomes, and what is left out. */
const CORPUS: readonly (readonly [string, string[], string[]])[] = [
  ["agent-only", ["192.168.1.70 [192.168.1.70 BC:24:11:00:00:20]: "], []],
  [
    "cluster",
    [
      "pve1 [192.168.1.5]: ",
      "pve2 [192.168.1.6]: ",
      "dns01 [192.168.1.53 BC:24:11:00:00:03]: ",
      "web01 [192.168.1.61 BC:24:11:00:00:01]: ",
      "db01 [192.168.1.62 BC:24:11:00:00:02, 2001:db8:1::62 BC:24:11:00:00:02]: ",
    ],
    [
      "1 cluster home: it is not a machine",
      "6 storage storage/pve1/local: it is not a machine",
      "7 sdn sdn/pve1/localnetwork: it is not a machine",
      "4 address fe80::be24:11ff:fe00:1 of guest web01: its address is link-local",
      "4 address 172.17.0.1 of guest web01: docker0 leads to containers or virtual machines inside of one machine",
      "8 address fe80::be24:11ff:fe00:3 of guest dns01: its address is link-local",
      "3 qemu old-vm: it is not running",
    ],
  ],
  [
    "lxc-config",
    ["proxy [10.10.0.10 BC:24:11:00:00:05, 10.9.0.10 BC:24:11:00:00:04, 2001:db8:10::10 BC:24:11:00:00:05]: "],
    [],
  ],
  ["over-http", ["mail [192.168.1.25 BC:24:11:00:00:09]: "], ["4 guest spare: it is not running"]],
  [
    "qemu-cloud-init",
    ["k8s-1 [10.9.0.21 BC:24:11:00:00:06]: ", "k8s-2 [10.9.0.22 BC:24:11:00:00:07]: "],
    ["3 guest golden: it is a template"],
  ],
  [
    "resources",
    [],
    [
      "6 storage storage/pve1/local: it is not a machine",
      "7 sdn sdn/pve1/localnetwork: it is not a machine",
      "1 qemu web01: the list has no addresses; they are in the response of its guest agent",
      "2 qemu db01: the list has no addresses; they are in the response of its guest agent",
      "3 qemu old-vm: it is not running",
      "4 lxc dns01: the list has no addresses; they are in its configuration or its interfaces",
      "5 node pve1: the list has no addresses; they are in /cluster/status",
    ],
  ],
  ["same-card", ["192.168.1.81 [192.168.1.81]: ", "192.168.1.82 [192.168.1.82]: "], []],
  ["status", ["pve1 [192.168.1.5]: ", "pve2 [192.168.1.6]: "], ["1 cluster home: it is not a machine"]],
  [
    "windows-guest",
    ["dc1 [192.168.1.10 BC:24:11:00:00:0B]: "],
    ["2 address fe80::1 of guest dc1: its address is link-local"],
  ],
];

describe("responses of Proxmox VE", () => {
  it.each(CORPUS)("become hosts, and what is left out has its place and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("proxmox", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(proxmox, file)).toEqual(skipped);
  });

  it("say on which node guests run, and what their systems are", () => {
    const network = createMemoryNetwork();
    network.importFile(corpusFile("proxmox", "cluster"), false);
    const hosts = [...network.hosts.values()].map(({ host }) => host.entity);
    const idOf = (name: string): string => hosts.find((one) => one.name === name)?.id ?? "";
    const guest = (node: string, kind: string, id: number) => ({
      type: "Proxmox VE",
      details: { host_id: idOf(node), node, kind, guest: id },
    });
    expect(hosts.map(({ name, virtualization, observed }) => [name, virtualization, observed?.os?.name])).toEqual([
      ["pve1", null, undefined],
      ["pve2", null, undefined],
      ["dns01", guest("pve1", "lxc", 110), "Debian"],
      ["web01", guest("pve1", "qemu", 100), "Linux"],
      ["db01", guest("pve1", "qemu", 101), "Linux"],
    ]);
    expect(network.importFile(corpusFile("proxmox", "cluster"), true).map(({ action }) => action)).toEqual(
      hosts.map(() => "unchanged"),
    );
  });

  it("name the node that is known already, and follow a guest to another one, but not a person's words", () => {
    const network = createMemoryNetwork();
    network.importFile("hostname,ip\npve1.lan,10.0.0.1\npve2.lan,10.0.0.2\n", false);
    const cluster = (node: string): string =>
      `[{"id":"qemu/7","type":"qemu","name":"web","node":"${node}","status":"running","vmid":7}]
      {"name":"web","net0":"virtio=BC:24:11:00:00:77,bridge=vmbr0","ipconfig0":"ip=10.0.0.7/24","digest":"${"a".repeat(40)}"}`;
    const web = () => [...network.hosts.values()].find(({ host }) => host.entity.name === "web");
    const runner = (): unknown => {
      const id = web()?.host.entity.virtualization?.details["host_id"];
      return id === undefined ? null : network.hosts.get(String(id))?.host.entity.hostname;
    };
    network.importFile(cluster("pve1"), false);
    expect(runner()).toBe("pve1.lan");
    const [moved] = network.importFile(cluster("pve2"), false);
    expect(runner()).toBe("pve2.lan");
    expect(moved?.changes).toEqual([{ path: "virtualization", from: "Proxmox VE on pve1", to: "Proxmox VE on pve2" }]);
    const [unknown] = network.importFile(cluster("pve9"), false);
    expect(unknown?.skipped.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      "host pve9 of a guest: no host has its name, or several have it",
    ]);
    expect(web()?.host.entity.virtualization?.details).toEqual({ node: "pve9", kind: "qemu", guest: 7 });
    const theirs = { type: "Proxmox VE", details: { rack: 3 } };
    const there = web();
    if (there === undefined) throw new Error("there is no guest");
    network.hosts.set(there.host.entity.id, {
      ...there,
      host: { ...there.host, entity: { ...there.host.entity, virtualization: theirs } },
    });
    network.importFile(cluster("pve1"), false);
    expect(web()?.host.entity.virtualization).toEqual(theirs);
  });

  it("say on which node guests run whose addresses are in none of them, if their network cards are known", () => {
    const network = createMemoryNetwork();
    network.importFile("? (10.0.0.8) at bc:24:11:00:00:88 [ether] on eth0\n", false);
    const guest = (name: string, id: number): string =>
      `[{"id":"lxc/${id}","type":"lxc","name":"${name}","node":"pve1","status":"running","vmid":${id}}]
      {"hostname":"${name}","net0":"name=eth0,hwaddr=BC:24:11:00:00:${id},ip=dhcp","digest":"${"a".repeat(40)}","ostype":"alpine"}`;
    const [plan] = network.importFile([guest("wiki", 88), guest("spare", 89)].join("\n"), false);
    expect(plan?.skipped.map(({ what }) => what)).toEqual(["host pve1 of a guest"]);
    expect([...network.hosts.values()].map(({ host: { entity } }) => entity)).toMatchObject([
      {
        hostname: "wiki",
        virtualization: { type: "Proxmox VE", details: { node: "pve1", kind: "lxc", guest: 88 } },
        observed: { os: { name: "Alpine Linux" } },
      },
    ]);
  });

  it("give the same result in any order", () => {
    const lines = Buffer.from(corpusFile("proxmox", "cluster")).toString().trim().split("\n");
    const backwards = [...lines].reverse().join("\n");
    expect(importedFrom([[backwards]]).sort()).toEqual(importedFrom([[lines.join("\n")]]).sort());
  });

  it("keep the first 100 characters of names, and say so", () => {
    const name = "n".repeat(101);
    const file = [
      JSON.stringify([{ type: "qemu", vmid: 100, id: "qemu/100", name, node: "pve1", status: "running" }]),
      JSON.stringify({ name, net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0", ipconfig0: "ip=10.1.0.5/24" }),
    ].join("\n");
    expect(read(proxmox, file).hosts[0]?.hostname).toBe(name.slice(0, 100));
    expect(skippedIn(proxmox, file)).toEqual([
      "1 name of qemu: only its first 100 characters are kept",
      "2 name of a guest: only its first 100 characters are kept",
    ]);
  });

  it("take time linear in the number of guests", () => {
    const microsOf = (count: number): number => {
      const guests = Array.from({ length: count }, (_, n) => `vm${n}`);
      const list = guests.map((name) => ({ id: `qemu/${name}`, type: "qemu", name, status: "running" }));
      const configs = guests.map((name, n) =>
        JSON.stringify({ name, net0: "bridge=vmbr0", ipconfig0: `ip=10.1.${n >> 8}.${n & 255}/16` }),
      );
      const file = Buffer.from([JSON.stringify(list), ...configs].join("\n"));
      const before = process.cpuUsage();
      expect(read(proxmox, file).hosts.length).toBe(count);
      return process.cpuUsage(before).user;
    };
    const growth = (): number => {
      const few = microsOf(4_750);
      return microsOf(19_000) / few;
    };
    // In linear time four, in quadratic time sixteen; other load costs some attempts more, but not each.
    expect(Array.from({ length: 3 }).some(() => growth() < 8)).toBe(true);
  });

  it.each([
    ["", "line 1, column 1: must have a value in JSON"],
    ['[{"id":"qemu/1","type":"qemu"}]\n{"version":"8.2"}', "line 2, column 1: must be the JSON output of `pvesh get`"],
    ["[7]", "line 1, column 1: must be the JSON output of `pvesh get`"],
    ['{"name":"a","net0":', "line 1, column 20: is not valid JSON, or ends early"],
  ])("are rejected with the place when they are something else: %j", (file, refusal) => {
    expect(refusalOf(proxmox, file)).toBe(refusal);
  });
});
