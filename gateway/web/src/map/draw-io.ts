import type { Point, Rect } from "./geometry.js";
import { PALETTES } from "./colours.js";
import { contains, meet } from "./camera.js";
import { lookOfLink } from "./link-looks.js";
import { type LinkWords, wordsOf } from "./link-words.js";
import type { PlacedLink } from "./links.js";
import { lastPart } from "./addresses.js";
import type { PlacedBox, PlacedTile } from "./layout.js";
import type { Look } from "./look.js";
import { escaped } from "./svg-surface.js";

// The map for draw.io: the same boxes and lines, to go on with by hand.

/** Always light: draw.io inverts colours itself. */
const PALETTE = PALETTES.light;
const ROOT = '<mxCell id="0"/><mxCell id="1" parent="0"/>';

/** @param part of the map: boxes that it cuts through end there, and lines need both their boxes */
export function drawIoOf({ layout, shown, model }: Look, title: string, part: Rect): string {
  const seen = layout.boxes.filter((box) => meet(box, part));
  const keys = new Set(seen.map(({ spec }) => spec.key));
  const boxes = seen.flatMap((box) => [boxCell(box, within(box, part)), ...tileCells(box, { shown, part })]);
  const drawn = layout.lines.filter(({ from, to }) => keys.has(from) && keys.has(to));
  const lines = drawn.map(({ from, to, index, points }) => lineCell(from, to, { index, points }));
  const links = layout.links
    .filter(({ from, to, hostId, isInside }) => keys.has(from) && (isInside ? shown.has(hostId) : keys.has(to)))
    .filter(({ points }) => points.every((point) => contains(part, point)))
    .flatMap((link) => linkCell(link, wordsOf(model, link.hanging.edgeId)));
  const cells = [...boxes, ...lines, ...links].join("\n");
  const graph = `<mxGraphModel grid="0" page="0"><root>${ROOT}\n${cells}\n</root></mxGraphModel>`;
  return `<mxfile><diagram name="${escaped(title)}">${graph}</diagram></mxfile>\n`;
}

/** The part of a box that is in a part of the map. */
function within(box: Rect, part: Rect): Rect {
  const x = Math.max(box.x, part.x);
  const y = Math.max(box.y, part.y);
  const right = Math.min(box.x + box.width, part.x + part.width);
  const bottom = Math.min(box.y + box.height, part.y + part.height);
  return { x, y, width: right - x, height: bottom - y };
}

function boxCell(box: PlacedBox, at: Rect): string {
  const { key, title, detail } = box.spec;
  const style = `rounded=1;arcSize=2;whiteSpace=wrap;verticalAlign=top;align=left;spacingLeft=8;fontStyle=1;fillColor=${PALETTE.box};strokeColor=${PALETTE.boxLine}`;
  return vertex(`box:${key}`, [title, detail], { style, at });
}

function tileCells(box: PlacedBox, { shown, part }: { shown: ReadonlySet<string>; part: Rect }): string[] {
  const style = `rounded=1;arcSize=6;whiteSpace=wrap;fillColor=${PALETTE.tile};strokeColor=${PALETTE.tileLine}`;
  return box.tiles
    .filter((tile) => shown.has(tile.spec.node.id) && meet(tile, part))
    .map((tile: PlacedTile) => {
      const { key, node, address } = tile.spec;
      return vertex(`tile:${box.spec.key}:${key}`, [node.label, address === null ? "" : lastPart(address)], {
        style,
        at: tile,
      });
    });
}

function vertex(id: string, lines: readonly string[], { style, at }: { style: string; at: Rect }): string {
  const value = lines.filter((line) => line !== "").join("\n");
  const geometry = `<mxGeometry x="${at.x}" y="${at.y}" width="${at.width}" height="${at.height}" as="geometry"/>`;
  return `<mxCell id="${escaped(id)}" value="${attribute(value)}" style="${style}" vertex="1" parent="1">${geometry}</mxCell>`;
}

function lineCell(from: string, to: string, { index, points }: { index: number; points: readonly Point[] }): string {
  const colour = PALETTE.lines[index % PALETTE.lines.length] ?? PALETTE.accent;
  const style = `edgeStyle=none;endArrow=none;strokeWidth=2;strokeColor=${colour};exitX=0.5;exitY=1`;
  const between = points.slice(1).map(({ x, y }) => `<mxPoint x="${x}" y="${y}"/>`);
  const geometry = `<mxGeometry relative="1" as="geometry"><Array as="points">${between.join("")}</Array></mxGeometry>`;
  const ends = `source="${escaped(`box:${from}`)}" target="${escaped(`box:${to}`)}"`;
  return `<mxCell id="${escaped(`line:${from}:${to}`)}" style="${style}" edge="1" parent="1" ${ends}>${geometry}</mxCell>`;
}

/** A link with the ports at both ends as its text. */
function linkCell({ from, to, points, isInside }: PlacedLink, words: LinkWords | null): string[] {
  if (words === null) return [];
  const { colour, width, dashes } = lookOfLink(words, "light");
  const dashed = dashes === undefined ? "" : `;dashed=1;dashPattern=${dashes.join(" ")}`;
  const style = `edgeStyle=none;endArrow=none;fontSize=10;align=left;strokeWidth=${width};strokeColor=${colour}${dashed}`;
  const value = [words.there, words.here, words.speed, words.vlans].filter((text) => text !== "").join(", ");
  const pointAt = ({ x, y }: Point, as: string): string => `<mxPoint x="${x}" y="${y}" as="${as}"/>`;
  const first = points[0] ?? { x: 0, y: 0 };
  const last = points.at(-1) ?? first;
  const between = points.slice(1, -1).map(({ x, y }) => `<mxPoint x="${x}" y="${y}"/>`);
  const ends = pointAt(first, "sourcePoint") + pointAt(last, "targetPoint");
  const geometry = `<mxGeometry relative="1" as="geometry">${ends}<Array as="points">${between.join("")}</Array></mxGeometry>`;
  const id = escaped(`link:${from}:${isInside ? "tile" : "box"}:${to}`);
  return [`<mxCell id="${id}" value="${attribute(value)}" style="${style}" edge="1" parent="1">${geometry}</mxCell>`];
}

/** In an attribute, line breaks would become spaces. */
function attribute(text: string): string {
  return escaped(text).replaceAll("\n", "&#10;");
}
