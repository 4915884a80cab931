import type { Point, Rect } from "../geometry.js";
import { createWidths, type RectLook, type Surface } from "../surface.js";

export interface Recording extends Surface {
  readonly rects: readonly ({ readonly at: Rect } & RectLook)[];
  readonly texts: readonly { readonly value: string; readonly at: Rect; readonly opacity: number }[];
  readonly lines: readonly { readonly points: readonly Point[]; readonly width: number }[];
}

/** Letters as wide as those of common fonts. */
const LETTER = 0.6;
/** Of a text above its baseline, as shares of its size. */
const ABOVE = 0.74;
const BELOW = 0.2;

/** Keeps what is drawn, for tests of where it is. */
export function recording(): Recording {
  const rects: Recording["rects"][number][] = [];
  const texts: Recording["texts"][number][] = [];
  const lines: Recording["lines"][number][] = [];
  const widthOf = createWidths((value, font) => value.length * LETTER * Number(/(\d+)px/.exec(font)?.[1]));
  return {
    opacity: 1,
    rects,
    texts,
    lines,
    rect: (at, look) => void rects.push({ at, ...look }),
    icon: () => undefined,
    line: (points, { width }) => void lines.push({ points, width }),
    text(value, { x, y }, { size, weight, align = "left" }) {
      if (value === "") return;
      const width = widthOf(value, { size, weight });
      const left = { left: x, center: x - width / 2, right: x - width }[align];
      texts.push({
        value,
        at: { x: left, y: y - size * ABOVE, width, height: size * (ABOVE + BELOW) },
        opacity: this.opacity,
      });
    },
    widthOf,
  };
}
