import { around, type Point, type Rect } from "./geometry.js";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { encloses } from "./camera.js";
import type { TileSpec } from "./boxes.js";
import { Crumbs } from "./crumbs.js";
import { STEP } from "./arrangement.js";
import { type Grabbed, listenTo } from "./gestures.js";
import { type Layout, TILE } from "./layout.js";
import type { Look } from "./look.js";
import { createMapView, type Hit, idOf, type MapView } from "./map-view.js";
import classes from "./map.module.css";
import { MiniMap } from "./mini-map.js";
import { type Direction, placeOfAll, placeOfNode, placeToGoFrom, placeToMove, stopBeside } from "./places.js";
import { Tip } from "./tip.js";

/** Imperative functions of the canvas. */
export interface CanvasHandle {
  zoom(factor: number): void;
  /** Fits everything into view. */
  fit(): void;
  /** Moves the camera to a node that is selected with this, and to what it has to do with. */
  show(id: string): void;
  /** The part of the map that is in view; null before it is drawn. */
  visible(): Rect | null;
  /** Draws at once, as finely as paper shows, or as the screen does. */
  print(isPrinting: boolean): void;
}

interface CanvasProps {
  readonly look: Look;
  readonly onSelect: (id: string | null) => void;
  /** Opens the page of a node. */
  readonly onOpen: (id: string) => void;
  /** Dragging moves boxes and tiles. */
  readonly isArranging: boolean;
  /** @param key of a box or tile */
  readonly onMove: (key: string, position: Point) => void;
  /** @param key of a box */
  readonly onCollapse: (key: string, isCollapsed: boolean) => void;
  readonly handle: RefObject<CanvasHandle | null>;
  /** Pixels at the right that a panel covers. */
  readonly covered: number;
}

/** The largest scale at which something is shown that was asked for. */
const CLOSE = 1;
const KEY_ZOOM = 1.4;
/** Dots for each pixel. */
const PAPER_RATIO = 3;

/** By what the selection has changed: keys go on in the view as it is; what is clicked is in it, unlike what is chosen elsewhere. */
type Cause = "key" | "pointer" | "elsewhere";

/** The map. The list beside it is its accessible alternative. */
export function Canvas(props: CanvasProps): ReactNode {
  const { look, onSelect, onOpen, isArranging, onMove, onCollapse, handle, covered } = props;
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<MapView | null>(null);
  const [moves, setMoves] = useState(0);
  const [pointed, setPointed] = useState<{ readonly at: Point; readonly hit: Hit } | null>(null);
  const latest = useRef({ look, onSelect, isArranging, onMove, onCollapse });
  // keys that follow each other do not wait for the page to be drawn
  const selected = useRef(look.selected);
  const cause = useRef<Cause>("elsewhere");
  const fittedTo = useRef<ReadonlySet<string> | null>(null);

  useEffect(() => {
    latest.current = { look, onSelect, isArranging, onMove, onCollapse };
  });

  useEffect(() => {
    selected.current = look.selected;
  }, [look.selected]);

  useEffect(() => {
    const box = element.current;
    const surface = canvas.current;
    if (box === null || surface === null) return undefined;
    const made = createMapView(surface, () => setMoves((count) => count + 1));
    const measure = (): void =>
      made.resize({ width: box.clientWidth, height: box.clientHeight }, window.devicePixelRatio);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    const unlisten = listenTo(surface, made, {
      onClick: (at) => latest.current.onSelect(idOf(made.hit(at))),
      onPoint: (at) => setPointed(at === null ? null : { at, hit: made.hit(at) }),
      onDouble: (at) => {
        const box = made.header(at);
        if (box === null) return false;
        latest.current.onCollapse(box.spec.key, !box.isCollapsed);
        return true;
      },
      grab: (at) => (latest.current.isArranging ? grabbedAt(made, at, latest) : null),
    });
    setView(made);
    return () => {
      unlisten();
      sizes.disconnect();
      made.stop();
    };
  }, []);

  useEffect(() => {
    view?.show(look);
  }, [view, look]);

  // what is lifted is in view, and the selection not under the panel
  const { lifted } = look;
  useEffect(() => {
    if (view === null) return;
    const by = cause.current;
    cause.current = "pointer";
    if (isSame(fittedTo.current, lifted)) return;
    fittedTo.current = lifted;
    const { layout, model, selected: id } = look;
    const all = by === "key" ? null : placeOfAll(layout, lifted);
    const place = id === null || covered === 0 ? null : placeOfNode(layout, model, id);
    if (all !== null && (id === null || by === "elsewhere" || !encloses(view.visible, all)))
      view.fit(beside(all, view, covered), CLOSE);
    else if (place !== null) uncover(view, place, covered);
  }, [view, look, lifted, covered]);

  // what it uses, and by what it is used, is in view as well
  const { relations, layout, shown } = look;
  useEffect(() => {
    if (view === null || relations.length === 0) return;
    const all = around(relations.flatMap(({ from, to }) => tilesOf(layout, shown, [from, to])));
    if (all === null || encloses(view.visible, all)) return;
    view.fit(beside(all, view, covered), CLOSE);
  }, [view, relations, layout, shown, covered]);

  useImperativeHandle(handle, () => handleOf(view, latest, cause));

  function selectByKey(id: string | null): void {
    if (id !== selected.current) cause.current = "key";
    selected.current = id;
    onSelect(id);
  }

  function moveByKey(direction: Direction, kind: "tile" | "box"): void {
    const place = selected.current === null ? null : placeToMove(look.layout, selected.current, kind);
    if (place === null) return;
    const [dx, dy] = UNITS[direction];
    onMove(place.key, { x: place.position.x + dx * STEP, y: place.position.y + dy * STEP });
  }

  function collapseByKey(): void {
    const place = selected.current === null ? null : placeToMove(look.layout, selected.current, "box");
    const box = look.layout.boxes.find(({ spec }) => spec.key === place?.key);
    if (box !== undefined) onCollapse(box.spec.key, !box.isCollapsed);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (view === null) return;
    const { key } = event;
    if (key.startsWith("Arrow") && event.altKey) moveByKey(key as Direction, event.shiftKey ? "box" : "tile");
    else if (key.startsWith("Arrow"))
      selectByKey(step(view, { ...look, selected: selected.current }, key as Direction));
    else if (key === "Enter" && selected.current !== null) onOpen(selected.current);
    else if (key === "Escape") selectByKey(null);
    else if (key === "f" || key === "Home") view.fit();
    else if (key === "c") collapseByKey();
    else if (key === "+" || key === "=") view.zoom(KEY_ZOOM);
    else if (key === "-") view.zoom(1 / KEY_ZOOM);
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={element}
      className={classes.canvas}
      role="application"
      aria-label="Map. Arrow keys move the selection, Enter opens it, F shows everything. Alt with arrow keys moves what is selected, with Shift its box; C collapses the box."
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <canvas
        ref={canvas}
        aria-hidden
        data-pointing={pointed !== null && idOf(pointed.hit) !== null ? "" : undefined}
        data-arranging={isArranging ? "" : undefined}
      />
      {view !== null && (
        <>
          <Crumbs view={view} look={look} />
          <MiniMap view={view} look={look} moves={moves} />
        </>
      )}
      {pointed !== null && <Tip look={look} {...pointed} />}
    </div>
  );
}

/** The tiles of some nodes, as far as they are shown. */
function tilesOf({ boxes }: Layout, shown: ReadonlySet<string>, ids: readonly string[]): readonly Rect[] {
  const isOne = ({ node: { id } }: TileSpec): boolean => ids.includes(id) && shown.has(id);
  return boxes.flatMap(({ tiles }) => tiles.filter(({ spec }) => isOne(spec)));
}

const UNITS: Readonly<Record<Direction, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type Moving = Pick<CanvasProps, "look" | "onSelect" | "isArranging" | "onMove" | "onCollapse">;

/** What is at a point, to be dragged: only its outline moves until it is dropped. */
function grabbedAt(view: MapView, at: Point, latest: RefObject<Moving>): Grabbed | null {
  const movable = view.movable(at);
  if (movable === null) return null;
  const { key, position, scale } = movable;
  let by = { x: 0, y: 0 };
  return {
    move: (dx, dy) => {
      by = { x: dx / scale.x, y: dy / scale.y };
      view.outline({ ...movable.at, x: movable.at.x + dx, y: movable.at.y + dy });
    },
    drop: (isDone) => {
      view.outline(null);
      if (isDone) latest.current.onMove(key, { x: position.x + by.x, y: position.y + by.y });
    },
  };
}

function isSame(one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((id) => other.has(id));
}

/** A part of the map with the room that a panel at its right takes. */
function beside(place: Rect, { size: { width } }: MapView, covered: number): Rect {
  return { ...place, width: (place.width * width) / Math.max(1, width - covered) };
}

const BESIDE_PANEL = 24;

/** Moves the map so that a part of it is not at the right, under the panel. */
function uncover(view: MapView, place: Rect, covered: number): void {
  const { visible, size } = view;
  const scale = size.width / visible.width;
  const right = (place.x + Math.min(place.width, TILE.width) - visible.x) * scale;
  const over = right - (size.width - covered - BESIDE_PANEL);
  if (over > 0 && right < size.width + covered) view.move(-over, 0);
}

/** Shows what is beside the selection. @returns its node, or the selection if there is none beside it */
function step(view: MapView, { layout, model, selected }: Look, direction: Direction): string | null {
  const from = selected === null ? null : placeToGoFrom(layout, model, selected);
  const next = stopBeside(layout, from, direction);
  if (next === null) return selected;
  const { x, y, width, height } = next.at;
  if (!encloses(view.visible, next.at)) view.centre({ x: x + width / 2, y: y + height / 2 });
  return next.id;
}

function handleOf(
  view: MapView | null,
  latest: RefObject<Pick<CanvasProps, "look">>,
  cause: RefObject<Cause>,
): CanvasHandle {
  return {
    zoom: (factor) => view?.zoom(factor),
    fit: () => view?.fit(),
    visible: () => view?.visible ?? null,
    print: (isPrinting) => {
      view?.resize(view.size, isPrinting ? PAPER_RATIO : window.devicePixelRatio);
      view?.drawNow();
    },
    show: (id) => {
      const { layout, model, selected } = latest.current.look;
      if (id !== selected) cause.current = "elsewhere";
      const place = id === selected ? placeOfNode(layout, model, id) : null;
      if (place !== null) view?.fit(place, CLOSE);
    },
  };
}
