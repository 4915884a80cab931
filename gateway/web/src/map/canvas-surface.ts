import type { Icon } from "./icons.js";
import { createWidths, DASHES, FONT, OUTLINE, type Surface } from "./surface.js";

const MOST_BITMAPS = 3_000;

/** Draws on a canvas. @param pixelRatio device pixels per pixel */
export function canvasSurface(context: CanvasRenderingContext2D, pixelRatio: () => number): Surface {
  const widthOf = createWidths((value, font) => {
    context.font = font;
    return context.measureText(value).width;
  });
  const bitmaps = createBitmaps();
  return {
    get opacity() {
      return context.globalAlpha;
    },
    set opacity(opacity) {
      context.globalAlpha = opacity;
    },
    rect({ x, y, width, height }, { fill, line, lineWidth = 1, radius = 0, isDashed = false }) {
      if (radius === 0 && line === undefined) {
        context.fillStyle = fill ?? "transparent";
        context.fillRect(x, y, width, height);
        return;
      }
      context.beginPath();
      context.roundRect(x, y, width, height, radius);
      if (fill !== undefined) {
        context.fillStyle = fill;
        context.fill();
      }
      if (line === undefined) return;
      context.strokeStyle = line;
      context.lineWidth = lineWidth;
      if (isDashed) context.setLineDash([...DASHES]);
      context.stroke();
      if (isDashed) context.setLineDash([]);
    },
    line(points, { colour, width, dashes }) {
      context.beginPath();
      for (const { x, y } of points) context.lineTo(x, y);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.lineJoin = "round";
      if (dashes !== undefined) context.setLineDash([...dashes]);
      context.stroke();
      if (dashes !== undefined) context.setLineDash([]);
    },
    text(value, { x, y }, { size, weight, colour, align = "left" }) {
      context.font = `${weight} ${size}px ${FONT}`;
      context.textAlign = align;
      context.fillStyle = colour;
      context.fillText(value, x, y);
    },
    icon(icon, { x, y }, { size, colour }) {
      context.drawImage(bitmaps(icon, { size, colour, ratio: pixelRatio() }), x, y, size, size);
    },
    widthOf,
  };
}

/** Icons as bitmaps, because filling a path is slow. */
function createBitmaps() {
  const bitmaps = new Map<string, HTMLCanvasElement>();
  return (icon: Icon, { size, colour, ratio }: { size: number; colour: string; ratio: number }): HTMLCanvasElement => {
    const pixels = Math.max(1, Math.ceil(size * ratio));
    const key = `${pixels} ${colour} ${icon.name}`;
    let bitmap = bitmaps.get(key);
    if (bitmap === undefined) {
      bitmap = drawn(icon, pixels, colour);
      if (bitmaps.size >= MOST_BITMAPS) bitmaps.clear();
      bitmaps.set(key, bitmap);
    }
    return bitmap;
  };
}

function drawn({ path, units, isFilled }: Icon, pixels: number, colour: string): HTMLCanvasElement {
  const bitmap = document.createElement("canvas");
  bitmap.width = pixels;
  bitmap.height = pixels;
  const context = bitmap.getContext("2d");
  if (context === null) return bitmap;
  context.scale(pixels / units, pixels / units);
  const shape = new Path2D(path);
  if (isFilled) {
    context.fillStyle = colour;
    context.fill(shape);
    return bitmap;
  }
  context.strokeStyle = colour;
  context.lineWidth = OUTLINE;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.stroke(shape);
  return bitmap;
}
