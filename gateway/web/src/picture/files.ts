import type { Scene, Shape } from "./scene.js";

// The map as a self-contained file.

const FONT = "Inter, system-ui, 'Segoe UI', Roboto, sans-serif";
const DASHES = [4, 3] as const;

/** Pixels of the longer side. */
const PNG_SIZE = 4_096;

export function svgOf({ width, height, background, shapes }: Scene): string {
  const size = `viewBox="0 0 ${round(width)} ${round(height)}"`;
  const inside = shapes.map(elementOf).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FONT}">\n<rect width="100%" height="100%" fill="${background}"/>\n${inside}\n</svg>\n`;
}

function elementOf(shape: Shape): string {
  const dashes = shape.kind !== "text" && shape.dashes === true ? ` stroke-dasharray="${DASHES.join(" ")}"` : "";
  switch (shape.kind) {
    case "circle": {
      const title = shape.title === undefined ? "" : `<title>${escaped(shape.title)}</title>`;
      const line = shape.line === null ? "" : ` stroke="${shape.line}"${dashes}`;
      return `<circle cx="${round(shape.x)}" cy="${round(shape.y)}" r="${round(shape.r)}" fill="${shape.fill ?? "none"}"${line}>${title}</circle>`;
    }
    case "line":
      return `<line x1="${round(shape.x1)}" y1="${round(shape.y1)}" x2="${round(shape.x2)}" y2="${round(shape.y2)}" stroke="${shape.colour}" stroke-width="${shape.width}"${dashes}/>`;
    case "text": {
      const anchor = shape.isCentred ? "middle" : "start";
      const weight = shape.isBold ? 600 : 400;
      return `<text x="${round(shape.x)}" y="${round(shape.y)}" font-size="${round(shape.size)}" font-weight="${weight}" text-anchor="${anchor}" fill="${shape.colour}">${escaped(shape.value)}</text>`;
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\u{fffd}")
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** @throws Error if the image is too large for the browser */
export async function pngOf(scene: Scene): Promise<Blob> {
  const scale = PNG_SIZE / Math.max(scene.width, scene.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(scene.width * scale);
  canvas.height = Math.round(scene.height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser cannot draw.");
  context.scale(scale, scale);
  context.fillStyle = scene.background;
  context.fillRect(0, 0, scene.width, scene.height);
  for (const shape of scene.shapes) paint(context, shape);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("The picture is too large for the browser."));
      else resolve(blob);
    }, "image/png");
  });
}

function paint(context: CanvasRenderingContext2D, shape: Shape): void {
  context.setLineDash(shape.kind !== "text" && shape.dashes === true ? [...DASHES] : []);
  context.beginPath();
  switch (shape.kind) {
    case "circle":
      context.arc(shape.x, shape.y, shape.r, 0, 2 * Math.PI);
      if (shape.fill !== null) {
        context.fillStyle = shape.fill;
        context.fill();
      }
      if (shape.line !== null) {
        context.strokeStyle = shape.line;
        context.lineWidth = 1;
        context.stroke();
      }
      break;
    case "line":
      context.moveTo(shape.x1, shape.y1);
      context.lineTo(shape.x2, shape.y2);
      context.strokeStyle = shape.colour;
      context.lineWidth = shape.width;
      context.stroke();
      break;
    case "text":
      context.font = `${shape.isBold ? 600 : 400} ${shape.size}px ${FONT}`;
      context.textAlign = shape.isCentred ? "center" : "left";
      context.fillStyle = shape.colour;
      context.fillText(shape.value, shape.x, shape.y);
  }
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
