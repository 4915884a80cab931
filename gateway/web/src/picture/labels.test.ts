import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Box, createRoom, overlap, type Rooms, labelsForHost, labelsForService, write } from "./labels.js";

const WINDOW: Box = { left: -10_000, top: -10_000, right: 10_000, bottom: 10_000 };
const rooms = (): Rooms => ({ names: createRoom(), dots: createRoom(), window: WINDOW });
const measure = (text: string): number => 6 * text.length;
const at = fc.double({ min: -300, max: 1_500, noNaN: true });
const aBox: fc.Arbitrary<Box> = fc
  .tuple(at, at, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 30 }))
  .map(([left, top, width, height]) => ({ left, top, right: left + width, bottom: top + height }));
const aHost = fc.record({ x: at, y: at, r: fc.constant(8), name: fc.string({ minLength: 1, maxLength: 40 }) });

describe("labels of the picture", () => {
  it("are free exactly where no space is taken", () => {
    fc.assert(
      fc.property(fc.array(aBox, { maxLength: 60 }), (boxes) => {
        const room = createRoom();
        const taken: Box[] = [];
        for (const box of boxes) {
          expect(room.isFree(box)).toBe(!taken.some((other) => overlap(box, other)));
          if (!room.isFree(box)) continue;
          room.take(box);
          taken.push(box);
        }
      }),
    );
  });

  it("never overlap each other or a host; a host has none only when no position is free", () => {
    fc.assert(
      fc.property(fc.array(aHost, { maxLength: 80 }), (hosts) => {
        const around = rooms();
        const circles = hosts.map(({ x, y, r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r }));
        for (const circle of circles) around.names.take(circle);
        const written: Box[] = [...circles];
        for (const { name, ...seen } of hosts) {
          const ways = labelsForHost(seen, name, { size: 10, width: 60, measure });
          const isAnyFree = ways.some(({ box }) => !written.some((other) => overlap(box, other)));
          const way = write(ways, around);
          expect(way !== null).toBe(isAnyFree);
          if (way === null) continue;
          expect(written.filter((other) => overlap(way.box, other))).toEqual([]);
          written.push(way.box);
        }
      }),
    );
  });

  it("are below their host when there is room, otherwise beside it, and truncated as a last resort", () => {
    const around = rooms();
    const place = (x: number): unknown[] => {
      const ways = labelsForHost({ x, y: 0, r: 8 }, "Accounting workstation", { size: 10, width: 70, measure });
      const way = write(ways, around);
      return [way?.lines.join("|"), way?.align];
    };
    expect([place(0), place(6), place(3)]).toEqual([
      ["Accounting|workstation", "center"],
      ["Accounting workstation", "left"],
      ["Accounting workstation", "right"],
    ]);
    for (let n = 0; n < 40; n++) place(3);
    expect(place(3)).toEqual([undefined, undefined]);
    for (const [left, right, top, bottom] of [
      [70, 999, -8, 8],
      [-999, -9, -8, 8],
      [-999, 999, 9, 999],
      [-999, 999, -999, -9],
    ] as const)
      around.names.take({ left: left + 5_000, right: right + 5_000, top, bottom });
    expect(place(5_000)).toEqual(["Account…", "left"]);
  });
});

describe("labels of a crowded picture", () => {
  it("overlap dots of services rather than being dropped, and are not cut off by the edge of the window", () => {
    const alignAt = (around: Rooms): string | undefined =>
      write(labelsForHost({ x: 0, y: 0, r: 8 }, "nas", { size: 10, width: 60, measure }), around)?.align;
    const dotted = rooms();
    dotted.dots.take({ ...WINDOW, left: -500, top: -500, right: 500, bottom: 500 });
    expect(alignAt(dotted)).toBe("center");
    expect(alignAt({ ...rooms(), window: { ...WINDOW, right: 5 } })).toBe("right");
    expect(alignAt({ ...rooms(), window: { left: 0, top: 0, right: 0, bottom: 0 } })).toBeUndefined();
  });

  it("of services include their ports, or the first of them, when there is room", () => {
    const service = { size: 10, side: "left", ports: ":3000 :3001", measure } as const;
    const textsOf = (name: string, ports: string): (string | undefined)[] =>
      labelsForService({ x: 0, y: 0, r: 6 }, name, { ...service, ports }).map(({ lines: [line] }) => line);
    expect(textsOf("Grafana for everybody", ":3000 :3001")).toEqual([
      "Grafana for everybody :3000 :3001",
      "Grafana for everybody :3000 +1",
      "Grafana… :3000 +1",
      "Grafana for everybody",
    ]);
    expect(textsOf("SSH", "")).toEqual(["SSH"]);
  });
});
