import type { Point } from "./geometry.js";
import type { MapView } from "./map-view.js";

// Mouse, touch and wheel: dragging moves the map, or what is under the pointer; the wheel and two fingers zoom.

/** Pixels that a pointer may move while it clicks. */
const STILL = 4;
const WHEEL_STEP = 0.0016;
/** Of a wheel that counts lines. */
const LINE_HEIGHT = 20;
const DOUBLE_CLICK = 1.8;

export interface Gestures {
  readonly onClick: (at: Point) => void;
  /** Null when the pointer leaves. */
  readonly onPoint: (at: Point | null) => void;
  /** @returns true if that was all that the double click does */
  readonly onDouble: (at: Point) => boolean;
  /** What dragging from a point moves; null for the map. */
  readonly grab: (at: Point) => Grabbed | null;
}

/** Something that is being dragged. */
export interface Grabbed {
  /** @param dx, dy pixels from where it was */
  move(dx: number, dy: number): void;
  /** @param isDone false if it stays where it was */
  drop(isDone: boolean): void;
}

/** @returns removes the listeners */
export function listenTo(element: HTMLElement, view: MapView, gestures: Gestures): () => void {
  const { onClick, onPoint } = gestures;
  const pointers = new Map<number, Point>();
  let travelled = 0;
  let held: { readonly grabbed: Grabbed; readonly from: Point } | null = null;

  function release(isDone: boolean): void {
    held?.grabbed.drop(isDone && travelled >= STILL);
    held = null;
  }

  const pointOf = (event: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };

  function onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = pointOf(event);
    if (pointers.size === 0) {
      travelled = 0;
      const grabbed = gestures.grab(at);
      held = grabbed === null ? null : { grabbed, from: at };
    } else release(false);
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at);
  }

  function onPointerMove(event: PointerEvent): void {
    const at = pointOf(event);
    const before = pointers.get(event.pointerId);
    if (before === undefined) {
      onPoint(at);
      return;
    }
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    pointers.set(event.pointerId, at);
    travelled += Math.hypot(at.x - before.x, at.y - before.y);
    if (travelled < STILL) return;
    onPoint(null);
    if (held !== null) held.grabbed.move(at.x - held.from.x, at.y - held.from.y);
    else if (other === undefined) view.move(at.x - before.x, at.y - before.y);
    else pinch(before, at, other);
  }

  function pinch(before: Point, at: Point, other: Point): void {
    const distance = (a: Point): number => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
    view.move((at.x - before.x) / 2, (at.y - before.y) / 2);
    view.zoom(distance(at) / distance(before), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
  }

  function onUp(event: PointerEvent): void {
    const wasDown = pointers.delete(event.pointerId);
    release(event.type === "pointerup");
    if (wasDown && event.type === "pointerup" && travelled < STILL) onClick(pointOf(event));
  }

  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    const by = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * LINE_HEIGHT : event.deltaY;
    // two fingers on a touchpad are a wheel with the control key, and turn it less
    view.zoom(Math.exp(-by * WHEEL_STEP * (event.ctrlKey ? 5 : 1)), pointOf(event));
  }

  const onDouble = (event: MouseEvent): void => {
    const at = pointOf(event);
    if (!gestures.onDouble(at)) view.zoom(DOUBLE_CLICK, at);
  };
  const onLeave = (): void => onPoint(null);
  const stopped = new AbortController();
  const { signal } = stopped;
  element.addEventListener("pointerdown", onDown, { signal });
  element.addEventListener("pointermove", onPointerMove, { signal });
  element.addEventListener("pointerup", onUp, { signal });
  element.addEventListener("pointercancel", onUp, { signal });
  element.addEventListener("pointerleave", onLeave, { signal });
  element.addEventListener("dblclick", onDouble, { signal });
  element.addEventListener("wheel", onWheel, { signal, passive: false });
  return () => stopped.abort();
}
