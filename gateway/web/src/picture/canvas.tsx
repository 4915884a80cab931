import { MultiUndirectedGraph } from "graphology";
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef, useState } from "react";
import Sigma from "sigma";
import type { Settings } from "sigma/settings";
import type { EdgeDisplayData, NodeDisplayData } from "sigma/types";
import { detailBeside } from "../parts/detail.js";
import { notSeenFor } from "../parts/relative-time.js";
import { colourOf, type Colouring, MARKS, type Palette, PALETTES } from "./colours.js";
import { drawDiscs, drawHalos, hoverDrawing } from "./drawing.js";
import { type Disc, type Layout, type Place, SIZES } from "./layout.js";
import { portsText } from "../sockets/sockets.js";
import { boundTo, homeOf, missedSince, type Model } from "./model.js";
import { createFrame, type Frame, LEAST_NAMED, ZOOM } from "./names.js";
import classes from "./picture.module.css";

/** Imperative functions of the canvas. */
export interface CanvasHandle {
  zoom(direction: "in" | "out"): void;
  /** Fits everything into view. */
  fit(): void;
  /** Moves the camera to a node. */
  show(id: string): void;
}

interface CanvasProps {
  readonly model: Model;
  readonly layout: Layout;
  readonly colouring: Colouring;
  /** Ids of visible nodes. */
  readonly shown: ReadonlySet<string>;
  /** Ids of search results, all others are faded; null without a search. */
  readonly found: ReadonlySet<string> | null;
  readonly selected: string | null;
  readonly onSelect: (id: string | null) => void;
  readonly handle: RefObject<CanvasHandle | null>;
}

/** What can change without a new graph. */
type Look = Pick<CanvasProps, "model" | "layout" | "colouring" | "shown" | "found" | "selected">;

/** Radius in pixels at which a node and its surroundings are readable. */
const CLOSE = { host: 14, service: 6 } as const;
const MOVE_MS = 350;

/** The camera state that fits everything. */
const WHOLE = { x: 0.5, y: 0.5, ratio: 1 } as const;

/** Camera animation; none for users who prefer reduced motion. */
function moving(): { duration: number } {
  return { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : MOVE_MS };
}

/** The map, drawn with WebGL. The list next to it is its accessible alternative. */
export function Canvas(props: CanvasProps): ReactNode {
  const { model, layout, colouring, shown, found, selected, onSelect, handle } = props;
  const container = useRef<HTMLDivElement>(null);
  const sigma = useRef<Sigma | null>(null);
  const look = useRef<Look>(props);
  const select = useRef(onSelect);
  const [isPossible] = useState(hasWebGl);

  useEffect(() => {
    look.current = { model, layout, colouring, shown, found, selected };
    select.current = onSelect;
  });

  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const { made, sizes } = startSigma(element, { sigma, look, select });
    return () => {
      sigma.current = null;
      sizes.disconnect();
      made.kill();
    };
  }, []);

  // the same camera shows changed graphs, and other times
  useEffect(() => {
    if (sigma.current !== null) draw(sigma.current, graphOf(model, layout), layout.bounds);
  }, [model, layout]);

  // once per batch of changes, because it reads every node; drawn in the next frame
  useEffect(() => {
    sigma.current?.scheduleRefresh();
  }, [colouring, shown, found, selected, model, layout]);

  useImperativeHandle(handle, () => handleOf(sigma));

  if (!isPossible)
    return <p className={classes.noCanvas}>This browser does not support WebGL. Use the list instead.</p>;
  return <div ref={container} className={classes.canvas} aria-hidden />;
}

interface Refs {
  readonly sigma: RefObject<Sigma | null>;
  readonly look: RefObject<Look>;
  readonly select: RefObject<CanvasProps["onSelect"]>;
}

/** Draws into an element, always with the current look. */
function startSigma(element: HTMLDivElement, { sigma, look, select }: Refs): { made: Sigma; sizes: ResizeObserver } {
  const frame = createFrame({
    sigma: () => sigma.current,
    palette: () => PALETTES[look.current.colouring.scheme],
    discs: () => discsShown(look.current),
    places: () => placesShown(look.current),
  });
  const made = new Sigma(
    new MultiUndirectedGraph(),
    element,
    settingsFor(() => look.current, frame),
  );
  sigma.current = made;
  made.createCanvasContext("discs");
  const { discs: below, edges } = made.getCanvases();
  if (below !== undefined) edges?.before(below);
  const context = below?.getContext("2d");
  made.resize(true);
  made.on("beforeRender", frame.begin);
  // the position of the camera is only known now
  made.on("afterRender", () => {
    frame.end();
    if (!context) return;
    drawDiscs(made, context, discsShown(look.current), PALETTES[look.current.colouring.scheme]);
    drawHalos(made, context, halosOf(look.current));
  });
  made.on("clickNode", ({ node }) => select.current(node));
  made.on("clickStage", () => select.current(null));
  made.on("enterNode", () => (element.style.cursor = "pointer"));
  made.on("leaveNode", () => (element.style.cursor = ""));
  const sizes = new ResizeObserver(() => {
    const { width, height } = made.getDimensions();
    if (width !== element.offsetWidth || height !== element.offsetHeight) made.scheduleRefresh();
  });
  sizes.observe(element);
  return { made, sizes };
}

/** Replaces the graph. If everything was in view it remains so; otherwise the camera keeps its place. */
function draw(sigma: Sigma, graph: MultiUndirectedGraph, { left, right, bottom, top }: Layout["bounds"]): void {
  const box = sigma.getCustomBBox();
  const camera = sigma.getCamera();
  const isSame = box?.x[0] === left && box.x[1] === right && box.y[0] === bottom && box.y[1] === top;
  const { x, y, ratio } = camera.getState();
  const seesAll = x === WHOLE.x && y === WHOLE.y && ratio === WHOLE.ratio;
  const moves = !seesAll && !isSame;
  // measured after the canvas has been resized
  if (moves) sigma.refresh();
  const { width, height } = sigma.getDimensions();
  const middle = sigma.viewportToGraph({ x: width / 2, y: height / 2 });
  const scale = scaleOf(sigma);
  sigma.setCustomBBox({ x: [left, right], y: [bottom, top] });
  sigma.setGraph(graph);
  if (!moves) return;
  const there = sigma.viewportToFramedGraph(sigma.graphToViewport(middle));
  camera.setState({ ...there, ratio: (ratio * scaleOf(sigma)) / scale });
}

/** Pixels per map unit. */
function scaleOf(sigma: Sigma): number {
  return sigma.graphToViewport({ x: 1, y: 0 }).x - sigma.graphToViewport({ x: 0, y: 0 }).x;
}

function handleOf(sigma: RefObject<Sigma | null>): CanvasHandle {
  return {
    zoom: (direction) => {
      const camera = sigma.current?.getCamera();
      void (direction === "in" ? camera?.animatedZoom(moving()) : camera?.animatedUnzoom(moving()));
    },
    fit: () => void sigma.current?.getCamera().animatedReset(moving()),
    show: (id) => {
      const made = sigma.current;
      const at = made?.getNodeDisplayData(id);
      if (made === null || at === undefined) return;
      const camera = made.getCamera();
      const requested = (camera.ratio * made.scaleSize(at.size)) / (at.size < SIZES.host ? CLOSE.service : CLOSE.host);
      void camera.animate({ x: at.x, y: at.y, ratio: Math.min(camera.ratio, requested) }, moving());
    },
  };
}

function discsShown({ layout, shown }: Look): readonly Disc[] {
  return layout.discs.filter(({ subnet }) => subnet === null || shown.has(subnet.id));
}

function* placesShown({ model, layout, shown }: Look): Generator<readonly [kind: string, place: Place]> {
  for (const { id, kind } of model.topology.nodes) {
    const place = layout.places.get(id);
    if (place !== undefined && shown.has(id)) yield [kind, place];
  }
}

function hasWebGl(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

function graphOf(model: Model, { places }: Layout): MultiUndirectedGraph {
  const { topology, hosts, nodes } = model;
  const graph = new MultiUndirectedGraph();
  for (const node of topology.nodes) {
    const { x, y, r, room } = places.get(node.id) ?? { x: 0, y: 0, r: 1 };
    const ports = node.kind === "service" ? portsText(boundTo(model, node.id)) : "";
    const side = node.kind === "service" && x < (places.get(node.host_id)?.x ?? x) ? "left" : "right";
    const about =
      node.kind === "subnet"
        ? node.cidr
        : node.kind === "host"
          ? (hosts.get(node.id)?.interfaces[0]?.ip_address ?? node.hostname)
          : `${node.service_definition} ${ports}`.trim();
    const detail = detailBeside(node.label, about);
    const since = missedSince(node);
    const notSeen = since === null ? "" : notSeenFor(since, Date.now());
    graph.addNode(node.id, {
      x,
      y,
      size: r,
      label: node.label,
      kind: node.kind,
      detail,
      notSeen,
      ports,
      side,
      room: (room ?? r) / r,
    });
  }
  for (const edge of topology.edges) {
    if (!nodes.has(edge.source) || !nodes.has(edge.target)) continue;
    const host = hosts.get(edge.source);
    const crosses = edge.kind === "in_subnet" && host !== undefined && homeOf(host) !== edge.target;
    graph.addEdgeWithKey(edge.id, edge.source, edge.target, { kind: crosses ? "crossing" : edge.kind });
  }
  return graph;
}

function settingsFor(look: () => Look, frame: Frame): Partial<Settings> {
  const palette = (): Palette => PALETTES[look().colouring.scheme];
  return {
    defaultDrawNodeLabel: frame.drawLabel,
    defaultDrawNodeHover: hoverDrawing(palette),
    itemSizesReference: "positions",
    zoomToSizeRatioFunction: (ratio) => ratio,
    minEdgeThickness: 0.6,
    stagePadding: 16,
    labelRenderedSizeThreshold: LEAST_NAMED,
    // all large ones; labels that do not fit are omitted while drawing
    labelGridCellSize: 60,
    labelDensity: 8,
    zIndex: true,
    minCameraRatio: ZOOM.nearest,
    maxCameraRatio: ZOOM.farthest,
    hideEdgesOnMove: false,
    allowInvalidContainer: true,
    nodeReducer: (id, data) => nodeLook(look(), id, data),
    edgeReducer: (_id, data) => edgeLook(look(), data),
  };
}

function nodeLook(
  { model, colouring, shown, found, selected }: Look,
  id: string,
  data: object,
): Partial<NodeDisplayData> {
  const node = model.nodes.get(id);
  if (node === undefined || !shown.has(id)) return { ...data, hidden: true };
  const isFaded = found !== null && !found.has(id);
  const isSelected = id === selected;
  const color = isFaded && !isSelected ? PALETTES[colouring.scheme].faded : colourOf(node, colouring);
  const raised = { highlighted: isSelected, zIndex: isSelected ? 2 : isFaded ? 0 : 1 };
  return {
    ...data,
    color,
    isFaded,
    ...raised,
    ...(found !== null && !isFaded && found.size <= 40 && { forceLabel: true }),
  } as Partial<NodeDisplayData>;
}

/** Around nodes that have changed. */
function halosOf({ layout, shown, colouring: { scheme, marks } }: Look): { place: Place; colour: string }[] {
  return [...(marks ?? [])].flatMap(([id, mark]) => {
    const place = layout.places.get(id);
    return place === undefined || !shown.has(id) ? [] : [{ place, colour: MARKS[mark][scheme] }];
  });
}

const WIDTHS: Readonly<Record<string, number>> = { in_subnet: 0.6, crossing: 1.5, on_host: 0.8, virtualized_by: 1.3 };

function edgeLook(
  { colouring: { scheme }, found }: Look,
  data: Readonly<Record<string, unknown>>,
): Partial<EdgeDisplayData> {
  const palette = PALETTES[scheme];
  const kind = String(data["kind"]);
  const colours: Readonly<Record<string, string>> = {
    crossing: palette.crossing,
    virtualized_by: palette.virtualization,
  };
  return { ...data, size: WIDTHS[kind] ?? 0.5, color: (found === null ? colours[kind] : undefined) ?? palette.edge };
}
