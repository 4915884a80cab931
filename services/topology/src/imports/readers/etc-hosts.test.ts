import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { etcHosts } from "./etc-hosts.js";

describe("Hosts files", () => {
  it.each([
    ["blocked", ["nas [10.84.0.5]: "], ["1 address 0.0.0.0: it is not the address of a machine"]],
    ["docker", ["4f1c2a9d77e0 [172.19.0.3]: "], ["1 address 127.0.0.1: it is not the address of a machine"]],
    ["export", ["nas.home.example [10.83.0.5]: ", "TV [10.83.0.6]: "], []],
    [
      "linux",
      ["nas.lab.example [10.80.0.5, 2001:db8:80::5]: ", "printer [10.80.0.6]: "],
      [
        "1 address 127.0.0.1: it is not the address of a machine",
        "2 address 127.0.1.1: it is not the address of a machine",
        "3 address ::1: it is not the address of a machine",
        "4 address ff02::1: it is not the address of a machine",
      ],
    ],
    [
      "mixed",
      ["nas [10.85.0.5]: ", "tv [10.85.0.6]: "],
      ["2 names living-room.tv: a host has one name, here tv", "3 line 3: it is not an address with names"],
    ],
    ["two-addresses", ["fw.lab.example [10.82.0.1, 10.82.1.1]: "], []],
    [
      "ubuntu",
      ["nas [10.87.0.5]: "],
      ["127.0.0.1", "127.0.1.1", "::1", "fe00::", "ff00::", "ff02::1", "ff02::2"].map(
        (ip, n) => `${n < 2 ? n + 1 : n + 3} address ${ip}: it is not the address of a machine`,
      ),
    ],
    ["umlauts", ["büro-drucker [10.86.0.5]: "], []],
    ["windows", ["intranet [10.81.0.5]: ", "build [10.81.0.6]: "], []],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("etc-hosts", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(etcHosts, file)).toEqual(skipped);
  });
});

describe("A hosts file", () => {
  it("observes nothing, and is rejected without an entry", () => {
    expect(read(etcHosts, corpusFile("etc-hosts", "linux")).coverage).toBeNull();
    expect(refusalOf(etcHosts, "# nothing\n")).toBe("line 1, column 1: must be an address and names, as in /etc/hosts");
  });
});
