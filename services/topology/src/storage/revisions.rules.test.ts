import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Stored } from "./entities.js";
import { revised } from "./revisions.rules.js";

const AT = "2026-01-31T09:30:00.000Z";
const LATER = new Date("2026-01-31T09:31:00.000Z");

const entity = {
  id: "a",
  created_at: AT,
  updated_at: AT,
  name: "web",
  tags: ["x", "y"],
  virtualization: null as object | null,
};
const current: Stored<typeof entity> = { entity, revision: 7 };

describe("revisions: the next state of an entity", () => {
  it("is the next revision, updated now, when something changes", () => {
    expect(revised(current, { ...entity, name: "api" }, LATER)).toEqual({
      entity: { ...entity, name: "api", updated_at: LATER.toISOString() },
      revision: 8,
    });
  });

  it("is absent when nothing changes, whatever the order of members and the updated_at that was sent", () => {
    const { name, ...rest } = entity;
    expect(revised(current, { name, ...rest, updated_at: LATER.toISOString() }, LATER)).toBeNull();
  });

  it("is absent when only nested members are reordered", () => {
    const virtualization = { type: "vm", details: { node: "n1", limits: { cpu: 2, ram: 4 } } };
    const echoed = { details: { limits: { ram: 4, cpu: 2 }, node: "n1" }, type: "vm" };
    const stored = { entity: { ...entity, virtualization }, revision: 7 };
    expect(revised(stored, { ...entity, virtualization: echoed }, LATER)).toBeNull();
  });

  it.each([
    ["a removed list element", { tags: ["x"] }],
    ["a reordered list", { tags: ["y", "x"] }],
    ["a nested member", { virtualization: { type: "vm", details: { node: "n1" } } }],
    ["an object that became null", { virtualization: {} }],
    ["an object that became a list", { tags: { 0: "x", 1: "y" } }],
  ])("treats %s as a change", (_what, change) => {
    expect(revised(current, { ...entity, ...change }, LATER)?.revision).toBe(8);
  });

  it("treats a member in place of another one without a value as a change", () => {
    const virtualization = (name: string) => ({ type: "vm", details: { [name]: null } });
    const stored = { entity: { ...entity, virtualization: virtualization("node") as object }, revision: 7 };
    expect(revised(stored, { ...entity, virtualization: virtualization("toString") }, LATER)?.revision).toBe(8);
  });

  it("moves updated_at forward also within the same millisecond, and when the clock was set back", () => {
    for (const now of [AT, "2026-01-31T09:29:59.999Z", "1970-01-01T00:00:00.000Z"])
      expect(revised(current, { ...entity, name: "api" }, new Date(now))?.entity.updated_at).toBe(
        "2026-01-31T09:30:00.001Z",
      );
  });

  it("moves updated_at strictly forward through any number of changes at any times", () => {
    const times = fc.array(fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }));
    fc.assert(
      fc.property(times, (history) => {
        let state = current;
        history.forEach((now, step) => {
          const next = revised(state, { ...state.entity, name: `name ${step}` }, now);
          expect(Date.parse(next!.entity.updated_at)).toBeGreaterThan(Date.parse(state.entity.updated_at));
          expect(next!.revision).toBe(state.revision + 1);
          state = next!;
        });
      }),
    );
  });
});
