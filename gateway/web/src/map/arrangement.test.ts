import { describe, expect, it } from "@jest/globals";
import type { Topology } from "@nts/shared/contract";
import fc from "fast-check";
import { type Arrangement, isSame, UNARRANGED, withCollapsed, withPosition } from "./arrangement.js";
import { boxesOf, type BoxSpec, type Names, VIEWS } from "./boxes.js";
import { type Layout, layoutOf } from "./layout.js";
import { modelOf } from "./model.js";
import { placeOfNode, placeToMove } from "./places.js";
import { movableAt, projected } from "./projection.js";
import { contentOf, isSamePicture, pictureOf } from "./saved-view.js";
import { host, inSubnet, subnet } from "./testing/nodes.js";
import { aTopology } from "./testing/topologies.js";

const names: Names = { networkOf: (id) => `Network ${id}`, tagOf: (tag) => ({ name: tag, color: null }) };
const boxesIn = (topology: Topology, view: (typeof VIEWS)[number] = "subnets"): BoxSpec[] =>
  boxesOf(view, modelOf(topology), names);

/** The place of every box and tile. */
function placesIn({ boxes }: Layout): Map<string, string> {
  return new Map(
    boxes.flatMap(({ spec, x, y, tiles }) => [
      [spec.key, `${x},${y}`] as const,
      ...tiles.map((tile) => [`${spec.key} ${tile.spec.key}`, `${tile.x},${tile.y}`] as const),
    ]),
  );
}

describe("what people move", () => {
  it("is where they put it, whatever the network, and moves only what is in it and what must make room", () => {
    let count = 0;
    fc.assert(
      fc.property(aTopology, fc.constantFrom(...VIEWS), fc.nat(), fc.nat(400), (topology, view, pick, by) => {
        const boxes = boxesIn(topology, view);
        const before = layoutOf(boxes);
        const chosen = before.boxes[pick % Math.max(1, before.boxes.length)];
        if (chosen === undefined) return;
        count += 1;
        const { key } = chosen.spec;
        const at = { x: chosen.x - chosen.outer.x + 4 * by, y: chosen.y - chosen.outer.y + 4 * by };
        const after = layoutOf(boxes, { ...UNARRANGED, positions: { [key]: at } });
        const there = after.boxes.find(({ spec }) => spec.key === key);
        expect([there?.x, there?.y]).toEqual([at.x + (there?.outer.x ?? 0), at.y + (there?.outer.y ?? 0)]);
        if (chosen.depth > 0) return;
        const isInside = (one: string): boolean => {
          const from = before.boxes.indexOf(chosen);
          const next = before.boxes.findIndex(({ depth }, index) => index > from && depth <= chosen.depth);
          const part = before.boxes.slice(from, next === -1 ? undefined : next);
          return part.some(({ spec }) => one === spec.key || one.startsWith(`${spec.key} `));
        };
        const others = (layout: Layout): unknown[] => [...placesIn(layout)].filter(([one]) => !isInside(one));
        expect(others(after)).toEqual(others(before));
        for (const box of after.boxes) {
          expect(box.x).toBeGreaterThanOrEqual(after.bounds.x);
          expect(box.x + box.width).toBeLessThanOrEqual(after.bounds.x + after.bounds.width);
        }
      }),
      { numRuns: 40, seed: 8 },
    );
    expect(count).toBeGreaterThan(20);
  });

  it("stays inside of its box, which grows, and lines follow", () => {
    const topology: Topology = {
      nodes: [subnet("lan"), subnet("dmz", { cidr: "10.0.1.0/24" }), host("router"), host("nas")],
      edges: [
        inSubnet("router", "lan"),
        inSubnet("router", "dmz", { id: "r2", interface_id: "r2" }),
        inSubnet("nas", "lan", { id: "n", interface_id: "n" }),
      ],
    };
    const boxes = boxesIn(topology);
    const boxOf = (layout: Layout, key: string) => layout.boxes.find(({ spec }) => spec.key === key)!;
    const moved = withPosition(withPosition(UNARRANGED, "nas", { x: 1_000, y: -50 }), "dmz", { x: -2_000, y: 900 });
    const layout = layoutOf(boxes, moved);
    const lan = boxOf(layout, "lan");
    const [nas] = lan.tiles;
    expect([nas!.x - lan.origin.x, nas!.y - lan.origin.y]).toEqual([1_000, 0]);
    expect(lan.width).toBeGreaterThan(1_000);
    const dmz = boxOf(layout, "dmz");
    const end = layout.lines.find(({ to }) => to === "dmz")?.points.at(-1);
    expect(end?.y).toBe(dmz.y);
    expect(end?.x).toBeGreaterThan(dmz.x);
    expect(layout.bounds.x).toBe(-2_000);
    expect(layoutOf(boxes, withPosition(moved, "gone", { x: 0, y: 0 }))).toEqual(layout);
  });

  it("can be taken where it is drawn, at any zoom", () => {
    const topology: Topology = { nodes: [subnet("lan"), host("nas")], edges: [inSubnet("nas", "lan")] };
    const layout = layoutOf(boxesIn(topology), withPosition(UNARRANGED, "nas", { x: 40, y: 60 }));
    for (const scale of [0.05, 0.4, 1.5]) {
      const projection = projected(layout, { scale, left: 7, top: 9 });
      const [box] = projection.boxes;
      const at = projection.tileAt(box!.box.tiles[0]!, box!);
      const found = movableAt(projection, { x: at.x + at.width / 2, y: at.y + at.height / 2 });
      expect(found).toMatchObject({ key: "nas", position: { x: 40, y: 60 }, at });
    }
    expect(placeToMove(layout, "nas", "tile")).toEqual({ key: "nas", position: { x: 40, y: 60 } });
    expect(placeToMove(layout, "nas", "box")?.key).toBe("lan");
  });
});

describe("a collapsed box", () => {
  const topology: Topology = { nodes: [subnet("lan"), host("nas")], edges: [inSubnet("nas", "lan")] };
  const layout = layoutOf(boxesIn(topology), withCollapsed(UNARRANGED, "lan", true));

  it("has only its header, and is where what is in it is looked for", () => {
    const [box] = layout.boxes;
    expect([box?.isCollapsed, box?.tiles, box?.height]).toEqual([true, [], 48]);
    expect(placeOfNode(layout, modelOf(topology), "nas")).toMatchObject({ x: box!.x, y: box!.y });
    expect(placeToMove(layout, "nas", "box")?.key).toBe("lan");
  });
});

describe("a saved view", () => {
  const arrangement: Arrangement = { positions: { nas: { x: 4, y: 8 } }, collapsed: new Set(["lan"]) };
  const picture = {
    view: "tags",
    search: "nas",
    filters: { tags: ["lab"], categories: ["Media"], subnets: ["lan"], vlans: ["office"], withHidden: true },
    arrangement,
  } as const;

  it("is what it was made of", () => {
    expect(pictureOf(contentOf(picture))).toEqual(picture);
    expect(isSamePicture(pictureOf(contentOf(picture)), picture)).toBe(true);
  });

  it("differs when anything does", () => {
    expect(isSame(arrangement, withPosition(arrangement, "nas", { x: 8, y: 8 }))).toBe(false);
    expect(isSame(arrangement, withCollapsed(arrangement, "lan", false))).toBe(false);
    for (const more of [{ view: "hosts" }, { search: "" }, { filters: { ...picture.filters, tags: [] } }] as const)
      expect(isSamePicture({ ...picture, ...more }, picture)).toBe(false);
  });
});

it("the bar between many subnets has a short name of its own", () => {
  const nodes = Array.from({ length: 40 }, (_, n) => subnet(`subnet ${n}`, { cidr: `10.${n}.0.0/24` }));
  const edges = ["a", "b"].flatMap((id, m) =>
    nodes.slice(m).map(({ id: to }) => inSubnet(id, to, { id: `${id} ${to}`, interface_id: `${id} ${to}` })),
  );
  const [network] = boxesIn({ nodes: [...nodes, host("a"), host("b")], edges });
  const keys = network!.bars.map(({ key }) => key);
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(120);
});

it("what was moved is over what was not, and found first", () => {
  const boxes = boxesIn({ nodes: [subnet("a"), subnet("b", { cidr: "10.0.1.0/24" })], edges: [] });
  const first = layoutOf(boxes).boxes[1]!;
  const layout = layoutOf(boxes, { ...UNARRANGED, positions: { a: { x: first.x + 8, y: first.y + 8 } } });
  expect(layout.boxes.map(({ spec }) => spec.key)).toEqual(["b", "a"]);
});
