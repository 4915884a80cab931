import { describe, expect, it } from "@jest/globals";
import type { GoneEntity } from "@nts/shared/contract";
import { byHost, deletionsOf } from "./not-seen.rules.js";

const gone = (entity: GoneEntity["entity"], id: string, host_id = id): GoneEntity => ({
  ...{ entity, id, host_id, host_name: host_id, network_id: "n", name: id },
  ...{ seen: null, missed_since: "2026-01-01T00:00:00.000Z" },
});
const ALL = [
  gone("Host", "a"),
  gone("Interface", "a1", "a"),
  gone("Interface", "b1", "b"),
  gone("Port", "a2", "a"),
  gone("Service", "b2", "b"),
];

describe("entities that imports miss", () => {
  it("are grouped by host", () => {
    expect(byHost(ALL).map(({ id }) => id)).toEqual(["a", "a1", "a2", "b1", "b2"]);
  });

  it("are deleted kind by kind; children of a deleted host go with it", () => {
    expect(deletionsOf(ALL, new Set(["a", "a1", "a2", "b1", "b2"]))).toEqual([
      { entity: "Service", ids: ["b2"] },
      { entity: "Interface", ids: ["b1"] },
      { entity: "Host", ids: ["a"] },
    ]);
    expect(deletionsOf(ALL, new Set(["a1", "a2"])).map(({ entity }) => entity)).toEqual(["Port", "Interface"]);
    expect(deletionsOf(ALL, new Set())).toEqual([]);
  });
});
