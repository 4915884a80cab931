import type { Rect } from "./geometry.js";
import { TILE } from "./layout.js";
import type { TileSpec } from "./boxes.js";
import { colourIn, colourOf, MARKS, PALETTES } from "./colours.js";
import { portsText } from "../sockets/sockets.js";
import { lastPart } from "./addresses.js";
import { type Icon, tellingFirst } from "./icons.js";
import type { Look } from "./look.js";
import { boundTo, type HostParts, missedSince, type ServiceNode } from "./model.js";
import { fittingName, fittingText, type Surface } from "./surface.js";

// Tiles of hosts and services, by their size: a cell in the colour of its category, an icon with a name, or all that
// identifies it and what it serves.

export type Detail = "cell" | "icon" | "name" | "services";

/** Pixels of a tile's width from which it shows more. */
const FROM = { icon: 12, name: 40, marks: 60, services: 104 } as const;

export function detailAt(scale: number): Detail {
  const width = TILE.width * scale;
  if (width < FROM.icon) return "cell";
  if (width < FROM.name) return "icon";
  return width < FROM.services ? "name" : "services";
}

const MOST_SERVICES = 3;

/** What a tile shows, whether of a host or a service. */
interface Content {
  readonly icon: Icon;
  readonly colour: string;
  readonly title: string;
  /** At the right of the title. */
  readonly aside: string;
  readonly rows: readonly Row[];
  /** Of rows that have no room. */
  readonly more: string;
}

interface Row {
  readonly icon: Icon | null;
  readonly colour: string;
  readonly text: string;
  readonly aside: string;
}

export function createTilePainter(surface: Surface, look: Look, detail: Detail): (spec: TileSpec, at: Rect) => void {
  const painters = { cell: paintCell, icon: paintIcon, name: paintName, services: paintServices };
  return (spec, at) => painters[detail](surface, look, { spec, at });
}

interface Tile {
  readonly spec: TileSpec;
  readonly at: Rect;
}

/** Draws rings around tiles that stand out, over their neighbours. */
export function createRingPainter(surface: Surface, look: Look, detail: Detail): (spec: TileSpec, at: Rect) => void {
  return (spec, at) => {
    const ring = ringOf(spec, look);
    if (ring === null) return;
    if (detail === "cell") surface.rect(outside(at, 1), { line: ring, lineWidth: 1.5 });
    // The frame of a tile that is selected says so.
    else if (spec.node.id !== look.selected)
      surface.rect(outside(at, 2), { line: ring, lineWidth: 2, radius: radiusOf(at) + 2 });
  };
}

function paintCell(surface: Surface, look: Look, { spec, at }: Tile): void {
  surface.rect(at, { fill: colourOfTile(spec, look) });
}

function paintIcon(surface: Surface, look: Look, { spec, at }: Tile): void {
  paintFrame(surface, look, { spec, at });
  const size = Math.round(Math.min(at.width, at.height) * 0.7);
  const corner = { x: at.x + (at.width - size) / 2, y: at.y + (at.height - size) / 2 };
  surface.icon(iconOf(spec, look), corner, { size, colour: colourOfTile(spec, look) });
}

function paintName(surface: Surface, look: Look, { spec, at }: Tile): void {
  paintFrame(surface, look, { spec, at });
  const size = Math.max(8.5, Math.min(11, at.width * 0.13));
  const text = { size, weight: 600, colour: textColour(spec, look) } as const;
  const services = at.width < FROM.marks ? [] : servicesOf(spec, look);
  const row = services.length === 0 ? 0 : Math.round(at.height * 0.26);
  const room = at.height - row;
  const icon = Math.round(Math.max(8, Math.min(at.width * 0.3, room - size * 1.9)));
  const corner = { x: at.x + (at.width - icon) / 2, y: at.y + (room - icon - size * 1.35) / 2 };
  surface.icon(iconOf(spec, look), corner, { size: icon, colour: colourOfTile(spec, look) });
  const shown = fittingName(surface, spec.node.label, { width: at.width - 6, ...text });
  surface.text(shown, { x: at.x + at.width / 2, y: corner.y + icon + size * 1.1 }, { ...text, align: "center" });
  if (row > 0) paintMarks(surface, look, { services, at: { ...at, y: at.y + room - row * 0.2, height: row } });
}

/** The marks of the first services in a row, and the number of others. */
function paintMarks(
  surface: Surface,
  look: Look,
  { services, at }: { readonly services: readonly ServiceNode[]; readonly at: Rect },
): void {
  const size = Math.round(at.height * 0.85);
  const gap = size * 0.5;
  const drawn = services.slice(0, MOST_SERVICES);
  const text = { size: size * 0.85, weight: 400, colour: PALETTES[look.scheme].dimText } as const;
  const more = moreText(services);
  const width = drawn.length * (size + gap) - gap + (more === "" ? 0 : gap + surface.widthOf(more, text));
  let x = at.x + (at.width - width) / 2;
  for (const service of drawn) {
    surface.icon(look.icons.ofService(service), { x, y: at.y }, { size, colour: colourOf(service, look.scheme) });
    x += size + gap;
  }
  if (more !== "") surface.text(more, { x, y: at.y + size * 0.82 }, text);
}

function paintServices(surface: Surface, look: Look, { spec, at }: Tile): void {
  paintFrame(surface, look, { spec, at });
  const content = contentOf(spec, look);
  const unit = at.height / TILE.height;
  const pad = 9 * unit;
  const inside = { x: at.x + pad, y: at.y + pad, width: at.width - 2 * pad, height: at.height - 2 * pad };
  const { text, dimText } = PALETTES[look.scheme];
  const size = 12.5 * unit;
  const dim = { size: size * 0.88, weight: 400, colour: dimText } as const;
  const head = { size, weight: 600, colour: textColour(spec, look) } as const;
  const icon = Math.round(16 * unit);
  surface.icon(content.icon, inside, { size: icon, colour: content.colour });
  const baseline = inside.y + icon * 0.78;
  const aside = surface.widthOf(content.aside, dim);
  const isAside = aside < inside.width * 0.5;
  const width = inside.width - icon - 6 * unit - (isAside && aside > 0 ? aside + 4 * unit : 0);
  const title = fittingName(surface, content.title, { width, ...head });
  surface.text(title, { x: inside.x + icon + 6 * unit, y: baseline }, head);
  if (isAside && content.aside !== "")
    surface.text(content.aside, { x: inside.x + inside.width, y: baseline }, { ...dim, align: "right" });
  for (const [index, row] of content.rows.entries())
    paintRow(surface, row, { unit, inside, y: inside.y + (24 + 17 * index) * unit, text, dimText });
  if (content.more !== "")
    surface.text(content.more, { x: inside.x + inside.width, y: inside.y + inside.height }, { ...dim, align: "right" });
}

interface RowPlace {
  /** Pixels per map unit. */
  readonly unit: number;
  readonly inside: Rect;
  readonly y: number;
  readonly text: string;
  readonly dimText: string;
}

function paintRow(surface: Surface, row: Row, { unit, inside, y, text, dimText }: RowPlace): void {
  const size = 10.5 * unit;
  const look = { size, weight: 400, colour: text } as const;
  const icon = Math.round(12 * unit);
  const left = inside.x + (row.icon === null ? 0 : icon + 6 * unit);
  const asideWidth = Math.min(surface.widthOf(row.aside, look), inside.width * 0.45);
  const right = inside.x + inside.width;
  if (row.icon !== null) surface.icon(row.icon, { x: inside.x, y }, { size: icon, colour: row.colour });
  const baseline = y + icon * 0.83;
  const width = right - left - (asideWidth > 0 ? asideWidth + 6 * unit : 0);
  surface.text(fittingText(surface, row.text, { width, ...look }), { x: left, y: baseline }, look);
  if (row.aside === "") return;
  const aside = fittingText(surface, row.aside, { width: asideWidth + 0.5, ...look });
  surface.text(aside, { x: right, y: baseline }, { ...look, colour: dimText, align: "right" });
}

function paintFrame(surface: Surface, look: Look, { spec, at }: Tile): void {
  const { tile, tileLine, accent } = PALETTES[look.scheme];
  const isMissed = missedSince(spec.node) !== null;
  const isSelected = spec.node.id === look.selected;
  surface.rect(at, {
    fill: tile,
    line: isSelected ? accent : tileLine,
    lineWidth: isSelected ? 2 : 1,
    radius: radiusOf(at),
    isDashed: isMissed,
  });
}

function radiusOf({ width }: Rect): number {
  return Math.min(6, width * 0.06);
}

function outside({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** The colour around what is selected or has changed. */
function ringOf({ node }: TileSpec, { selected, marks, scheme }: Look): string | null {
  if (node.id === selected) return PALETTES[scheme].accent;
  const mark = marks?.get(node.id);
  return mark === undefined ? null : MARKS[mark][scheme];
}

function hostOf({ node }: TileSpec, { model }: Look): HostParts | undefined {
  return node.kind === "host" ? model.hosts.get(node.id) : undefined;
}

function colourOfTile({ node }: TileSpec, { model, scheme }: Look): string {
  return colourIn(model, node, scheme);
}

function textColour({ node }: TileSpec, { scheme }: Look): string {
  return missedSince(node) === null ? PALETTES[scheme].text : PALETTES[scheme].missed;
}

function iconOf(spec: TileSpec, look: Look): Icon {
  const { node } = spec;
  if (node.kind === "service") return look.icons.ofService(node);
  return look.icons.ofHost(look.model.hosts.get(node.id) ?? { node, interfaces: [], services: [] });
}

function contentOf(spec: TileSpec, look: Look): Content {
  const common = { icon: iconOf(spec, look), colour: colourOfTile(spec, look), title: spec.node.label };
  if (spec.node.kind === "service") return { ...common, ...serviceContent(spec.node, look) };
  const services = servicesOf(spec, look);
  const rows = services.slice(0, MOST_SERVICES).map((service) => rowOf(service, look));
  return { ...common, aside: spec.address === null ? "" : lastPart(spec.address), rows, more: moreText(services) };
}

function moreText({ length }: readonly unknown[]): string {
  return length > MOST_SERVICES ? `+${length - MOST_SERVICES}` : "";
}

/** The services of a host that pass the filters. */
function servicesOf(spec: TileSpec, look: Look): readonly ServiceNode[] {
  return tellingFirst(hostOf(spec, look)?.services ?? []).filter(({ id }) => look.shown.has(id));
}

function rowOf(service: ServiceNode, look: Look): Row {
  return {
    icon: look.icons.ofService(service),
    colour: colourOf(service, look.scheme),
    text: service.label,
    aside: portsOf(service, look),
  };
}

/** Where a service runs, and what it is. */
function serviceContent(service: ServiceNode, look: Look): Pick<Content, "aside" | "rows" | "more"> {
  const host = look.model.hosts.get(service.host_id);
  const { dimText } = PALETTES[look.scheme];
  const row = (text: string, aside: string): Row => ({ icon: null, colour: dimText, text, aside });
  const rows = [row(host?.node.label ?? "", host?.interfaces[0]?.ip_address ?? "")];
  if (service.service_definition !== service.label) rows.push(row(service.service_definition, ""));
  return { aside: portsOf(service, look), rows, more: "" };
}

/** Such as `443` and `53/udp`. */
function portsOf(service: ServiceNode, { model }: Look): string {
  return portsText(boundTo(model, service.id)).replaceAll("/tcp", "").replaceAll(" ", ", ");
}
