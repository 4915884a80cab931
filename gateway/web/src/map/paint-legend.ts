import type { Rect } from "./geometry.js";
import { PALETTES } from "./colours.js";
import { legendOf } from "./legend-entries.js";
import type { Look } from "./look.js";
import type { Surface } from "./surface.js";

const SIZE = 12;
const MARK = 10;
const GAP = 18;

/** The legend of a file, in one row as far as it fits. */
export function paintLegend(surface: Surface, look: Look, { x, y, width, height }: Rect): void {
  const text = { size: SIZE, weight: 400, colour: PALETTES[look.scheme].text } as const;
  const middle = y + height / 2;
  let left = x;
  for (const { name, colour, kind, dashes } of legendOf(look)) {
    const end = left + MARK + 6 + surface.widthOf(name, text);
    if (end > x + width) return;
    const mark = { x: left, y: middle - MARK / 2, width: MARK, height: MARK };
    if (kind === "line")
      surface.line(
        [
          { x: left, y: middle },
          { x: left + MARK, y: middle },
        ],
        { colour, width: 2, dashes },
      );
    else if (kind === "fill") surface.rect(mark, { radius: 3, fill: colour });
    else surface.rect(mark, { radius: 3, line: colour, lineWidth: 2, isDashed: dashes !== undefined });
    surface.text(name, { x: left + MARK + 6, y: middle + SIZE * 0.35 }, text);
    left = end + GAP;
  }
}
