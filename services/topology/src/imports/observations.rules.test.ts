import { describe, expect, it } from "@jest/globals";
import { interfaceTold } from "./observations.rules.js";

const saying = (format: string) => ({ by: format, since: "2026-02-16T09:30:00.000Z" });
const unsaid = { vendor: null, assigned: () => "Synology Incorporated" };

describe("the vendor of a network card", () => {
  it("is to whom the IEEE has assigned its MAC address, unless a scanner says it", () => {
    const assigned = interfaceTold(null, unsaid, saying("ip-neigh"));
    expect(assigned?.vendor).toMatchObject({ value: "Synology Incorporated", by: "ieee" });
    expect(interfaceTold(assigned, unsaid, saying("arp"))).toBe(assigned);
    const scanned = interfaceTold(assigned, { ...unsaid, vendor: "Synology" }, saying("nmap"));
    expect(scanned?.vendor).toMatchObject({ value: "Synology", by: "nmap" });
    expect(interfaceTold(scanned, unsaid, saying("ip-neigh"))).toBe(scanned);
  });

  it("is unknown where neither says it", () => {
    expect(interfaceTold(null, { vendor: null, assigned: () => null }, saying("ip-neigh"))).toBeNull();
  });
});
