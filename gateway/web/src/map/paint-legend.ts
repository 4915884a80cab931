import type { Point } from "./geometry.js";
import { PALETTES } from "./colours.js";
import { type LegendEntry, legendOf } from "./legend-entries.js";
import type { Look } from "./look.js";
import type { Surface } from "./surface.js";

const SIZE = 12;
const MARK = 10;
const GAP = 18;
const ROW = 22;

interface PlacedEntry extends LegendEntry {
  readonly left: number;
  readonly row: number;
}

/** In as many rows as the width takes. */
function placed(surface: Surface, look: Look, width: number): PlacedEntry[] {
  let row = 0;
  let end = 0;
  return legendOf(look).map((entry) => {
    const own = MARK + 6 + surface.widthOf(entry.name, { size: SIZE, weight: 400 });
    if (end > 0 && end + own > width) {
      row += 1;
      end = 0;
    }
    const left = end;
    end += own + GAP;
    return { ...entry, left, row };
  });
}

/** Of the legend of a file. */
export function legendHeight(surface: Surface, look: Look, width: number): number {
  return ROW * ((placed(surface, look, width).at(-1)?.row ?? 0) + 1);
}

/** The legend of a file. @param at its upper left corner */
export function paintLegend(surface: Surface, look: Look, { x, y, width }: Point & { readonly width: number }): void {
  const text = { size: SIZE, weight: 400, colour: PALETTES[look.scheme].text } as const;
  for (const { name, colour, kind, dashes, left, row } of placed(surface, look, width)) {
    const mark = { x: x + left, y: y + row * ROW + (ROW - MARK) / 2, width: MARK, height: MARK };
    const middle = mark.y + MARK / 2;
    if (kind === "line")
      surface.line(
        [
          { x: mark.x, y: middle },
          { x: mark.x + MARK, y: middle },
        ],
        { colour, width: 2, dashes },
      );
    else if (kind === "fill") surface.rect(mark, { radius: 3, fill: colour });
    else surface.rect(mark, { radius: 3, line: colour, lineWidth: 2, isDashed: dashes !== undefined });
    surface.text(name, { x: mark.x + MARK + 6, y: middle + SIZE * 0.35 }, text);
  }
}
