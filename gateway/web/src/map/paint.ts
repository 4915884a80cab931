import type { BoxSpec, TileSpec } from "./boxes.js";
import { type Camera, meet, type Size } from "./camera.js";
import { MARKS, PALETTES } from "./colours.js";
import type { Look } from "./look.js";
import { paintHeader } from "./paint-header.js";
import { createLinkPainter } from "./paint-links.js";
import { paintRelations } from "./paint-relations.js";
import { createRingPainter, createTilePainter, detailAt } from "./paint-tile.js";
import { projected, type Projection, type ProjectedBox } from "./projection.js";
import type { Surface } from "./surface.js";

// Draws the map: boxes, the lines between them, and as much of each host as its size allows.

const PALE = 0.2;
const LINE = { normal: 1.5, lifted: 2 } as const;

/** @param size what is outside of it is not drawn */
export function paint(surface: Surface, look: Look, camera: Camera, size: Size): Projection {
  const projection = projected(look.layout, camera);
  const canvas = { x: 0, y: 0, ...size };
  const shown = projection.boxes.filter((box) => isShown(box, look));
  const visible = shown.filter(({ at }) => meet(at, canvas));
  const detail = detailAt(camera.scale);
  const paintTile = createTilePainter(surface, look, detail);
  const networks = visible.filter(isNetwork);
  for (const box of networks) paintFrame(surface, look, box);
  paintLines(surface, look, { shown, projection });
  const paintLinks = createLinkPainter(surface, look, { shown, projection, canvas, detail });
  paintLinks.between();
  const paintRing = createRingPainter(surface, look, detail);
  const tilesIn = (box: ProjectedBox, painted: typeof paintTile): void => {
    for (const tile of box.box.tiles) {
      const { id } = tile.spec.node;
      const at = projection.tileAt(tile, box);
      if (!look.shown.has(id) || !meet(at, canvas)) continue;
      surface.opacity = opacityOf(look, id);
      painted(asThen(tile.spec, look), at);
    }
  };
  const hasRings = look.marks !== null || look.selected !== null;
  for (const part of partsOf(visible)) {
    for (const box of part) {
      surface.opacity = opacityOfBox(look, box);
      paintFrame(surface, look, box);
      paintLinks.inside(box);
    }
    for (const box of part) tilesIn(box, paintTile);
    for (const box of part) {
      surface.opacity = opacityOfBox(look, box);
      paintHeader(surface, look, box, detail);
    }
    if (hasRings) for (const box of part) tilesIn(box, paintRing);
  }
  surface.opacity = 1;
  for (const box of networks) paintHeader(surface, look, box, detail);
  paintRelations(surface, look, projection);
  return projection;
}

function isNetwork({ box: { spec } }: ProjectedBox): boolean {
  return spec.kind === "network";
}

/** Boxes in networks, each with what is in it: where people have put one over another, it covers the other whole. */
function partsOf(boxes: readonly ProjectedBox[]): ProjectedBox[][] {
  const parts: ProjectedBox[][] = [];
  let depth = Infinity;
  for (const box of boxes) {
    if (isNetwork(box)) depth = Infinity;
    else if (box.box.depth > depth) parts.at(-1)?.push(box);
    else {
      parts.push([box]);
      depth = box.box.depth;
    }
  }
  return parts;
}

/** A tile with the node as it was at the selected time, while layouts are of the present. */
function asThen(spec: TileSpec, { model }: Look): TileSpec {
  const node = model.nodes.get(spec.node.id);
  return node === undefined || node === spec.node || node.kind === "subnet" ? spec : { ...spec, node };
}

/** Subnets and hosts that do not pass the filters are not drawn. */
function isShown({ box: { spec } }: ProjectedBox, { shown }: Look): boolean {
  return spec.kind === "network" || hasOneOf(spec, shown);
}

/** Whether a box stands for one of these nodes, or has a tile of one. */
function hasOneOf({ nodeId, tiles }: BoxSpec, ids: ReadonlySet<string>): boolean {
  return (nodeId !== null && ids.has(nodeId)) || tiles.some(({ node }) => ids.has(node.id));
}

function opacityOf({ lifted }: Look, id: string): number {
  return lifted === null || lifted.has(id) ? 1 : PALE;
}

/** A box stands out with its node or any of its tiles; networks always do. */
function opacityOfBox({ lifted }: Look, { box: { spec } }: ProjectedBox): number {
  return lifted === null || spec.kind === "network" || hasOneOf(spec, lifted) ? 1 : PALE;
}

function paintFrame(surface: Surface, look: Look, box: ProjectedBox): void {
  const { spec, depth } = box.box;
  const palette = PALETTES[look.scheme];
  const isSelected = spec.nodeId !== null && spec.nodeId === look.selected;
  const mark = spec.nodeId === null ? undefined : look.marks?.get(spec.nodeId);
  const radius = Math.min(10, 0.08 * Math.min(box.at.width, box.at.height));
  surface.rect(box.at, {
    fill: spec.kind === "network" ? palette.background : depth % 2 === 0 ? palette.box : palette.innerBox,
    line: isSelected ? palette.accent : mark === undefined ? palette.boxLine : MARKS[mark][look.scheme],
    lineWidth: isSelected || mark !== undefined ? 2 : 1,
    radius,
    isDashed: spec.isUnmanaged,
  });
}

/** Lines of a bar stand out together with one of its hosts. */
function paintLines(
  surface: Surface,
  look: Look,
  { shown, projection }: { readonly shown: readonly ProjectedBox[]; readonly projection: Projection },
): void {
  const { lines } = look.layout;
  if (lines.length === 0) return;
  const boxes = new Map(shown.map(({ box: { spec } }) => [spec.key, spec]));
  const colours = PALETTES[look.scheme].lines;
  for (const line of lines) {
    const bar = boxes.get(line.from);
    if (bar === undefined || !boxes.has(line.to)) continue;
    const isLifted = look.lifted !== null && hasOneOf(bar, look.lifted);
    surface.opacity = look.lifted === null || isLifted ? 1 : PALE;
    surface.line(projection.pointsOf(line), {
      colour: colours[line.index % colours.length] ?? PALETTES[look.scheme].accent,
      width: isLifted ? LINE.lifted : LINE.normal,
    });
  }
}
