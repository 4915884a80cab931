import { describe, expect, it } from "@jest/globals";
import type { Topology } from "@nts/shared/contract";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { boxesOf, type View, VIEWS } from "./boxes.js";
import { fitted, meet, visiblePart, zoomed } from "./camera.js";
import { MARKS } from "./colours.js";
import { drawIoOf } from "./draw-io.js";
import { svgOf } from "./files.js";
import { findIn, NO_FILTERS, shownIn } from "./filters.js";
import type { Rect } from "./geometry.js";
import type { Layout, PlacedBox } from "./layout.js";
import { legendOf } from "./legend-entries.js";
import { otherTexts, wordsOf } from "./link-words.js";
import { modelOf } from "./model.js";
import { neighboursOf } from "./neighbours.js";
import { paint } from "./paint.js";
import { placeOfAll, stopBeside } from "./places.js";
import { hitAt, projected } from "./projection.js";
import { isInside, layoutFor, lookAt, names, nested, overlapping, segmentsOf, SIZE } from "./testing/layouts.js";
import { host, inSubnet, link, service, subnet } from "./testing/nodes.js";
import { placesInTree } from "./tree.js";
import { recording } from "./testing/recording.js";
import { addressIn, aTopology } from "./testing/topologies.js";

describe("the layout of random networks", () => {
  it.each(VIEWS)("%s: shows every node, in boxes and tiles that do not overlap", (view) => {
    fc.assert(
      fc.property(aTopology, (topology) => {
        const { boxes, bounds } = layoutFor(view, topology);
        const siblings = new Map<PlacedBox | null, PlacedBox[]>();
        for (const [box, outer] of nested(boxes)) {
          siblings.set(outer, [...(siblings.get(outer) ?? []), box]);
          expect(isInside(box, outer ?? bounds)).toBe(true);
          if (outer !== null) expect(outer.tiles.filter((tile) => meet(tile, box))).toEqual([]);
          expect(box.tiles.filter((tile) => !isInside(tile, box))).toEqual([]);
          expect(overlapping(box.tiles, (tile) => tile)).toEqual([]);
        }
        for (const group of siblings.values()) expect(overlapping(group, (box) => box)).toEqual([]);
        const shown = new Set(
          boxes.flatMap(({ spec, tiles }) => [spec.nodeId, ...tiles.map((tile) => tile.spec.node.id)]),
        );
        const expected = view === "services" ? "service" : "host";
        for (const { id, kind } of topology.nodes) if (kind === expected) expect(shown).toContain(id);
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  it("is the same whatever the order of nodes and edges", () => {
    const shuffled = (topology: Topology): Topology => ({
      nodes: topology.nodes.toReversed(),
      edges: topology.edges.toReversed(),
    });
    const placesIn = ({ boxes, lines }: Layout): unknown => ({
      boxes: boxes.map(({ spec, x, y }) => [spec.key, x, y]),
      tiles: boxes.flatMap(({ tiles }) => tiles.map(({ spec, x, y }) => [spec.key, x, y])),
      lines: lines.map(({ from, to, points }) => [from, to, points]),
    });
    fc.assert(
      fc.property(aTopology, fc.constantFrom(...VIEWS), (topology, view) => {
        expect(placesIn(layoutFor(view, shuffled(topology)))).toEqual(placesIn(layoutFor(view, topology)));
      }),
      { numRuns: 15, seed: 2 },
    );
  });

  it("gives each line a way of its own, outside of all boxes", () => {
    let lines = 0;
    fc.assert(
      fc.property(aTopology, (topology) => {
        const layout = layoutFor("subnets", topology);
        const inner = layout.boxes.filter(({ spec }) => spec.kind !== "network");
        lines += layout.lines.length;
        for (const { points } of layout.lines) {
          for (const segment of segmentsOf(points)) {
            // its ends are on the edges of boxes
            const crossed = inner.filter((box) =>
              meet(segment, { x: box.x + 0.01, y: box.y + 0.01, width: box.width - 0.02, height: box.height - 0.02 }),
            );
            expect(crossed).toEqual([]);
          }
        }
        for (const [a, b] of overlapping(layout.lines, ({ points }) => segmentsOf(points)[1] ?? layout.bounds))
          expect(a.from === b.from || a.points[1]?.y !== b.points[1]?.y).toBe(true);
      }),
      { numRuns: 25, seed: 3 },
    );
    expect(lines).toBeGreaterThan(80);
  });

  it("links hang each host on a device, in the free room between boxes and beside tiles", () => {
    let links = 0;
    fc.assert(
      fc.property(aTopology, (topology) => {
        const layout = layoutFor("links", topology);
        const boxes = layout.boxes.filter(({ spec }) => spec.kind !== "network");
        const inside = (rect: Rect): Rect => ({
          x: rect.x + 0.01,
          y: rect.y + 0.01,
          width: rect.width - 0.02,
          height: rect.height - 0.02,
        });
        links += layout.links.length;
        for (const { points, isInside: isIn, from } of layout.links)
          for (const segment of segmentsOf(points)) {
            const others = isIn ? boxes.filter(({ spec }) => spec.key !== from) : boxes;
            expect(others.filter((box) => meet(segment, inside(box)))).toEqual([]);
            expect(boxes.flatMap(({ tiles }) => tiles).filter((tile) => meet(segment, inside(tile)))).toEqual([]);
          }
        const hanging = new Set(layout.links.map(({ hostId }) => hostId));
        expect(hanging.size).toBe(layout.links.length);
      }),
      { numRuns: 12, seed: 9 },
    );
    expect(links).toBeGreaterThan(100);
  });

  it("fills a window with boxes of unlike size, small ones beside large ones", () => {
    const counts = [1, 2, 1, 60, 1, 3, 1, 2, 1, 1];
    const hosts = counts.flatMap((count, tag) =>
      Array.from({ length: count }, (_, n) => host(`host ${tag}.${n}`, { tags: [`tag ${tag}`] })),
    );
    const { boxes, bounds } = layoutFor("tags", { nodes: hosts, edges: [] });
    const covered = boxes.reduce((sum, { width, height }) => sum + width * height, 0);
    expect(covered / (bounds.width * bounds.height)).toBeGreaterThan(0.75);
    expect(bounds.width / bounds.height).toBeGreaterThan(1);
    expect(bounds.width / bounds.height).toBeLessThan(2);
  });

  it("moves no other box for a new host, as long as its subnet has room", () => {
    const hosts = 40;
    for (let count = 1; count < hosts; count++) {
      const topology = (n: number): Topology => ({
        nodes: [
          ...[0, 1, 2, 3, 4].map((m) => subnet(`subnet ${m}`, { cidr: `10.${m}.0.0/24` })),
          ...Array.from({ length: 20 + n }, (_, m) => host(`host ${m}`)),
        ],
        edges: [
          ...Array.from({ length: 20 }, (_, m) => addressIn(`host ${m}`, m % 5, m)),
          ...Array.from({ length: n }, (_, m) => addressIn(`host ${m + 20}`, 2, m + 20)),
        ],
      });
      const before = layoutFor("subnets", topology(count - 1)).boxes;
      const after = layoutFor("subnets", topology(count)).boxes;
      const grew = before[2]?.height !== after[2]?.height || before[2]?.width !== after[2]?.width;
      const placesOf = (boxes: readonly PlacedBox[]) => boxes.map(({ spec, x, y }) => [spec.key, x, y]);
      if (!grew) expect(placesOf(after)).toEqual(placesOf(before));
    }
  });
});

describe("drawing random networks", () => {
  const scalesOf = (layout: Layout): number[] =>
    [0, 3, 8, 16].map((steps) => fitted(layout.bounds, SIZE).scale * 1.4 ** steps);

  it.each(VIEWS)("%s: writes no label over another, and draws no line through one, at any zoom", (view) => {
    let labels = 0;
    fc.assert(
      fc.property(aTopology, (topology) => {
        const look = lookAt(view, topology);
        for (const scale of scalesOf(look.layout)) {
          const { bounds } = look.layout;
          const whole = { width: bounds.width * scale + 2, height: bounds.height * scale + 2 };
          const surface = recording();
          paint(surface, look, { scale, left: 1, top: 1 }, whole);
          labels += surface.texts.length;
          expect(overlapping(surface.texts, ({ at }) => at).map(([a, b]) => [a.value, b.value])).toEqual([]);
          for (const { points } of surface.lines)
            for (const segment of segmentsOf(points))
              expect(surface.texts.filter(({ at }) => meet(at, segment)).map(({ value }) => value)).toEqual([]);
        }
      }),
      { numRuns: 4, seed: 4 },
    );
    expect(labels).toBeGreaterThan(200);
  });

  it("names every subnet when all of 100 with 5,000 hosts is in view", () => {
    const count = 100;
    const topology: Topology = {
      nodes: [
        ...Array.from({ length: count }, (_, n) =>
          subnet(`subnet ${n}`, { label: `Floor ${n}`, cidr: `10.${n}.0.0/24` }),
        ),
        ...Array.from({ length: 5_000 }, (_, n) => host(`host ${n}`)),
      ],
      // a few large ones and many small ones
      edges: Array.from({ length: 5_000 }, (_, n) =>
        addressIn(`host ${n}`, Math.floor(count * ((n % 997) / 997) ** 2), n % 250),
      ),
    };
    const look = lookAt("subnets", topology);
    const surface = recording();
    paint(surface, look, fitted(look.layout.bounds, SIZE), SIZE);
    expect(surface.texts.filter(({ value }) => value.startsWith("Floor"))).toHaveLength(count);
  });

  it("finds under each point what is drawn there", () => {
    fc.assert(
      fc.property(aTopology, fc.constantFrom(...VIEWS), fc.nat(16), (topology, view, steps) => {
        const layout = layoutFor(view, topology);
        const projection = projected(
          layout,
          zoomed(fitted(layout.bounds, SIZE), 1.3 ** steps, { x: 0, y: 0 }, { whole: layout.bounds, size: SIZE }),
        );
        for (const box of projection.boxes)
          for (const tile of box.box.tiles) {
            const { x, y, width, height } = projection.tileAt(tile, box);
            expect(hitAt(projection, { x: x + width / 2, y: y + height / 2 })).toBe(tile);
          }
      }),
      { numRuns: 12, seed: 5 },
    );
  });
});

describe("what is where", () => {
  const lan = subnet("lan", { cidr: "10.0.0.0/24", label: "LAN" });
  const dmz = subnet("dmz", { cidr: "10.0.1.0/24", label: "DMZ" });
  const on = (hostId: string, subnetId: string, ip_address: string) =>
    inSubnet(hostId, subnetId, { id: `${hostId}-${ip_address}`, interface_id: `${hostId}-${ip_address}`, ip_address });
  const topology: Topology = {
    nodes: [
      dmz,
      lan,
      host("router"),
      host("b"),
      host("a"),
      host("vm"),
      host("lost"),
      service("ssh", "a"),
      service("plex", "vm", { category: "Media" }),
    ],
    edges: [
      on("router", "lan", "10.0.0.1"),
      on("router", "dmz", "10.0.1.1"),
      on("b", "lan", "10.0.0.9"),
      on("a", "lan", "10.0.0.20"),
      on("vm", "lan", "10.0.0.100"),
      { id: "v", kind: "virtualized_by", source: "vm", target: "a", type: "ProxmoxVM" },
    ],
  };
  const contentOf = (view: View): Record<string, string[]> =>
    Object.fromEntries(
      layoutFor(view, topology).boxes.map(({ spec, tiles }) => [
        `${spec.kind} ${spec.title}`,
        tiles.map((tile) => tile.spec.key),
      ]),
    );

  it("subnets in the order of addresses with their hosts, and hosts in several of them as bars", () => {
    expect(contentOf("subnets")).toEqual({
      "bar router": ["router"],
      "subnet LAN": ["b", "a", "vm"],
      "subnet DMZ": [],
      "group No address": ["lost"],
    });
    expect(layoutFor("subnets", topology).lines.map(({ to }) => to)).toEqual(["lan", "dmz"]);
  });

  it("what is lifted is around its boxes and tiles, and nothing without them", () => {
    const layout = layoutFor("subnets", topology);
    const lifted = neighboursOf(modelOf(topology), "b");
    const place = placeOfAll(layout, lifted)!;
    const lan = layout.boxes.find(({ spec }) => spec.nodeId === "lan")!;
    expect(place).toMatchObject({ x: lan.x, y: lan.y, width: lan.width, height: lan.height });
    expect(placeOfAll(layout, new Set(["lan", "dmz"]))!.height).toBeGreaterThanOrEqual(lan.height);
    expect([placeOfAll(layout, null), placeOfAll(layout, new Set(["elsewhere"]))]).toEqual([null, null]);
  });

  it("hosts around their guests, services by category, and hosts by tag", () => {
    expect(contentOf("hosts")).toEqual({ "host a": ["vm"], "group Other hosts": ["b", "lost", "router"] });
    expect(contentOf("services")).toEqual({ "group Media": ["plex"], "group Reverse proxy": ["ssh"] });
    expect(contentOf("tags")).toEqual({ "group No tags": ["a", "b", "lost", "router", "vm"] });
  });

  it("devices with what hangs on their ports, and what hangs on nothing", () => {
    const cabled: Topology = {
      nodes: [
        ...["core", "floor", "ap"].map((id) => host(id, { role: "Switch" })),
        ...["a", "b", "c", "tv", "vm", "lost"].map((id) => host(id)),
      ],
      edges: [
        link("floor", "core", { target_port: "Te1/1/1", speed_mbps: 10_000 }),
        link("floor", "core", { id: "link:second", target_port: "Te1/1/2", source_port: "Te2", is_tree: false }),
        link("ap", "floor", { target_port: "Gi1/0/10" }),
        link("b", "floor", { target_port: "Gi1/0/9" }),
        link("a", "floor", { target_port: null }),
        link("c", "core"),
        link("tv", "ap", { link_kind: "Wireless", target_port: null }),
        { id: "v", kind: "virtualized_by", source: "vm", target: "b", type: "ProxmoxVM" },
      ],
    };
    const { boxes, links } = layoutFor("links", cabled);
    const inBoxes = boxes.map(({ spec, tiles }) => [spec.title, ...tiles.map((tile) => tile.spec.key)]);
    expect(inBoxes).toEqual([
      ["core", "c"],
      ["floor", "a"],
      ["b", "vm"],
      ["ap", "tv"],
      ["Not attached", "lost"],
    ]);
    const model = modelOf(cabled);
    const words = links.map(({ from, to, hanging }) => [to, from, wordsOf(model, hanging.edgeId)?.there]);
    expect(words).toContainEqual(["ap", "floor", "Gi1/0/10"]);
    expect(words).toContainEqual(["vm", "b", ""]);
    const floor = links.find(({ to }) => to === "floor")!;
    expect(otherTexts(model, floor.hanging)).toEqual(["Te2 to Te1/1/2"]);
    expect(placesInTree(model).get("b")).toBe("Gi1/0/9 of floor");
    expect([...neighboursOf(model, "tv")].sort()).toEqual(["ap", "core", "floor", "tv"]);
    const look = lookAt("links", cabled);
    const surface = recording();
    paint(surface, look, { scale: 1, left: 0, top: 0 }, { width: 4_000, height: 4_000 });
    const texts = surface.texts.map(({ value }) => value);
    for (const text of ["Te1/1/1", "eth0", "10 Gbit/s", "runs here"]) expect(texts).toContain(text);
  });

  it("a chain of devices that is too long is continued as a tree of its own", () => {
    const ids = Array.from({ length: 40 }, (_, n) => `s${n}`);
    const edges = ids.slice(1).map((id, n) => link(id, ids[n]!, { id: `link:${id}` }));
    const { boxes } = layoutFor("links", { nodes: ids.map((id) => host(id)), edges });
    const keys = boxes.flatMap(({ spec, tiles }) => [spec.key, ...tiles.map((tile) => tile.spec.key)]);
    expect(keys.toSorted()).toEqual(ids.toSorted());
    expect(boxes.some(({ spec }) => spec.detail === "continues Gi1/0/1 of s12")).toBe(true);
  });

  it("links that hold each other up are cut, and every host is shown once", () => {
    const circle = [link("a", "b"), link("b", "c"), link("c", "a")];
    const { boxes } = layoutFor("links", { nodes: ["a", "b", "c"].map((id) => host(id)), edges: circle });
    const keys = boxes.flatMap(({ spec, tiles }) => [spec.key, ...tiles.map((tile) => tile.spec.key)]);
    expect(keys.toSorted()).toEqual(["a", "b", "c"]);
  });

  it("a VLAN, with the hosts in its subnets and at links that carry it", () => {
    const vlan = { id: "v10", vid: 10, name: "Office" };
    const model = modelOf({
      nodes: [subnet("lan", { vlan }), subnet("lab"), host("pc"), host("probe"), host("switch")],
      edges: [
        inSubnet("pc", "lan"),
        inSubnet("probe", "lab", { id: "p", interface_id: "p" }),
        link("pc", "switch", { vlan_ids: ["v10"], vids: [10] }),
      ],
    });
    expect([...shownIn(model, { ...NO_FILTERS, vlans: ["v10"] })].sort()).toEqual(["lan", "pc", "switch"]);
    expect(findIn(model, "vlan 10").map(({ id }) => id)).toEqual(["lan"]);
    expect(boxesOf("subnets", model, names)[0]?.boxes[0]?.detail).toBe("10.0.0.0/24 · VLAN 10 Office");
  });

  it("machines that claim to run on each other are shown once", () => {
    const circle: Topology = {
      nodes: [host("a"), host("b")],
      edges: [
        { id: "1", kind: "virtualized_by", source: "a", target: "b", type: "Docker" },
        { id: "2", kind: "virtualized_by", source: "b", target: "a", type: "Docker" },
      ],
    };
    const { boxes } = layoutFor("hosts", circle);
    expect(boxes.map(({ spec }) => spec.nodeId)).toEqual(["a", "b"]);
  });

  it("a selected host lifts its services, subnets, runner and guests; a subnet its hosts", () => {
    const model = modelOf(topology);
    expect([...neighboursOf(model, "a")].sort()).toEqual(["a", "lan", "ssh", "vm"]);
    expect([...neighboursOf(model, "plex")].sort()).toEqual(["a", "lan", "plex", "vm"]);
    expect([...neighboursOf(model, "dmz")].sort()).toEqual(["dmz", "router"]);
  });

  it("what is not lifted is pale", () => {
    const model = modelOf(topology);
    const surface = recording();
    const look = lookAt("subnets", topology, { lifted: neighboursOf(model, "a"), selected: "a" });
    paint(surface, look, fitted(look.layout.bounds, SIZE), SIZE);
    const opacities = Object.fromEntries(surface.texts.map(({ value, opacity }) => [value, opacity]));
    expect(opacities).toMatchObject({ a: 1, vm: 1, LAN: 1, b: 0.2, DMZ: 0.2 });
  });

  it.each([0.05, 0.12, 1])("nothing is drawn over rings, at a scale of %d", (scale) => {
    const surface = recording();
    paint(
      surface,
      lookAt("subnets", topology, { marks: new Map([["b", "changed"]]) }),
      { left: 0, top: 0, scale },
      SIZE,
    );
    const place = surface.rects.findIndex(({ line }) => line === MARKS.changed.light);
    const ring = surface.rects[place]?.at;
    expect(ring).toBeDefined();
    expect(surface.rects.slice(place + 1).filter(({ at }) => ring === undefined || meet(at, ring))).toEqual([]);
  });

  it("arrow keys go to the tile beside", () => {
    const layout = layoutFor("subnets", topology);
    const tileOf = (key: string) =>
      layout.boxes.flatMap(({ tiles }) => tiles).find((tile) => tile.spec.key === key) ?? null;
    expect(stopBeside(layout, tileOf("b"), "ArrowRight")?.id).toBe("a");
    expect(stopBeside(layout, tileOf("a"), "ArrowLeft")?.id).toBe("b");
    expect(stopBeside(layout, tileOf("a"), "ArrowUp")?.id).toBe("router");
    expect(stopBeside(layout, null, "ArrowUp")?.id).toBe("router");
  });
});

describe("files of the map", () => {
  const measure = (value: string): number => value.length * 11;

  it("are well-formed, whatever the names", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (label) => {
        const topology: Topology = {
          nodes: [subnet("lan", { label }), host("nas", { label }), service("web", "nas", { label })],
          edges: [inSubnet("nas", "lan")],
        };
        const look = lookAt("subnets", topology);
        for (const text of [
          svgOf(look, label, { part: look.layout.bounds, measure }),
          drawIoOf(look, label, look.layout.bounds),
        ]) {
          let elements = 0;
          const parser = new SaxesParser();
          parser.on("opentag", () => elements++);
          parser.on("error", (fault) => {
            throw fault;
          });
          parser.write(text).close();
          expect(elements).toBeGreaterThan(5);
        }
      }),
      { numRuns: 20, seed: 6 },
    );
  });

  it("an SVG shows services at the natural size, and needs nothing else", () => {
    const topology: Topology = {
      nodes: [subnet("lan"), host("nas"), service("web", "nas")],
      edges: [inSubnet("nas", "lan")],
    };
    const look = lookAt("subnets", topology);
    const svg = svgOf(look, "Office", { part: look.layout.bounds, measure });
    for (const text of [">Office<", ">lan<", ">nas<", ">web<", '<symbol id="icon-mark_58nginx"'])
      expect(svg).toContain(text);
    expect(svg).not.toMatch(/(?:href|src)="[^#]/);
  });
});

describe("files of a part of the map", () => {
  const measure = (value: string): number => value.length * 11;
  const look = lookAt("subnets", {
    nodes: [subnet("lan"), subnet("lab"), host("nas"), host("probe")],
    edges: [inSubnet("nas", "lan"), inSubnet("probe", "lab")],
  });
  const [lan] = look.layout.boxes.filter(({ spec }) => spec.nodeId === "lan");
  const part = { x: lan!.x, y: lan!.y, width: lan!.width, height: lan!.height };

  it("show it alone, as large as it is", () => {
    const svg = svgOf(look, "Office", { part, measure });
    expect([svg.includes(">nas<"), svg.includes(">probe<")]).toEqual([true, false]);
    const heightOf = (text: string): number => Number(/<svg [^>]*?height="([\d.]+)"/.exec(text)?.[1]);
    expect(heightOf(svg)).toBeLessThan(heightOf(svgOf(look, "Office", { part: look.layout.bounds, measure })));
    const diagram = drawIoOf(look, "Office", part);
    expect([diagram.includes('value="nas'), diagram.includes('value="probe')]).toEqual([true, false]);
  });

  it("have all of the legend, in as many rows as it takes", () => {
    const varied = lookAt("subnets", {
      nodes: [
        ...[subnet("lan"), subnet("lab"), host("nas"), host("printer", { role: "Printer" })],
        service("plex", "nas", { category: "Media" }),
      ],
      edges: [inSubnet("nas", "lan"), inSubnet("nas", "lab", { id: "second" })],
    });
    const svg = svgOf(varied, "Office", { part: { x: 0, y: 0, width: 150, height: 100 }, measure });
    const [, width = 0, height = 0] = (/viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []).map(Number);
    const names = legendOf(varied).map(({ name }) => name);
    const places = names.map((name) => new RegExp(`x="([\\d.]+)" y="([\\d.]+)"[^>]*>${name}<`).exec(svg));
    expect(names.length).toBeGreaterThan(2);
    for (const [n, place] of places.entries())
      expect([names[n], Number(place?.[1]) < width, Number(place?.[2]) < height]).toEqual([names[n], true, true]);
  });

  it("end where it cuts through a box", () => {
    const half = { ...part, width: part.width / 2 };
    const cell = /id="box:[^"]*lan[^"]*".*?<mxGeometry [^>]*width="([\d.]+)"/.exec(drawIoOf(look, "Office", half));
    expect(Number(cell?.[1])).toBe(half.width);
  });
});

describe("the camera", () => {
  it("zooms about the pointer, and ends at a tile of 240 pixels", () => {
    const whole = { x: 0, y: 0, width: 20_000, height: 9_000 };
    const at = { x: 300, y: 200 };
    let camera = fitted(whole, SIZE);
    const pointOf = () => ({ x: (at.x - camera.left) / camera.scale, y: (at.y - camera.top) / camera.scale });
    const before = pointOf();
    for (let n = 0; n < 40; n++) camera = zoomed(camera, 1.5, at, { whole, size: SIZE });
    expect(160 * camera.scale).toBeCloseTo(240);
    expect(pointOf().x).toBeCloseTo(before.x);
    for (let n = 0; n < 80; n++) camera = zoomed(camera, 1 / 1.5, at, { whole, size: SIZE });
    expect(visiblePart(camera, SIZE).width).toBeLessThan(2 * whole.width);
  });
});

it("one network has no frame", () => {
  expect(layoutFor("subnets", { nodes: [subnet("lan")], edges: [] }).boxes.map(({ spec }) => spec.kind)).toEqual([
    "subnet",
  ]);
  const two: Topology = { nodes: [subnet("lan"), subnet("far", { network_id: "other" })], edges: [] };
  expect(layoutFor("subnets", two).boxes.map(({ spec }) => spec.kind)).toEqual([
    "network",
    "subnet",
    "network",
    "subnet",
  ]);
});
