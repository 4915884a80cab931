import { describe, expect, it } from "@jest/globals";
import type { Change, Diff, Difference, Topology } from "@nts/shared/contract";
import { boxesOf } from "./boxes.js";
import { layoutOf } from "./layout.js";
import { modelOf } from "./model.js";
import { compared, deletedBy, NOTHING, unionOf, withoutLooseEnds } from "./past.js";
import { placeOf, stepsOf } from "./steps.js";
import { summaryOfMarks } from "./summary.js";
import { host, inSubnet, service, subnet } from "./testing/nodes.js";

const then: Topology = {
  nodes: [subnet("lan"), host("nas", { label: "old name" }), host("trial"), service("ssh", "trial"), host("quiet")],
  edges: [inSubnet("nas", "lan"), inSubnet("trial", "lan"), inSubnet("quiet", "lan")],
};
const now: Topology = {
  nodes: [subnet("lan"), host("nas", { label: "new name" }), host("quiet"), host("fresh")],
  edges: [inSubnet("nas", "lan"), inSubnet("quiet", "lan"), inSubnet("fresh", "lan")],
};

const AT = "2026-11-02T00:00:00.000Z";

const difference = (
  entity: Difference["entity"],
  entity_id: string,
  host_id: string | null,
  fields: string[],
): Difference => ({
  entity,
  entity_id,
  host_id,
  network_id: "network",
  name: entity_id,
  before: {},
  after: {},
  fields,
});
const diff = (...changed: Difference[]): Diff => ({ from: "a", to: "b", added: [], removed: [], changed });

describe("comparing a past graph with the present one", () => {
  it("marks each node as new, deleted or changed, and shows past nodes as they were", () => {
    const { topology, marks } = compared(then, now, AT, diff(difference("Host", "nas", "nas", ["name"])));
    expect(Object.fromEntries(marks)).toEqual({ fresh: "new", trial: "gone", ssh: "gone", nas: "changed" });
    expect(topology.nodes.map(({ id }) => id).sort()).toEqual(["fresh", "lan", "nas", "quiet", "ssh", "trial"]);
    expect(topology.nodes.find(({ id }) => id === "nas")).toMatchObject({ label: "old name" });
    expect(summaryOfMarks(marks, true)).toBe("Since then: 1 new, 2 gone, 1 changed");
    expect(summaryOfMarks(marks, false)).toBe("In between: 1 new, 2 gone, 1 changed");
  });

  it("marks what imports have not found since, but not what was not found before either", () => {
    const missed = (missed_since: string): Topology => ({ ...now, nodes: [host("quiet", { missed_since })] });
    expect(compared(then, missed("2026-11-03T00:00:00.000Z"), AT, undefined).marks.get("quiet")).toBe("missed");
    expect(compared(then, missed("2026-11-01T00:00:00.000Z"), AT, undefined).marks.get("quiet")).toBeUndefined();
  });

  it.each([
    ["a port on it", difference("Port", "p", "quiet", []), {}],
    ["an interface of it", difference("Interface", "i", "quiet", ["name"]), { quiet: "changed" }],
    ["only its position", difference("Host", "quiet", "quiet", ["position"]), {}],
    ["a tag", difference("Tag", "quiet", null, ["name"]), {}],
  ])("derives the changed hosts from the differences: %s", (_what, one, expected) => {
    const { marks } = compared(then, then, AT, diff(one));
    expect(Object.fromEntries(marks)).toEqual(expected);
  });

  it("counts what was added to a host and removed from it", () => {
    const port = difference("Port", "p", "quiet", []);
    expect(compared(then, then, AT, { ...diff(), added: [port] }).marks.get("quiet")).toBe("changed");
    expect(compared(then, then, AT, { ...diff(), removed: [port] }).marks.get("quiet")).toBe("changed");
  });
});

describe("the combined graph for the layout", () => {
  const entry = (entity: Change["entity"], entity_id: string, before: object): Change =>
    ({
      entity,
      entity_id,
      action: "deleted",
      before: { network_id: "network", name: entity_id, ...before },
    }) as unknown as Change;
  const deleted = deletedBy([
    entry("Host", "trial", {}),
    entry("Interface", "trial-card", { host_id: "trial", subnet_id: "lan", ip_address: "10.0.0.1" }),
    entry("Interface", "lost", { host_id: "nobody", subnet_id: "nowhere" }),
    entry("Service", "ssh", { host_id: "trial" }),
    entry("Port", "p", { host_id: "trial" }),
  ]);
  const names = { networkOf: (id: string) => id, tagOf: (name: string) => ({ name, color: null }) };
  const placesWith = (...seen: Topology[]): ReadonlyMap<string, unknown> => {
    const model = modelOf(withoutLooseEnds(seen.reduce(unionOf, now)));
    const { boxes } = layoutOf(boxesOf("subnets", model, names));
    return new Map(
      boxes.flatMap(({ spec, x, y, tiles }): [string, unknown][] => [
        [spec.key, { x, y }],
        ...tiles.map((tile): [string, unknown] => [tile.spec.key, { x: tile.x, y: tile.y }]),
      ]),
    );
  };

  it("includes recently deleted nodes before the past is loaded, so that nothing moves afterwards", () => {
    const places = placesWith(deleted);
    expect([...places.keys()].sort()).toEqual(["fresh", "lan", "nas", "quiet", "trial"]);
    expect(placesWith(deleted, then)).toEqual(places);
  });

  it("stays the same object while nothing new appears", () => {
    const seen = unionOf(now, deleted);
    expect(unionOf(seen, then)).toBe(seen);
    expect(unionOf(now, NOTHING)).toBe(now);
  });
});

describe("the selectable moments", () => {
  const change = (at: string, request_id: string): Change =>
    ({ at, request_id, cursor: `${at} ${request_id}` }) as Change;
  const changes = [
    change("2026-11-05T10:00:00.000Z", "c"),
    change("2026-11-04T10:00:02.000Z", "b"),
    change("2026-11-04T10:00:01.000Z", "b"),
    change("2026-11-03T10:00:00.000Z", "a"),
  ];

  it("are one after each request but the last, which is the present", () => {
    const steps = stepsOf(changes, null);
    expect(steps.map(({ at }) => at)).toEqual(["2026-11-03T10:00:00.000Z", "2026-11-04T10:00:02.000Z"]);
    expect(stepsOf([], null)).toEqual([]);
  });

  it("are none for views, and for what was not seen", () => {
    const others = [
      { ...change("2026-11-06T10:00:00.000Z", "d"), entity: "View" },
      { ...change("2026-11-07T10:00:00.000Z", "e"), action: "missed" },
    ] as Change[];
    expect(stepsOf([...others.toReversed(), ...changes], null)).toEqual(stepsOf(changes, null));
  });

  it("are equally spaced before the loaded ones, and never more than a slider can show", () => {
    const earlier = (oldestAt: string): string[] =>
      stepsOf(changes, oldestAt)
        .slice(0, -2)
        .map(({ at }) => at);
    expect(earlier("2026-11-03T09:58:00.000Z")).toEqual(["2026-11-03T09:58:00.000Z", "2026-11-03T09:59:00.000Z"]);
    expect(earlier("1996-11-03T10:00:00.000Z")).toHaveLength(60);
  });

  it("merge changes that follow each other closely, so that the days after an import can be selected", () => {
    const each = (day: number, count: number): Change[] =>
      Array.from({ length: count }, (_, n) =>
        change(`2026-11-0${day}T10:00:00.${String(n).padStart(3, "0")}Z`, `${day} ${n}`),
      );
    const many = [...each(1, 200), ...each(3, 1), ...each(5, 1), ...each(7, 1)].toReversed();
    expect(stepsOf(many, null).map(({ at }) => at)).toEqual(
      [each(1, 200), each(3, 1), each(5, 1)].map((day) => day.at(-1)?.at),
    );
  });

  it("have cursors: that of a moment is after the last change before it", () => {
    const steps = stepsOf(changes, null);
    expect(
      ["2026-11-01", "2026-11-03T10:00:00.000Z", "2026-11-04T00:00:00.000Z", "2027"].map((at) => placeOf(steps, at)),
    ).toEqual([-1, 0, 0, 1]);
  });
});
