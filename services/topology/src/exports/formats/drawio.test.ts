import { describe, expect, it } from "@jest/globals";
import type { Host } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { type Card, cardIn, createDrawioWriter, titleOf } from "./drawio.rules.js";

interface Cell {
  readonly id: string;
  readonly value?: string;
  readonly parent?: string;
  readonly source?: string;
  readonly target?: string;
  /** x, y, width, height */
  readonly at?: readonly number[];
}

function cellsOf(text: string): Cell[] {
  const cells: Cell[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => {
    if (name === "mxCell") cells.push({ ...attributes } as unknown as Cell);
    const { x, y, width, height } = attributes;
    if (name === "mxGeometry" && width !== undefined)
      Object.assign(cells.at(-1) ?? {}, { at: [x, y, width, height].map(Number) });
  });
  parser.write(text).close();
  return cells;
}

const aCard = (id: string, services = 0, elsewhere: Card["elsewhere"] = []): Card => ({
  ...{ id, lines: [id, "10.0.0.1"], elsewhere },
  services: Array.from({ length: services }, (_, n) => ({ id: `${id}-s${n}`, text: `service ${n} · 80/tcp` })),
});

function drawn(...boxes: readonly (readonly [id: string, cards: readonly Card[]])[]): Cell[] {
  const writer = createDrawioWriter();
  const text = boxes.map(([id, cards]) => writer.box(id, `subnet ${id}`, cards)).join("");
  return cellsOf(writer.begin + writer.network("n1", "Home") + text + writer.end);
}

function overlap([x, y, width, height]: readonly number[], [x2, y2, width2, height2]: readonly number[]): boolean {
  return x! < x2! + width2! && x2! < x! + width! && y! < y2! + height2! && y2! < y! + height!;
}

describe("a drawing", () => {
  it("contains subnets, in them hosts, and in those their services", () => {
    const cells = drawn(["a", [aCard("nas", 2), aCard("pi")]]);
    expect(cells.map(({ id, parent, value }) => [id, parent, value])).toEqual([
      ["0", undefined, undefined],
      ["1", "0", undefined],
      ["n1", "1", "Home"],
      ["a", "1", "subnet a"],
      ["nas", "a", "nas<br>10.0.0.1"],
      ["nas-s0", "nas", "service 0 · 80/tcp"],
      ["nas-s1", "nas", "service 1 · 80/tcp"],
      ["pi", "a", "pi<br>10.0.0.1"],
    ]);
  });

  it("has an edge to each other subnet of a host", () => {
    const cells = drawn(["a", [aCard("router", 0, [{ id: "if2", subnetId: "b", address: "10.0.1.1" }])]], ["b", []]);
    expect(cells.find(({ id }) => id === "if2")).toMatchObject({ source: "router", target: "b", value: "10.0.1.1" });
  });

  it("has everything inside its container, without overlaps", () => {
    const sizes = fc.array(fc.array(fc.nat(9), { maxLength: 20 }), { maxLength: 10 });
    fc.assert(
      fc.property(sizes, (boxes) => {
        const cells = drawn(
          ...boxes.map((hosts, b) => [`b${b}`, hosts.map((services, h) => aCard(`b${b}h${h}`, services))] as const),
        );
        const byId = new Map(cells.map((cell) => [cell.id, cell]));
        const placed = cells.filter(({ at }) => at !== undefined);
        for (const { at = [], parent = "" } of placed) {
          const [x = 0, y = 0, width = 0, height = 0] = at;
          const [, , within = Infinity, below = Infinity] = byId.get(parent)?.at ?? [];
          expect(x >= 0 && y >= 0 && x + width <= within && y + height <= below).toBe(true);
        }
        const siblings = new Map<string, Cell[]>();
        for (const cell of placed) putUnder(siblings, cell.parent ?? "", cell);
        for (const group of siblings.values())
          for (const [n, one] of group.entries())
            for (const other of group.slice(n + 1)) expect(overlap(one.at ?? [], other.at ?? [])).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("escapes any name", () => {
    const title = `<img src=x onerror="alert(1)"> & 'b' ]]>`;
    const [cell] = cellsOf(createDrawioWriter().box("a", title, []));
    expect(cell?.value).toBe("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &apos;b&apos; ]]&gt;");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const [found] = cellsOf(createDrawioWriter().box("a", name, []));
        expect(found?.value).not.toMatch(/[<>"']/);
      }),
    );
  });
});

describe("the drawing of a host", () => {
  const host = {
    ...{ id: "h", name: "nas" },
    interfaces: [
      { id: "i1", subnet_id: "a", ip_address: "10.0.0.5" },
      { id: "i2", subnet_id: "a", ip_address: "10.0.0.6" },
      { id: "i3", subnet_id: "b", ip_address: "10.1.0.5" },
    ],
    ports: [{ id: "p", number: 443, protocol: "Tcp" }],
    services: [
      {
        id: "s1",
        name: "Photos",
        bindings: [
          { type: "Port", port_id: "p", interface_id: null },
          { type: "Port", port_id: "p", interface_id: "i2" },
        ],
      },
      { id: "s2", name: "Backup", bindings: [] },
    ],
  } as unknown as Host;

  it("contains its name with its first address, its services with their ports, and its other subnets", () => {
    expect(cardIn(host)).toEqual({
      ...{ id: "h", lines: ["nas", "10.0.0.5 and 2 more"] },
      services: [
        { id: "s1", text: "Photos · 443/tcp" },
        { id: "s2", text: "Backup" },
      ],
      elsewhere: [{ id: "i3", subnetId: "b", address: "10.1.0.5" }],
    });
    expect(cardIn({ ...host, interfaces: [] }).lines).toEqual(["nas"]);
  });

  it("is in a subnet labelled with its name and its block", () => {
    expect(titleOf({ name: "LAN", cidr: "10.0.0.0/24" })).toBe("LAN · 10.0.0.0/24");
    expect(titleOf({ name: "10.0.0.0/24", cidr: "10.0.0.0/24" })).toBe("10.0.0.0/24");
  });
});
