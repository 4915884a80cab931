import type { BoxSpec, TileSpec } from "./boxes.js";
import type { Point, Rect } from "./geometry.js";
import type { Hanging } from "./link-words.js";

// Lines from a device to what hangs on it, at right angles, as a comb: down a trunk at the left, along the row, and down to each
// thing in it. Those of one device lie on each other up to where they part; beside the last part stand the ports at both ends.

export interface PlacedLink {
  /** Key of the box of the device. */
  readonly from: string;
  /** Key of the box or tile that hangs on it. */
  readonly to: string;
  readonly hostId: string;
  readonly hanging: Hanging;
  /** From the device down. */
  readonly points: readonly Point[];
  /** The room for the ports. */
  readonly label: Rect;
  /** Whether it is in the box of the device. */
  readonly isInside: boolean;
}

/** In map units. Of rows of boxes; those of tiles are in the padding of their box. */
export const TRUNK = { x: 14, indent: 40, above: 24 } as const;
/** Of the room for ports: a line of text, and what is below the last one. */
export const STUB = { line: 14, below: 12, x: 14, gap: 6 } as const;
/** Of one's own further links. */
const MOST_OTHERS = 4;

/** The height of the room above something for the line on which it hangs. */
export function stubHeight(hanging: Hanging | null): number {
  return hanging === null ? 0 : (2 + Math.min(MOST_OTHERS, hanging.others.length)) * STUB.line + STUB.below;
}

/** Lines of text about further links, as far as there is room. */
export function fittingOthers(texts: readonly string[]): readonly string[] {
  if (texts.length <= MOST_OTHERS) return texts;
  return [...texts.slice(0, MOST_OTHERS - 1), `and ${texts.length - MOST_OTHERS + 1} more`];
}

/** Something that hangs on a device. */
export interface Tooth extends Rect {
  readonly spec: TileSpec | BoxSpec;
  readonly stub: number;
  readonly isInside: boolean;
}

/** @param top where the trunk begins */
export function comb(from: string, top: Point, teeth: readonly Tooth[]): PlacedLink[] {
  return teeth.flatMap(({ spec, stub, isInside, x, y, width }): PlacedLink[] => {
    const { key, hanging } = spec;
    const hostId = "node" in spec ? spec.node.id : spec.nodeId;
    if (hanging === null || hostId === null) return [];
    const row = isInside ? Math.max(top.y, y - stub) : y - stub;
    const at = x + STUB.x;
    const points = [top, { x: top.x, y: row }, { x: at, y: row }, { x: at, y }];
    const label = { x: at + STUB.gap, y: row, width: width - STUB.x - STUB.gap, height: y - row };
    return [{ from, to: key, hostId, hanging, points, label, isInside }];
  });
}

export function movedLink(link: PlacedLink, shift: <T extends Point>(one: T) => T): PlacedLink {
  return { ...link, points: link.points.map((point) => shift(point)), label: shift(link.label) };
}
