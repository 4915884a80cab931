import type { Point, Rect } from "./geometry.js";
import type { Icon } from "./icons.js";

// What the map is drawn on: a canvas, or a file.

export interface RectLook {
  readonly fill?: string;
  readonly line?: string;
  readonly lineWidth?: number;
  readonly radius?: number;
  readonly isDashed?: boolean;
}

export interface TextLook {
  readonly size: number;
  readonly weight: 400 | 600;
  readonly colour: string;
  readonly align?: "left" | "right" | "center";
}

export interface LineLook {
  readonly colour: string;
  readonly width: number;
  /** Lengths of dashes and gaps, in pixels; absent for an unbroken line. */
  readonly dashes?: readonly number[] | undefined;
}

/** In pixels, with `y` downwards. */
export interface Surface {
  /** 0 to 1, of what is drawn next. */
  opacity: number;
  rect(at: Rect, look: RectLook): void;
  line(points: readonly Point[], look: LineLook): void;
  /** @param at the left, right or middle of the baseline, by the alignment */
  text(value: string, at: Point, look: TextLook): void;
  /** @param at the upper left corner */
  icon(icon: Icon, at: Point, look: { readonly size: number; readonly colour: string }): void;
  /** Pixels. */
  widthOf(value: string, look: Pick<TextLook, "size" | "weight">): number;
}

export const FONT = "Inter, system-ui, 'Segoe UI', Roboto, sans-serif";
/** Of the outlines of icons, in their square. */
export const OUTLINE = 2;
export const DASHES = [4, 3] as const;

/** The size at which texts are measured; widths are proportional to it. */
const MEASURED = 20;
const MOST_KEPT = 20_000;

/** Widths of texts, kept because measuring is the dearest part of drawing one. */
export function createWidths(measure: (value: string, font: string) => number): Surface["widthOf"] {
  const widths = new Map<string, number>();
  return (value, { size, weight }) => {
    const key = `${weight} ${value}`;
    let width = widths.get(key);
    if (width === undefined) {
      width = measure(value, `${weight} ${MEASURED}px ${FONT}`) / MEASURED;
      if (widths.size >= MOST_KEPT) widths.clear();
      widths.set(key, width);
    }
    return width * size;
  };
}

const ELLIPSIS = "…";
/** What tells numbered things apart. */
const NUMBER = /[\d.:-]*\d$/;

/** As `fittingText`, of a name, with the number at its end: `ho…12` rather than `host…`. */
export function fittingName(surface: Pick<Surface, "widthOf">, name: string, room: Room): string {
  const shown = fittingText(surface, name, room);
  const [number] = NUMBER.exec(name.slice(-MOST_NUMBER)) ?? [];
  if (shown === name || number === undefined || number.length === name.length) return shown;
  const width = room.width - surface.widthOf(number, room);
  const start = fittingText(surface, name.slice(0, -number.length), { ...room, width });
  return start === "" ? shown : `${start.endsWith(ELLIPSIS) ? start : `${start}${ELLIPSIS}`}${number}`;
}

/** Characters of such a number. */
const MOST_NUMBER = 6;

type Room = { readonly width: number } & Pick<TextLook, "size" | "weight">;

/** The longest beginning of a text that fits, with an ellipsis; empty if not even one letter does. */
export function fittingText({ widthOf }: Pick<Surface, "widthOf">, value: string, { width, ...look }: Room): string {
  if (widthOf(value, look) <= width) return value;
  const letters = [...value];
  // letters are about half as wide as high
  let count = Math.min(letters.length - 1, Math.floor(width / (0.4 * look.size)));
  while (count > 0 && widthOf(`${letters.slice(0, count).join("")}${ELLIPSIS}`, look) > width) count--;
  return count <= 0 ? "" : `${letters.slice(0, count).join("").trimEnd()}${ELLIPSIS}`;
}
