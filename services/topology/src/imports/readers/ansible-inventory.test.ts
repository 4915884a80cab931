import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { ansibleInventory } from "./ansible-inventory.js";

describe("Inventories of Ansible", () => {
  it.each([
    ["addresses", ["10.93.0.5 [10.93.0.5]: ", "10.93.0.6 [10.93.0.6]: "], []],
    ["export", ["NAS [10.91.0.5, 2001:db8:91::5]: ", "Printer [10.91.0.6]: "], []],
    ["inventory", ["router [10.92.0.1]: ", "web-1 [10.92.0.11]: ", "web-2 [10.92.0.12]: ", "db-1 [10.92.0.20]: "], []],
    [
      "list",
      ["nas.lab.example [10.90.0.5]: ", "tv [10.90.0.6]: "],
      ["3 host cloud: it has no address in ansible_host"],
    ],
    ["loopback", ["c [10.97.0.7]: "], ["2 host localhost: its address is not that of a machine"]],
    [
      "groups",
      ["gw [10.98.0.1, fd00:98::1]: ", "nas [10.98.0.5]: "],
      ["3 host laptop: it has no address in ansible_host"],
    ],
    ["nested", ["deep [10.96.0.5]: "], []],
    [
      "ranges",
      ["a [10.94.0.5]: "],
      ["3 line 3: it is not a host; ranges of names are not read: import the output of `ansible-inventory --list`"],
    ],
    ["without", ["b [10.95.0.6]: "], ["2 host only-a-name: it has no address in ansible_host"]],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("ansible-inventory", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(ansibleInventory, file)).toEqual(skipped);
  });
});

describe("A host in several groups", () => {
  it("has its variables from the group that has them, in a file that begins with any group", () => {
    const yaml =
      "web:\n  hosts:\n    a.lan:\n    b.lan: {ansible_host: 10.99.0.6}\nall:\n  hosts:\n    a.lan: {ansible_host: 10.99.0.5}\n";
    const ini = "[web]\na.lan\n\n[all]\na.lan ansible_host=10.99.0.5\nb.lan ansible_host=10.99.0.6\n";
    for (const file of [yaml, ini]) {
      expect(importedFrom([[file]])).toEqual(["a.lan [10.99.0.5]: ", "b.lan [10.99.0.6]: "]);
      expect(skippedIn(ansibleInventory, file)).toEqual([]);
    }
  });
});

describe("What this system has exported", () => {
  const inventoryOf = (variables: object): string =>
    JSON.stringify({ all: { hosts: { nas: { ansible_host: "10.91.0.5", ...variables } } } });

  it("is read as it was, empty texts included, and changes nothing where it comes from", () => {
    const attributes = { note: "", rack: "A 3", height: 2, is_leased: false };
    const file = inventoryOf({ nts_name: "NAS", nts_hostname: null, nts_role: "Nas", nts_attributes: attributes });
    const network = createMemoryNetwork();
    network.importFile(file, false);
    const [host] = [...network.hosts.values()].map((one) => one.host.entity);
    expect([host?.name, host?.hostname, host?.role, host?.attributes]).toEqual(["NAS", null, "Nas", attributes]);
    expect(network.importFile(file, true).map(({ action }) => action)).toEqual(["unchanged"]);
    expect(skippedIn(ansibleInventory, file)).toEqual([]);
  });

  it("is listed where it cannot be what it says", () => {
    const file = inventoryOf({
      nts_role: "Toaster",
      nts_attributes: { Rack: 1, list: [], note: "x".repeat(501), a: 1 },
    });
    expect(skippedIn(ansibleInventory, file)).toEqual([
      "1 host nas: Toaster is not a role",
      "1 host nas: 3 of its attributes have a key or a value that attributes cannot have",
    ]);
  });
});

describe("An inventory", () => {
  it("with ranges of names in YAML names no host like that", () => {
    const file =
      'all:\n  hosts:\n    "db[a:c]":\n      ansible_host: 10.0.0.1\n    web:\n      ansible_host: 10.0.0.2\n';
    expect(importedFrom([[file]])).toEqual(["web [10.0.0.2]: "]);
    expect(skippedIn(ansibleInventory, file)).toEqual([
      "1 host db[a:c]: ranges of names are not read: import the output of `ansible-inventory --list`",
    ]);
  });

  it("observes nothing, and is rejected without a host", () => {
    expect(read(ansibleInventory, corpusFile("ansible-inventory", "list")).coverage).toBeNull();
    expect(refusalOf(ansibleInventory, "{}")).toBe(
      "line 1, column 1: must be an inventory with hosts, as of `ansible-inventory --list`",
    );
  });
});
