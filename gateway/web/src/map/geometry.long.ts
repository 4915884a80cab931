/** Where things are on maps of many random networks: a line for each tab tells how many were looked at, and what lies on what. */
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { VIEWS } from "./boxes.js";
import { fitted, meet } from "./camera.js";
import type { Rect } from "./geometry.js";
import { paint } from "./paint.js";
import { isInside, layoutFor, lookAt, nested, overlapping, segmentsOf, SIZE } from "./testing/layouts.js";
import { recording } from "./testing/recording.js";
import { aTopology } from "./testing/topologies.js";

/** Of Node.js, whose types the console does without. */
declare const process: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly write: (text: string) => void };
};

const NETWORKS = Number(process.env["MAP_NETWORKS"] ?? 100);
const SEED = Number(process.env["SEED"] ?? 7);
/** From everything in view to names and services. */
const ZOOMS = [0, 3, 8, 16].map((steps) => 1.4 ** steps);

const inside = ({ x, y, width, height }: Rect): Rect => ({
  ...{ x: x + 0.01, y: y + 0.01 },
  ...{ width: width - 0.02, height: height - 0.02 },
});

describe(`maps of ${NETWORKS} random networks`, () => {
  it.each(VIEWS)("%s: nothing lies on anything else", (view) => {
    const seen = { boxes: 0, tiles: 0, lines: 0, labels: 0 };
    const faults = { "boxes on boxes": 0, "tiles on tiles": 0, "outside of their box": 0, "lines through boxes": 0 };
    const drawn = { "labels on labels": 0, "lines through labels": 0 };
    fc.assert(
      fc.property(aTopology, (topology) => {
        const { boxes, bounds, lines, links } = layoutFor(view, topology);
        const around = new Map([...nested(boxes)]);
        for (const [box, outer] of around) {
          const beside = boxes.filter((one) => one !== box && around.get(one) === outer);
          seen.boxes += 1;
          seen.tiles += box.tiles.length;
          faults["boxes on boxes"] += beside.filter((one) => meet(one, box)).length;
          faults["tiles on tiles"] += overlapping(box.tiles, (tile) => tile).length;
          faults["outside of their box"] += box.tiles.filter((tile) => !isInside(tile, box)).length;
          faults["outside of their box"] += isInside(box, outer ?? bounds) ? 0 : 1;
        }
        const inner = boxes.filter(({ spec }) => spec.kind !== "network").map(inside);
        seen.lines += lines.length + links.length;
        for (const { points } of lines)
          for (const segment of segmentsOf(points))
            faults["lines through boxes"] += inner.filter((box) => meet(segment, box)).length;

        const look = lookAt(view, topology);
        for (const zoom of ZOOMS) {
          const scale = fitted(bounds, SIZE).scale * zoom;
          const surface = recording();
          const size = { width: bounds.width * scale + 2, height: bounds.height * scale + 2 };
          paint(surface, look, { scale, left: 1, top: 1 }, size);
          seen.labels += surface.texts.length;
          drawn["labels on labels"] += overlapping(surface.texts, ({ at }) => at).length;
          for (const { points } of surface.lines)
            for (const segment of segmentsOf(points))
              drawn["lines through labels"] += surface.texts.filter(({ at }) => meet(at, segment)).length;
        }
      }),
      { numRuns: NETWORKS, seed: SEED },
    );
    const found = { ...faults, ...drawn };
    const said = (counts: Readonly<Record<string, number>>): string =>
      Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(", ");
    process.stdout.write(`${view}: ${said(seen)} at ${ZOOMS.length} zooms; ${said(found)}\n`);
    expect(new Set(Object.values(found))).toEqual(new Set([0]));
  });
});
