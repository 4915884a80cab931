import { describe, expect, it } from "@jest/globals";
import type { ImportPlan } from "@nts/shared/contract";
import { isNothing } from "./is-nothing.js";

const NONE = { create: 0, update: 0, unchanged: 0, failed: 0 };
const planOf = (format: string, summary: object): Pick<ImportPlan, "format" | "summary" | "missing"> => ({
  format,
  missing: [],
  summary: { hosts: NONE, subnets: { create: 0, existing: 1, failed: 0 }, ...summary } as ImportPlan["summary"],
});
const known = { hosts: { ...NONE, unchanged: 3 } };

describe("an import", () => {
  it("is nothing if a table brings what is known, and is something if it brings cables or VLANs to it", () => {
    expect(isNothing(planOf("csv", known))).toBe(true);
    for (const more of [{ links: { ...NONE, create: 1 } }, { links: { ...NONE, update: 1 } }, { vlans: { create: 1 } }])
      expect([more, isNothing(planOf("csv", { ...known, ...more }))]).toEqual([more, false]);
  });

  it("is something if a scan sees what is known", () => {
    expect(isNothing(planOf("nmap", known))).toBe(false);
    expect(isNothing(planOf("nmap", {}))).toBe(true);
  });
});
