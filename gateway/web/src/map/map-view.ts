import type { Point, Rect } from "./geometry.js";
import { type Camera, centred, encloses, fitted, kept, middleOf, type Size, visiblePart, zoomed } from "./camera.js";
import { canvasSurface } from "./canvas-surface.js";
import { PALETTES } from "./colours.js";
import type { PlacedBox, PlacedTile } from "./layout.js";
import type { Look } from "./look.js";
import { paint } from "./paint.js";
import { headerAt, hitAt, type Movable, movableAt, type Projection } from "./projection.js";

// The map on a canvas, with its camera. Drawn once per frame in which something has changed.

/** What is at a point of the canvas. */
export type Hit = PlacedTile | PlacedBox | null;

export function isTile(hit: PlacedTile | PlacedBox): hit is PlacedTile {
  return "node" in hit.spec;
}

/** The node of what is at a point; null for boxes that stand for none. */
export function idOf(hit: Hit): string | null {
  if (hit === null) return null;
  return isTile(hit) ? hit.spec.node.id : hit.spec.nodeId;
}

export interface MapView {
  /** Draws something else, in view as before; the first time, and as long as everything was in view, all of it. */
  show(look: Look): void;
  resize(size: Size, pixelRatio: number): void;
  move(dx: number, dy: number): void;
  /** @param at the point of the canvas that stays; without it the middle */
  zoom(factor: number, at?: Point): void;
  /** @param part without it, everything. @param most the largest scale */
  fit(part?: Rect, most?: number): void;
  /** Moves a point of the map to the middle, at once. */
  centre(at: Point): void;
  hit(at: Point): Hit;
  /** The box whose header is at a point. */
  header(at: Point): PlacedBox | null;
  movable(at: Point): Movable | null;
  /** Shows where something would be. */
  outline(at: Rect | null): void;
  /** Draws without waiting for the next frame, at the end of a movement. */
  drawNow(): void;
  readonly size: Size;
  /** The part of the map in view. */
  readonly visible: Rect;
  /** Whether everything is in view. */
  readonly isWhole: boolean;
  stop(): void;
}

const MOVE_MS = 300;

/** @param onMove after each frame in which the camera has moved */
export function createMapView(canvas: HTMLCanvasElement, onMove: () => void): MapView {
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("The browser cannot draw.");
  let pixelRatio = 1;
  const surface = canvasSurface(context, () => pixelRatio);
  let look: Look | null = null;
  let size: Size = { width: 0, height: 0 };
  let camera: Camera = { scale: 1, left: 0, top: 0 };
  let projection: Projection | null = null;
  /** Everything stays in view when something else is shown. */
  let followsWhole = true;
  let outlined: Rect | null = null;
  let frame = 0;
  let flight: { readonly from: Camera; readonly to: Camera; readonly since: number } | null = null;

  const bounds = (): Rect => look?.layout.bounds ?? { x: 0, y: 0, width: 1, height: 1 };
  const limits = () => ({ whole: bounds(), size });

  function schedule(): void {
    frame ||= requestAnimationFrame(draw);
  }

  function draw(now: number): void {
    frame = 0;
    if (look === null || context === null || size.width === 0) return;
    if (flight !== null) {
      const share = Math.min(1, (now - flight.since) / MOVE_MS);
      camera = between(flight, eased(share), size);
      if (share === 1) flight = null;
      else schedule();
    }
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = PALETTES[look.scheme].background;
    context.fillRect(0, 0, size.width, size.height);
    projection = paint(surface, look, camera, size);
    if (outlined !== null) {
      const { accent } = PALETTES[look.scheme];
      surface.rect(outlined, { line: accent, lineWidth: 2, radius: 6, isDashed: true });
    }
    onMove();
  }

  /** Moves the camera at once. */
  function set(next: Camera, whole: boolean): void {
    flight = null;
    camera = kept(next, limits());
    followsWhole = whole;
    schedule();
  }

  function fly(to: Camera, whole: boolean): void {
    followsWhole = whole;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill) set(to, whole);
    else flight = { from: camera, to, since: performance.now() };
    schedule();
  }

  return {
    show: (next) => {
      const isNew = look?.layout !== next.layout;
      look = next;
      if (isNew && followsWhole) camera = fitted(bounds(), size);
      schedule();
    },
    resize: (next, ratio) => {
      if (next.width === size.width && next.height === size.height && ratio === pixelRatio) return;
      const middle = middleOf(camera, size);
      const wasEmpty = size.width === 0;
      size = next;
      pixelRatio = ratio;
      canvas.width = Math.round(size.width * ratio);
      canvas.height = Math.round(size.height * ratio);
      camera = followsWhole || wasEmpty ? fitted(bounds(), size) : centred(middle, camera.scale, size);
      schedule();
    },
    move: (dx, dy) => set({ ...camera, left: camera.left + dx, top: camera.top + dy }, false),
    zoom: (factor, at = { x: size.width / 2, y: size.height / 2 }) => set(zoomed(camera, factor, at, limits()), false),
    fit: (part, most) => fly(fitted(part ?? bounds(), size, most), part === undefined),
    centre: (at) => set(centred(at, camera.scale, size), false),
    hit: (at) => (projection === null ? null : hitAt(projection, at)),
    header: (at) => (projection === null ? null : headerAt(projection, at)),
    movable: (at) => (projection === null ? null : movableAt(projection, at)),
    outline: (at) => {
      outlined = at;
      schedule();
    },
    drawNow: () => {
      if (flight !== null) camera = flight.to;
      flight = null;
      cancelAnimationFrame(frame);
      draw(performance.now());
    },
    get size() {
      return size;
    },
    get visible() {
      return visiblePart(camera, size);
    },
    get isWhole() {
      return encloses(visiblePart(camera, size), bounds());
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

function eased(share: number): number {
  return 1 - (1 - share) ** 3;
}

/** A camera on the way from one to another. */
function between({ from, to }: { readonly from: Camera; readonly to: Camera }, share: number, size: Size): Camera {
  if (share === 1) return to;
  const scale = from.scale * (to.scale / from.scale) ** share;
  const start = middleOf(from, size);
  const end = middleOf(to, size);
  const at = { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
  return centred(at, scale, size);
}
