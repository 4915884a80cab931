import type { Size } from "./camera.js";
import type { Icon } from "./icons.js";
import { createWidths, DASHES, FONT, OUTLINE, type Surface } from "./surface.js";

type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SvgSurface extends Surface {
  /** The file. */
  svg(size: Size): string;
}

/** Draws into an SVG file that needs nothing else. @param measure the width of a text in a CSS font */
export function svgSurface(measure: (value: string, font: string) => number): SvgSurface {
  const elements: string[] = [];
  const icons = new Map<string, Icon>();
  let opacity = 1;
  const add = (element: string, attributes: Attributes, inside = ""): void => {
    const all: Attributes = { ...attributes, ...(opacity < 1 && { opacity }) };
    const written = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : ` ${name}="${typeof value === "number" ? round(value) : escaped(value)}"`,
    );
    elements.push(`<${element}${written.join("")}${inside === "" ? "/>" : `>${inside}</${element}>`}`);
  };
  return {
    get opacity() {
      return opacity;
    },
    set opacity(next) {
      opacity = next;
    },
    rect({ x, y, width, height }, { fill = "none", line, lineWidth = 1, radius = 0, isDashed = false }) {
      const stroke = line === undefined ? {} : { stroke: line, "stroke-width": lineWidth };
      const dashes = isDashed ? { "stroke-dasharray": DASHES.join(" ") } : {};
      add("rect", { x, y, width, height, fill, ...(radius > 0 && { rx: radius }), ...stroke, ...dashes });
    },
    line(points, { colour, width, dashes }) {
      const path = points.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ");
      const dashed = dashes === undefined ? {} : { "stroke-dasharray": dashes.join(" ") };
      add("polyline", { points: path, fill: "none", stroke: colour, "stroke-width": width, ...dashed });
    },
    text(value, { x, y }, { size, weight, colour, align = "left" }) {
      const anchor = { left: undefined, center: "middle", right: "end" }[align];
      const look = { "font-size": size, "font-weight": weight, "text-anchor": anchor, fill: colour };
      add("text", { x, y, ...look }, escaped(value));
    },
    icon(icon, { x, y }, { size, colour }) {
      icons.set(icon.name, icon);
      add("use", { href: `#${idOf(icon)}`, x, y, width: size, height: size, color: colour });
    },
    widthOf: createWidths(measure),
    svg: ({ width, height }) => {
      const symbols = [...icons.values()].map(symbolOf).join("");
      const view = `viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}"`;
      const head = `<svg xmlns="http://www.w3.org/2000/svg" ${view} font-family="${FONT}">`;
      return `${head}\n<defs>${symbols}</defs>\n${elements.join("\n")}\n</svg>\n`;
    },
  };
}

function idOf({ name }: Icon): string {
  return `icon-${name.replaceAll(/[^A-Za-z0-9]/g, (letter) => `_${letter.codePointAt(0) ?? 0}`)}`;
}

function symbolOf(icon: Icon): string {
  const look = icon.isFilled
    ? 'fill="currentColor"'
    : `fill="none" stroke="currentColor" stroke-width="${OUTLINE}" stroke-linecap="round" stroke-linejoin="round"`;
  return `<symbol id="${idOf(icon)}" viewBox="0 0 ${icon.units} ${icon.units}"><path d="${icon.path}" ${look}/></symbol>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for XML, which some control characters cannot be in. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\u{fffd}")
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
