import { describe, expect, it } from "@jest/globals";
import type { Host, Service } from "@nts/shared/contract";
import { type Entry, having, hostEntries, matching, MOST, serviceEntries } from "./entries.js";

const entry = (label: string): Entry => ({ id: label, label, detail: "", run: () => undefined });
const HOST = {
  id: "nas",
  name: "NAS",
  hostname: "nas.example",
  interfaces: [{ id: "eth0", ip_address: "10.0.0.5" }],
  ports: [{ id: "smb", number: 445, protocol: "Tcp" }],
} as unknown as Host;
const SERVICE = {
  id: "files",
  name: "Files",
  service_definition: "Samba",
  host_id: "nas",
  bindings: [{ id: "b", type: "Port", port_id: "smb", interface_id: null }],
} as unknown as Service;

describe("the command palette", () => {
  it("matches every word of the text, in any order and case", () => {
    const all = [entry("New host"), entry("Hosts"), entry("API keys")];
    const labels = (text: string): string[] => matching(all, text).map(({ label }) => label);
    expect([labels(""), labels("host"), labels("HOST new"), labels("nothing")]).toEqual([
      ["New host", "Hosts", "API keys"],
      ["New host", "Hosts"],
      ["New host"],
      [],
    ]);
  });

  it("finds networks by name, a few of them", () => {
    const networks = Array.from({ length: 20 }, (_, n) => ({ name: `Site ${n}` }));
    expect(having(networks, "site")).toHaveLength(MOST);
    expect(having(networks, "E 17")).toEqual([networks[17]]);
  });

  it("shows where services run and are reachable, and leads to them", () => {
    const paths: string[] = [];
    const go = (path: string): number => paths.push(path);
    const found = [
      ...serviceEntries([SERVICE], new Map([["nas", HOST]]), go),
      ...serviceEntries([SERVICE], new Map(), go),
      ...hostEntries([HOST], go),
    ];
    expect(found.map(({ detail }) => detail)).toEqual(["on NAS · all interfaces:445", "", "10.0.0.5"]);
    for (const { run } of found) run();
    expect(paths).toEqual(["/services/files", "/services/files", "/hosts/nas"]);
  });
});
