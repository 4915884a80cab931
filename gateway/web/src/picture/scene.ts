import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { colourOf, type Colouring, FAMILIES, MARKS, NOT_SEEN, PALETTES, type Scheme } from "./colours.js";
import { detailBeside } from "../parts/detail.js";
import { notSeenFor } from "../parts/relative-time.js";
import { shortened } from "./labels.js";
import type { Layout } from "./layout.js";
import { homeOf, missedSince, type Model } from "./model.js";

// The map as shapes, for SVG and PNG alike, with `y` downwards.

export type Shape =
  | {
      readonly kind: "circle";
      readonly x: number;
      readonly y: number;
      readonly r: number;
      readonly fill: string | null;
      readonly line: string | null;
      readonly dashes?: boolean;
      readonly title?: string;
    }
  | {
      readonly kind: "line";
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly colour: string;
      readonly width: number;
      readonly dashes?: boolean;
    }
  | {
      readonly kind: "text";
      readonly x: number;
      readonly y: number;
      readonly size: number;
      readonly colour: string;
      readonly isBold: boolean;
      readonly isCentred: boolean;
      readonly value: string;
    };

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly shapes: readonly Shape[];
}

interface Shown {
  readonly model: Model;
  readonly layout: Layout;
  readonly shown: ReadonlySet<string>;
  readonly colouring: Colouring;
  readonly title: string;
}

const MARGIN = 30;
const HEAD = 26;
const LEGEND_LINE = 14;
const LEAST_WIDTH = 200;
const MISSED = { light: PALETTES.light.missed, dark: PALETTES.dark.missed } as const;

export function sceneOf({ model, layout, shown, colouring, title }: Shown): Scene {
  const { scheme } = colouring;
  const palette = PALETTES[scheme];
  const { left, right, bottom, top } = layout.bounds;
  const unit = Math.max(1, Math.max(right - left, top - bottom) / 520);
  const middle = { x: MARGIN * unit - left, y: (MARGIN + HEAD) * unit + top };
  const placed = (id: string): { x: number; y: number; r: number } => {
    const place = layout.places.get(id) ?? { x: 0, y: 0, r: 0 };
    return { x: middle.x + place.x, y: middle.y - place.y, r: place.r };
  };

  const discs = layout.discs.filter(({ subnet }) => subnet === null || shown.has(subnet.id));
  const areas = discs.flatMap((disc): Shape[] => {
    const x = middle.x + disc.x;
    const y = middle.y - disc.y;
    const isSubnet = disc.kind === "subnet";
    const line = isSubnet ? palette.discLine : palette.network;
    const area: Shape = {
      kind: "circle",
      x,
      y,
      r: disc.r,
      fill: isSubnet ? palette.disc : null,
      line,
      dashes: !isSubnet,
    };
    return [area];
  });
  const names = discs.flatMap((disc): Shape[] => {
    if (disc.kind === "network") return [];
    const x = middle.x + disc.x;
    const top = middle.y - disc.y - disc.r;
    const text = (value: string, y: number, size: number, isBold: boolean): Shape => ({
      kind: "text",
      x,
      y,
      size,
      colour: isBold ? palette.text : palette.dimText,
      isBold,
      isCentred: true,
      value,
    });
    if (disc.subnet === null) return [text("No address", top - 3, 8, true)];
    const { label, cidr } = disc.subnet;
    const block = detailBeside(label, cidr);
    const name = text(shortened(label, disc.r / 2.4), top - (block === "" ? 3 : 9), 8, true);
    return block === "" ? [name] : [name, text(block, top - 2, 6, false)];
  });
  const nodes = model.topology.nodes.filter(({ id }) => shown.has(id));
  const edges = model.topology.edges.filter(({ source, target }) => shown.has(source) && shown.has(target));

  const lines = edges.map((edge): Shape => {
    const from = placed(edge.source);
    const to = placed(edge.target);
    return { kind: "line", x1: from.x, y1: from.y, x2: to.x, y2: to.y, ...lookOf(edge, model, palette) };
  });
  const points = nodes.map((node): Shape => {
    const { x, y, r: radius } = placed(node.id);
    return { kind: "circle", x, y, r: radius, fill: colourOf(node, colouring), line: null, title: titleOf(node) };
  });
  const labels = nodes.flatMap((node): Shape[] => {
    if (node.kind !== "host") return [];
    const { x, y, r: radius } = placed(node.id);
    return [
      {
        kind: "text",
        x,
        y: y + radius + 6,
        size: 5,
        colour: palette.text,
        isBold: true,
        isCentred: true,
        value: shortened(node.label, 16),
      },
    ];
  });

  const end = middle.y - bottom;
  const legend = legendOf(nodes, colouring, { y: end + MARGIN * unit * 0.6, unit });
  const heading: Shape = {
    kind: "text",
    x: MARGIN * unit,
    y: MARGIN * unit,
    size: 14 * unit,
    colour: palette.text,
    isBold: true,
    isCentred: false,
    value: title,
  };
  const width = Math.max(right - left, LEAST_WIDTH) + 2 * MARGIN * unit;
  const height = end + MARGIN * unit * 1.4 + (legend.length / 2) * LEGEND_LINE * unit;
  return {
    width,
    height,
    background: palette.background,
    shapes: [...areas, ...lines, ...points, ...names, ...labels, heading, ...legend],
  };
}

type Look = Pick<Extract<Shape, { kind: "line" }>, "colour" | "width" | "dashes">;

function lookOf(edge: TopologyEdge, { hosts }: Model, palette: (typeof PALETTES)[Scheme]): Look {
  if (edge.kind === "virtualized_by") return { colour: palette.virtualization, width: 0.9, dashes: true };
  if (edge.kind === "on_host") return { colour: palette.edge, width: 0.6 };
  const host = hosts.get(edge.source);
  const crosses = host !== undefined && homeOf(host) !== edge.target;
  return crosses ? { colour: palette.crossing, width: 0.9 } : { colour: palette.edge, width: 0.5 };
}

function titleOf(node: TopologyNode): string {
  const detail = {
    subnet: () => (node.kind === "subnet" ? node.cidr : ""),
    host: () => (node.kind === "host" ? (node.hostname ?? "") : ""),
    service: () => (node.kind === "service" ? node.service_definition : ""),
  }[node.kind]();
  const since = missedSince(node);
  return [node.label, detailBeside(node.label, detail), since === null ? "" : notSeenFor(since, Date.now())]
    .filter((text) => text !== "")
    .join(" · ");
}

/** The legend: a circle and a text per colour that occurs. */
function legendOf(
  nodes: readonly TopologyNode[],
  { scheme, marks }: Colouring,
  { y, unit }: { y: number; unit: number },
): Shape[] {
  const used = new Set(nodes.map((node) => (node.kind === "service" ? node.category : null)));
  const { text } = PALETTES[scheme];
  const families = FAMILIES.filter(({ categories }) => categories.some((category) => used.has(category)));
  const grey = nodes.some((node) => missedSince(node) !== null) ? [{ name: NOT_SEEN, ...MISSED }] : [];
  return (marks === null ? [...families, ...grey] : Object.values(MARKS)).flatMap((family, index): Shape[] => {
    const at = y + index * LEGEND_LINE * unit;
    return [
      { kind: "circle", x: (MARGIN + 4) * unit, y: at, r: 4 * unit, fill: family[scheme], line: null },
      {
        kind: "text",
        x: (MARGIN + 14) * unit,
        y: at + 3.5 * unit,
        size: 9 * unit,
        colour: text,
        isBold: false,
        isCentred: false,
        value: family.name,
      },
    ];
  });
}
