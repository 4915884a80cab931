import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { filterOf, passes } from "./filters.js";

const stateOf = (search: string) => {
  const parameters = new URLSearchParams(search);
  return { valuesOf: (name: string) => parameters.getAll(name) };
};

describe("the filter of the activity page", () => {
  it("takes from the address what the API accepts, and nothing else", () => {
    const user = "01a1fe11-bd8c-7bd2-a6c1-8b4b5b6a3b0c";
    expect(filterOf(stateOf(`kind=Host&action=created&who=${user}&request=r`), "n")).toMatchObject({
      network_id: "n",
      entity: "Host",
      action: "created",
      user_id: user,
      request_id: "r",
    });
    const nonsense: Readonly<Record<string, unknown>> = filterOf(
      stateOf("kind=Car&action=sold&who=me&since=tomorrow&until=x"),
      null,
    );
    expect(Object.values(nonsense).filter((value) => value !== undefined)).toEqual([]);
  });

  it("covers whole days, including the last one, in the user's time zone", () => {
    const { since, until } = filterOf(stateOf("since=2026-11-20&until=2026-11-22"), null);
    expect([since, until]).toEqual([new Date(2026, 10, 20).toISOString(), new Date(2026, 10, 23).toISOString()]);
  });

  it("matches what the API would return for it", () => {
    const change = {
      network_id: "n",
      entity: "Host",
      action: "created",
      request_id: "r",
      actor: { user_id: "u" },
      at: "2026-11-22T12:00:00.000Z",
    } as Change;
    const good = [
      {},
      { network_id: "n", entity: "Host", action: "created", request_id: "r", user_id: "u" },
      { since: "2026-11-22T12:00:00.000Z", until: "2026-11-22T12:00:00.001Z" },
    ] as const;
    const bad = [
      { network_id: "m" },
      { entity: "Port" },
      { action: "deleted" },
      { request_id: "s" },
      { user_id: "v" },
      { since: "2026-11-22T12:00:00.001Z" },
      { until: "2026-11-22T12:00:00.000Z" },
    ] as const;
    expect(good.filter((filter) => !passes(change, filter))).toEqual([]);
    expect(bad.filter((filter) => passes(change, filter))).toEqual([]);
    expect(passes({ ...change, actor: null }, { user_id: "u" })).toBe(false);
  });
});
