import { describe, expect, it } from "@jest/globals";
import { BACKGROUND } from "@nts/shared/work";
import { createDerived, createRecentViews } from "./recent-views.js";
import type { Looked, View } from "./view.js";

const ORGANIZATION = "a";
const looked = (networks: Looked["rights"]["networks"], kinds = ["Service"]): Looked => ({
  work: BACKGROUND,
  rights: { organizationId: ORGANIZATION, networks },
  asOf: "2026-01-01T00:00:00Z",
  filter: {},
  kinds,
});
const aView = (changed: number): Omit<View, "derived"> => {
  const ids = new Map(Array.from({ length: changed }, (_, n) => [String(n), n]));
  const view = { work: BACKGROUND, stored: { networks: "all" }, changed: new Map([["Service", ids]]) };
  return { ...view, formers: [{}] } as unknown as Omit<View, "derived">;
};

describe("recent views", () => {
  it("are found with the same rights and kinds only, without the request and the past states read for it", () => {
    const views = createRecentViews();
    views.add(looked(["n1"]), 7, aView(1));
    const found = views.get(looked(["n1"]));
    expect([found?.n, found?.view.formers.length]).toEqual([7, 0]);
    expect(found?.view).not.toHaveProperty("work");
    for (const other of [looked("all"), looked(["n1", "n2"]), looked(["n1"], ["Host"])])
      expect(views.get(other)).toBeUndefined();
  });

  it("are dropped once the rows derived from them exceed what is retained", async () => {
    const views = createRecentViews();
    const view = views.add(looked("all"), 7, aView(60_000));
    expect(views.get(looked("all"))?.n).toBe(7);
    const rows = await view.derived.once(
      ["rows"],
      () => Promise.resolve("many"),
      () => 50_000,
    );
    expect([rows, views.get(looked("all"))]).toEqual(["many", undefined]);
  });

  it("are dropped after many values without rows, such as searches that find nothing", async () => {
    const views = createRecentViews();
    const view = views.add(looked("all"), 7, aView(99_900));
    for (let n = 0; n < 100; n++) await view.derived.once([n], () => Promise.resolve([]));
    expect(views.get(looked("all"))).toBeUndefined();
  });

  it("are displaced by larger ones of other callers", () => {
    const views = createRecentViews();
    views.add(looked(["n1"]), 7, aView(60_000));
    views.add(looked(["n2"]), 8, aView(60_000));
    expect([views.get(looked(["n1"])), views.get(looked(["n2"]))?.n]).toEqual([undefined, 8]);
  });
});

describe("derived values", () => {
  it("are computed once by name, and again after a failure", async () => {
    const derived = createDerived();
    let computed = 0;
    const compute = (): Promise<number> =>
      (computed += 1) === 1 ? Promise.reject(new Error("gone")) : Promise.resolve(computed);
    await expect(derived.once(["a"], compute, () => 1)).rejects.toThrow("gone");
    expect([await derived.once(["a"], compute, () => 1), await derived.once(["a"], compute, () => 1)]).toEqual([2, 2]);
    expect(await derived.once(["b"], compute, () => 1)).toBe(3);
  });
});
