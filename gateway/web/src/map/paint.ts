import type { TileSpec } from "./boxes.js";
import type { Camera, Size } from "./camera.js";
import { MARKS, PALETTES } from "./colours.js";
import type { Look } from "./look.js";
import { paintHeader } from "./paint-header.js";
import { createTilePainter, detailAt } from "./paint-tile.js";
import { isOnCanvas, projected, type Projection, type ProjectedBox } from "./projection.js";
import type { Surface } from "./surface.js";

// Draws the map: boxes, the lines between them, and as much of each host as its size allows.

export const PALE = 0.2;
const LINE = { normal: 1.5, lifted: 2 } as const;

/** @param size what is outside of it is not drawn */
export function paint(surface: Surface, look: Look, camera: Camera, size: Size): Projection {
  const projection = projected(look.layout, camera);
  const visible = projection.boxes.filter(({ at }) => isOnCanvas(at, size));
  for (const box of visible) paintFrame(surface, look, box);
  paintLines(surface, look, projection);
  const paintTile = createTilePainter(surface, look, detailAt(camera.scale));
  for (const box of visible) {
    if (!isShown(box, look)) continue;
    for (const tile of box.box.tiles) {
      const { id } = tile.spec.node;
      const at = projection.tileAt(tile, box);
      if (!look.shown.has(id) || !isOnCanvas(at, size)) continue;
      surface.opacity = opacityOf(look, id);
      paintTile(asThen(tile.spec, look), at);
    }
  }
  for (const box of visible) {
    if (!isShown(box, look)) continue;
    surface.opacity = opacityOfBox(look, box);
    paintHeader(surface, look, box);
  }
  surface.opacity = 1;
  return projection;
}

/** A tile with the node as it was at the selected time, while layouts are of the present. */
function asThen(spec: TileSpec, { model }: Look): TileSpec {
  const node = model.nodes.get(spec.node.id);
  return node === undefined || node === spec.node || node.kind === "subnet" ? spec : { ...spec, node };
}

/** Subnets and hosts that do not pass the filters are not drawn. */
export function isShown({ box: { spec } }: ProjectedBox, { shown }: Look): boolean {
  if (spec.kind === "bar" || spec.kind === "group") return spec.tiles.some(({ node }) => shown.has(node.id));
  return spec.nodeId === null || shown.has(spec.nodeId) || spec.tiles.some(({ node }) => shown.has(node.id));
}

function opacityOf({ lifted }: Look, id: string | null): number {
  return lifted === null || id === null || lifted.has(id) ? 1 : PALE;
}

/** A box stands out with its node or any of its tiles; networks always do. */
function opacityOfBox({ lifted }: Look, { box: { spec } }: ProjectedBox): number {
  if (lifted === null || spec.kind === "network") return 1;
  const isLifted = (id: string | null): boolean => id !== null && lifted.has(id);
  return isLifted(spec.nodeId) || spec.tiles.some(({ node }) => lifted.has(node.id)) ? 1 : PALE;
}

function paintFrame(surface: Surface, look: Look, box: ProjectedBox): void {
  if (!isShown(box, look)) return;
  const { spec, depth } = box.box;
  const palette = PALETTES[look.scheme];
  const isSelected = spec.nodeId !== null && spec.nodeId === look.selected;
  const mark = spec.nodeId === null ? undefined : look.marks?.get(spec.nodeId);
  const radius = Math.min(10, 0.08 * Math.min(box.at.width, box.at.height));
  surface.opacity = opacityOfBox(look, box);
  surface.rect(box.at, {
    fill: spec.kind === "network" ? palette.background : depth % 2 === 0 ? palette.box : palette.innerBox,
    line: isSelected ? palette.accent : mark === undefined ? palette.boxLine : MARKS[mark][look.scheme],
    lineWidth: isSelected || mark !== undefined ? 2 : 1,
    radius,
  });
}

/** Lines of a bar stand out together with one of its hosts, or one of the boxes that they lead to. */
function paintLines(surface: Surface, look: Look, projection: Projection): void {
  const { lines } = look.layout;
  if (lines.length === 0) return;
  const boxes = new Map(projection.boxes.map((box) => [box.box.spec.key, box]));
  const colours = PALETTES[look.scheme].lines;
  for (const line of lines) {
    const bar = boxes.get(line.from);
    const box = boxes.get(line.to);
    if (bar === undefined || box === undefined || !isShown(bar, look) || !isShown(box, look)) continue;
    const isLifted = bar.box.spec.tiles.some(({ node }) => look.lifted?.has(node.id));
    surface.opacity = look.lifted === null || isLifted ? 1 : PALE;
    surface.line(projection.pointsOf(line), {
      colour: colours[line.index % colours.length] ?? PALETTES[look.scheme].accent,
      width: isLifted ? LINE.lifted : LINE.normal,
    });
  }
}
