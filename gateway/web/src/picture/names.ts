import type { Attributes } from "graphology-types";
import type Sigma from "sigma";
import type { NodeLabelDrawingFunction } from "sigma/rendering";
import { detailBeside } from "../parts/detail.js";
import type { Palette } from "./colours.js";
import { discsSeen, fontOf, type Labelled, text } from "./drawing.js";
import {
  type Box,
  createRoom,
  type Measure,
  roomForHost,
  type Rooms,
  shortened,
  labelsForHost,
  labelsForService,
  write,
} from "./labels.js";
import type { Disc, Place } from "./layout.js";

// Labels of areas, hosts and services, as many as fit at the current zoom.

/** Pixels of an area below which its label would be wider than the area. */
const LEAST_AREA = 34;

/** Pixels of an area below which labels have a single line. */
const LEAST_WITH_BLOCK = 48;

/** Pixels of a node's radius from which it is labelled, and from which services show ports. */
const NAMED = { host: 3, service: 5.5, ports: 7 } as const;

/** Zoom limits relative to the view of everything; close enough to label every host. */
export const ZOOM = { nearest: 0.01, farthest: 2 } as const;

/** Pixels of a radius below which nothing is labelled. */
export const LEAST_NAMED = NAMED.host;

/** Draws the labels of subnets above their areas, largest first, as far as they fit. */
function nameDiscs(
  sigma: Sigma,
  context: CanvasRenderingContext2D,
  discs: readonly Disc[],
  { palette, rooms }: { palette: Palette; rooms: Rooms },
): void {
  const { left, right } = rooms.window;
  for (const { disc, x, y, r } of discsSeen(sigma, discs).sort((a, b) => b.r - a.r)) {
    if (disc.kind === "network" || r < LEAST_AREA) continue;
    const size = Math.min(14, Math.max(11, r / 9));
    const [name, cidr] = disc.subnet === null ? ["No address", ""] : [disc.subnet.label, disc.subnet.cidr];
    const block = r < LEAST_WITH_BLOCK ? "" : detailBeside(name, cidr);
    const over = y - r - (block === "" ? 5 : 7 + size * 0.85);
    const value = shortened(name, Math.max(12, r / (size * 0.3)));
    const half = Math.max(measureIn(context, 600, size)(value), measureIn(context, 400, size * 0.85)(block)) / 2;
    const middle = Math.min(Math.max(x, left + half), Math.max(left + half, right - half));
    const box = { left: middle - half, top: over - size, right: middle + half, bottom: y - r };
    if (!rooms.names.isFree(box)) continue;
    rooms.names.take(box);
    text(context, palette, { value, x: middle, y: over, size, weight: 600 });
    text(
      context,
      { ...palette, text: palette.dimText },
      { value: block, x: middle, y: y - r - 5, size: size * 0.85, weight: 400 },
    );
  }
}

/** State of one frame, because sigma requests labels one by one. */
export interface Frame {
  /** Before sigma draws. */
  begin(): void;
  /** After sigma has drawn. */
  end(): void;
  readonly drawLabel: NodeLabelDrawingFunction;
}

interface Framed {
  readonly sigma: () => Sigma | null;
  readonly palette: () => Palette;
  readonly discs: () => readonly Disc[];
  /** What labels must avoid. */
  readonly places: () => Iterable<readonly [kind: string, place: Place]>;
}

/** Pixels of the corner with the zoom buttons. */
const BUTTONS = { width: 54, height: 134 } as const;

const NOTHING: Box = { left: 0, top: 0, right: 0, bottom: 0 };

/** Draws labels without overlaps: of areas, of hosts, and at high zoom of services. */
export function createFrame({ sigma, palette, discs, places }: Framed): Frame {
  const names = createRoom();
  const dots = createRoom();
  let rooms: Rooms = { names, dots, window: NOTHING };
  let isPrepared = false;
  const waiting: (() => void)[] = [];

  /** Positions are only known while sigma draws. */
  function prepare(context: CanvasRenderingContext2D): void {
    const made = sigma();
    if (isPrepared || made === null) return;
    isPrepared = true;
    const { width, height } = made.getDimensions();
    rooms = { names, dots, window: { left: 0, top: 0, right: width, bottom: height } };
    names.take({ left: width - BUTTONS.width, top: height - BUTTONS.height, right: width, bottom: height });
    // areas first, even over other dots: from afar, only they are readable
    nameDiscs(made, context, discs(), { palette: palette(), rooms });
    takeDots(made, places(), rooms);
  }

  return {
    begin: () => {
      names.clear();
      dots.clear();
      waiting.length = 0;
      isPrepared = false;
    },
    end: () => {
      const context = sigma()?.getCanvases()["labels"]?.getContext("2d");
      if (context) prepare(context);
      // hosts take precedence over services
      for (const draw of waiting) draw();
    },
    drawLabel: (context, data) => {
      prepare(context);
      const { isFaded, kind } = data as Attributes as Labelled;
      // the subnet's area has its label
      if (data.label === null || data.label === "" || isFaded === true || kind === "subnet") return;
      const draw = (): void => drawName(context, data as Attributes as Named, { palette: palette(), rooms });
      if (kind === "host") draw();
      else if (data.size >= NAMED.service) waiting.push(draw);
    },
  };
}

/** Pixels of a service's radius below which labels may cover it. */
const LEAST_DOT = 1;

function takeDots(sigma: Sigma, places: Iterable<readonly [kind: string, place: Place]>, { names, dots }: Rooms): void {
  const { width, height } = sigma.getDimensions();
  const origin = sigma.graphToViewport({ x: 0, y: 0 });
  const unit = sigma.graphToViewport({ x: 1, y: 0 }).x - origin.x;
  for (const [kind, place] of places) {
    const x = origin.x + place.x * unit;
    const y = origin.y - place.y * unit;
    const r = place.r * unit;
    if (x + r < 0 || y + r < 0 || x - r > width || y - r > height) continue;
    const box: Box = { left: x - r, top: y - r, right: x + r, bottom: y + r };
    if (kind !== "service") names.take(box);
    else if (r >= LEAST_DOT) dots.take(box);
  }
}

interface Named extends Labelled {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly label: string;
}

function drawName(
  context: CanvasRenderingContext2D,
  node: Named,
  { palette, rooms }: { palette: Palette; rooms: Rooms },
): void {
  const { x, y, size: r, label, kind, room = 1, side = "right", ports = "" } = node;
  const isHost = kind === "host";
  const below = roomForHost(r, room);
  const [weight, size] = isHost ? [600, below.size] : [400, Math.min(13, Math.max(9, r * 1.1))];
  const measure = measureIn(context, weight, size);
  const ways = isHost
    ? labelsForHost({ x, y, r }, label, { ...below, measure })
    : labelsForService({ x, y, r }, label, { size, side, ports: r < NAMED.ports ? "" : ports, measure });
  const way = write(ways, rooms);
  if (way === null) return;
  const { box, lines, align } = way;
  const at = { left: box.left, center: (box.left + box.right) / 2, right: box.right }[align];
  const step = (box.bottom - box.top) / lines.length;
  for (const [index, value] of lines.entries())
    text(context, palette, { value, x: at, y: box.top + step * (index + 0.8), size, weight, align });
}

/** Widths are cached, because measuring is the most expensive part of a label. */
const widths = new Map<string, number>();
const MOST_WIDTHS = 20_000;
const MEASURED_SIZE = 20;

function measureIn(context: CanvasRenderingContext2D, weight: number, size: number): Measure {
  return (value) => {
    const key = `${weight} ${value}`;
    let width = widths.get(key);
    if (width === undefined) {
      context.font = fontOf(weight, MEASURED_SIZE);
      width = context.measureText(value).width;
      if (widths.size >= MOST_WIDTHS) widths.clear();
      widths.set(key, width);
    }
    return (width * size) / MEASURED_SIZE;
  };
}
