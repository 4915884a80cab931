import type { Topology } from "@nts/shared/contract";
import { boxesOf, type Names, type View } from "../boxes.js";
import { meet } from "../camera.js";
import { NO_FILTERS, shownIn } from "../filters.js";
import type { Point, Rect } from "../geometry.js";
import { createIcons } from "../icons.js";
import { type Layout, layoutOf, type PlacedBox } from "../layout.js";
import type { Look } from "../look.js";
import { modelOf } from "../model.js";

// Layouts of topologies, and what lies on what in them, for tests.

export const names: Names = { networkOf: (id) => `Network ${id}`, tagOf: (tag) => ({ name: tag, color: null }) };
const icons = createIcons(null);
export const SIZE = { width: 1_000, height: 640 };

export const layoutFor = (view: View, topology: Topology): Layout => layoutOf(boxesOf(view, modelOf(topology), names));

export const lookAt = (view: View, topology: Topology, more: Partial<Look> = {}): Look => {
  const model = modelOf(topology);
  const shown = shownIn(model, { ...NO_FILTERS, withHidden: true });
  const layout = layoutFor(view, topology);
  return {
    model,
    layout,
    icons,
    scheme: "light",
    shown,
    lifted: null,
    selected: null,
    relations: [],
    marks: null,
    ...more,
  };
};

export const isInside = (inner: Rect, outer: Rect): boolean =>
  inner.x >= outer.x - 0.01 &&
  inner.y >= outer.y - 0.01 &&
  inner.x + inner.width <= outer.x + outer.width + 0.01 &&
  inner.y + inner.height <= outer.y + outer.height + 0.01;

/** Each box with the one around it. */
export function* nested(boxes: readonly PlacedBox[]): Generator<[PlacedBox, PlacedBox | null]> {
  const outer: PlacedBox[] = [];
  for (const box of boxes) {
    yield [box, outer[box.depth - 1] ?? null];
    outer[box.depth] = box;
    outer.length = box.depth + 1;
  }
}

/** The pairs that overlap. */
export function overlapping<T>(all: readonly T[], rectOf: (one: T) => Rect): [T, T][] {
  return all.flatMap((a, index) =>
    all.slice(index + 1).flatMap((b): [T, T][] => (meet(rectOf(a), rectOf(b)) ? [[a, b]] : [])),
  );
}

/** The segments of a line as rectangles without area. */
export const segmentsOf = (points: readonly Point[]): Rect[] =>
  points.slice(1).map((to, index) => {
    const from = points[index] ?? to;
    return {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.abs(from.x - to.x) + 0.001,
      height: Math.abs(from.y - to.y) + 0.001,
    };
  });
