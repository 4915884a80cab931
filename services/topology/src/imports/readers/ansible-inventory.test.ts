import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { ansibleInventory } from "./ansible-inventory.js";

describe("Inventories of Ansible", () => {
  it.each([
    ["addresses", ["10.93.0.5 [10.93.0.5]: ", "10.93.0.6 [10.93.0.6]: "], []],
    ["export", ["NAS [10.91.0.5, 2001:db8:91::5]: ", "Printer [10.91.0.6]: "], []],
    ["inventory", ["router [10.92.0.1]: ", "web-1 [10.92.0.11]: ", "web-2 [10.92.0.12]: "], []],
    [
      "list",
      ["nas.lab.example [10.90.0.5]: ", "tv [10.90.0.6]: "],
      ["3 host cloud: it has no address in ansible_host"],
    ],
    ["loopback", ["c [10.97.0.7]: "], ["2 host localhost: its address is not that of a machine"]],
    ["nested", ["deep [10.96.0.5]: "], []],
    ["ranges", ["a [10.94.0.5]: "], ["3 line 3: it is not a host; ranges of names are not read"]],
    ["without", ["b [10.95.0.6]: "], ["2 host only-a-name: it has no address in ansible_host"]],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("ansible-inventory", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(ansibleInventory, file)).toEqual(skipped);
  });
});

describe("An inventory", () => {
  it("observes nothing, and is rejected without a host", () => {
    expect(read(ansibleInventory, corpusFile("ansible-inventory", "list")).coverage).toBeNull();
    expect(refusalOf(ansibleInventory, "{}")).toBe(
      "line 1, column 1: must be an inventory with hosts, as of `ansible-inventory --list`",
    );
  });
});
