import { colourOfUse, MARKS, PALETTES } from "./colours.js";
import type { Point, Rect } from "./geometry.js";
import { lookOfLink } from "./link-looks.js";
import type { Look, Relation } from "./look.js";
import type { Projection } from "./projection.js";
import type { LineLook, Surface } from "./surface.js";

// What the selection uses, and by what it is used: lines with arrows to the server, and further links without. They run in the
// gaps between tiles, and enter what they lead to at the left.

/** Pixels. */
const ARROW = { length: 7, half: 4 } as const;
const HALO = 3;

export function paintRelations(surface: Surface, look: Look, projection: Projection): void {
  const { relations, scheme } = look;
  if (relations.length === 0) return;
  const ids = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const places = placesOf(ids, look, projection);
  surface.opacity = 1;
  for (const relation of relations) {
    const from = places.get(relation.from);
    const to = places.get(relation.to);
    if (from === undefined || to === undefined || from === to) continue;
    const points = wayBetween(from, to, projection.scale);
    const line = lookOf(relation, look);
    surface.line(points, { colour: PALETTES[scheme].background, width: line.width + HALO });
    surface.line(points, line);
    if (relation.kind === "uses") surface.line(arrowAt(points), { colour: line.colour, width: line.width });
  }
}

/** What is used has another colour than what uses. */
function lookOf({ kind, to, mark }: Relation, { scheme, selected, model }: Look): LineLook {
  if (mark !== null) return { colour: MARKS[mark][scheme], width: 2 };
  if (kind !== "uses") return lookOfLink({ kind, speedMbps: null }, scheme);
  const node = model.nodes.get(to);
  const isServer = to === selected || (node?.kind === "service" && node.host_id === selected);
  return { colour: colourOfUse(isServer, scheme), width: 2 };
}

/** The first tile or the header of the box of each node, on the canvas. */
function placesOf(ids: ReadonlySet<string>, { shown }: Look, { boxes, tileAt }: Projection): Map<string, Rect> {
  const places = new Map<string, Rect>();
  for (const box of boxes) {
    const { nodeId } = box.box.spec;
    if (nodeId !== null && ids.has(nodeId) && shown.has(nodeId)) places.set(nodeId, box.header);
    for (const tile of box.box.tiles) {
      const { id } = tile.spec.node;
      if (ids.has(id) && shown.has(id) && !places.has(id)) places.set(id, tileAt(tile, box));
    }
  }
  return places;
}

/** Half of the gap between tiles, in map units. */
const HALF_GAP = 6;

/** Into the gap above or below, along it to the gap at the left of the end, and along that to the end. */
function wayBetween(from: Rect, to: Rect, scale: number): Point[] {
  const gap = HALF_GAP * scale;
  const isBelow = to.y > from.y;
  const x = from.x + from.width / 2;
  const out = isBelow ? from.y + from.height : from.y;
  const along = isBelow ? out + gap : out - gap;
  const before = to.x - gap;
  const y = to.y + to.height / 2;
  return [
    { x, y: out },
    { x, y: along },
    { x: before, y: along },
    { x: before, y },
    { x: to.x, y },
  ];
}

/** Both strokes of an arrow at the end of a line that comes from the left. */
function arrowAt(points: readonly Point[]): Point[] {
  const { x, y } = points.at(-1) ?? { x: 0, y: 0 };
  return [
    { x: x - ARROW.length, y: y - ARROW.half },
    { x, y },
    { x: x - ARROW.length, y: y + ARROW.half },
  ];
}
