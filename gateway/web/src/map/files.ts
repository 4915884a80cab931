import type { Rect } from "./geometry.js";
import type { Camera, Size } from "./camera.js";
import { canvasSurface } from "./canvas-surface.js";
import { PALETTES } from "./colours.js";
import { legendHeight, paintLegend } from "./paint-legend.js";
import { drawIoOf } from "./draw-io.js";
import type { Look } from "./look.js";
import { paint } from "./paint.js";
import type { Surface } from "./surface.js";
import { svgSurface } from "./svg-surface.js";

// The map as a file: the same picture, drawn at a size at which everything can be read.

export type Format = "svg" | "png" | "drawio";

/** Pixels of the longer side that browsers can surely draw. */
const MOST_PIXELS = 8_192;
const MARGIN = 24;
const TITLE = { size: 22, height: 44 } as const;
/** Below the legend. */
const FOOT = 12;
/** The height of a legend for which there is surely room. */
const ROOM = 100;
/** Lines at the edge of a part are drawn whole. */
const BORDER = 2;

interface Page {
  readonly camera: Camera;
  readonly size: Size;
  /** The height of the legend with what is below it. */
  readonly legend: number;
}

/** @param part of the map @param most the largest side in pixels */
function pageOf(surface: Surface, look: Look, { part, most }: { part: Rect; most: number }): Page {
  const scale = Math.min(1, (most - 2 * MARGIN - TITLE.height - ROOM) / Math.max(part.width, part.height));
  const legend = legendHeight(surface, look, part.width * scale) + FOOT;
  return {
    legend,
    camera: { scale, left: MARGIN - part.x * scale, top: MARGIN + TITLE.height - part.y * scale },
    size: {
      width: part.width * scale + 2 * MARGIN,
      height: part.height * scale + 2 * MARGIN + TITLE.height + legend,
    },
  };
}

function paintPage(
  surface: Surface,
  look: Look,
  { title, page: { camera, size, legend } }: { title: string; page: Page },
): void {
  const { background, text } = PALETTES[look.scheme];
  const { width, height } = size;
  surface.rect({ x: 0, y: 0, ...size }, { fill: background });
  paint(surface, look, camera, { width, height: height - legend });
  // What a part of the map cuts through ends at its edge.
  const top = MARGIN + TITLE.height;
  const bottom = height - legend - MARGIN;
  for (const strip of [
    { x: 0, y: 0, width, height: top - BORDER },
    { x: 0, y: bottom + BORDER, width, height: height - bottom - BORDER },
    { x: 0, y: 0, width: MARGIN - BORDER, height },
    { x: width - MARGIN + BORDER, y: 0, width: MARGIN - BORDER, height },
  ])
    surface.rect(strip, { fill: background });
  surface.text(title, { x: MARGIN, y: MARGIN + TITLE.size }, { size: TITLE.size, weight: 600, colour: text });
  paintLegend(surface, look, { x: MARGIN, y: height - legend, width: width - 2 * MARGIN });
}

/** @param part of the map @throws Error if the browser cannot draw it */
export async function fileOf(
  format: Format,
  look: Look,
  { title, part }: { title: string; part: Rect },
): Promise<Blob> {
  switch (format) {
    case "svg":
      return new Blob([svgOf(look, title, { part, measure: measured() })], { type: "image/svg+xml" });
    case "png":
      return pngOf(look, title, part);
    case "drawio":
      return new Blob([drawIoOf(look, title, part)], { type: "application/vnd.jgraph.mxfile" });
  }
}

export function svgOf(
  look: Look,
  title: string,
  { part, measure }: { part: Rect; measure: (value: string, font: string) => number },
): string {
  const surface = svgSurface(measure);
  const page = pageOf(surface, look, { part, most: Infinity });
  paintPage(surface, look, { title, page });
  return surface.svg(page.size);
}

function measured(): (value: string, font: string) => number {
  const context = contextOf(document.createElement("canvas"));
  return (value, font) => {
    context.font = font;
    return context.measureText(value).width;
  };
}

function pngOf(look: Look, title: string, part: Rect): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const surface = canvasSurface(contextOf(canvas), () => 1);
  const page = pageOf(surface, look, { part, most: MOST_PIXELS });
  canvas.width = Math.ceil(page.size.width);
  canvas.height = Math.ceil(page.size.height);
  paintPage(surface, look, { title, page });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("The picture is too large for the browser."));
      else resolve(blob);
    }, "image/png");
  });
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser cannot draw.");
  return context;
}

/** Downloads a file. */
export function save(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
