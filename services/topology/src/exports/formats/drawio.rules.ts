import type { Host, Subnet } from "@nts/shared/contract";
import { escapedXml } from "../../values/xml.rules.js";
import { listeningOn } from "./writer.rules.js";

// An uncompressed diagrams.net drawing, laid out top to bottom and left to right, so that only the next free position
// is kept. Labels are HTML within XML, and so escaped twice.

const GAP = 40;
const HEADING = { height: 40, gap: 20 };
const BOX = { title: 36, padding: 20, widest: 6 };
const CARD = { width: 220, title: 46, row: 24, gap: 20 };
/** Maximum width of a row of boxes. */
const RIGHT = 2_000;

const STYLES = {
  network:
    "text;html=1;align=left;verticalAlign=middle;fontSize=20;fontStyle=1;whiteSpace=wrap;overflow=hidden;strokeColor=none;fillColor=none;",
  subnet: `shape=swimlane;html=1;verticalAlign=top;startSize=${BOX.title};container=1;collapsible=0;rounded=1;arcSize=4;fontSize=14;fillColor=#dae8fc;strokeColor=#6c8ebf;`,
  host: `shape=swimlane;html=1;verticalAlign=top;startSize=${CARD.title};container=1;childLayout=stackLayout;horizontalStack=0;resizeParent=1;resizeLast=0;collapsible=1;rounded=1;arcSize=6;whiteSpace=wrap;overflow=hidden;fontStyle=0;fillColor=#f5f5f5;strokeColor=#999999;`,
  service:
    "text;html=1;align=left;verticalAlign=middle;spacingLeft=8;spacingRight=8;whiteSpace=wrap;overflow=hidden;strokeColor=none;fillColor=none;",
  edge: "html=1;endArrow=none;dashed=1;rounded=1;edgeStyle=orthogonalEdgeStyle;strokeColor=#6c8ebf;",
};

/** What is drawn of a host. */
export interface Card {
  readonly id: string;
  /** Name and first address. */
  readonly lines: readonly string[];
  readonly services: readonly { readonly id: string; readonly text: string }[];
  /** Interfaces in other subnets than the first one. */
  readonly elsewhere: readonly { readonly id: string; readonly subnetId: string; readonly address: string }[];
}

/** Writes a drawing; each box is passed with its content. */
export interface DrawioWriter {
  readonly begin: string;
  /** Starts a network, with its name as heading. */
  network(id: string, name: string): string;
  box(id: string, title: string, cards: readonly Card[]): string;
  readonly end: string;
}

export function createDrawioWriter(): DrawioWriter {
  const place = { x: GAP, y: GAP, below: GAP };
  const nextRow = (): void => {
    place.x = GAP;
    place.y = place.below;
  };
  return {
    begin:
      '<mxfile host="inventory">\n <diagram id="inventory" name="Inventory">\n  <mxGraphModel grid="1" page="0" connect="1" tooltips="1">\n   <root>\n<mxCell id="0"/>\n<mxCell id="1" parent="0"/>\n',
    network: (id, name) => {
      nextRow();
      const { x, y } = place;
      place.below = place.y += HEADING.height + HEADING.gap;
      return vertex({
        id,
        lines: [name],
        style: "network",
        parent: "1",
        x,
        y,
        width: RIGHT - GAP,
        height: HEADING.height,
      });
    },
    box: (id, title, cards) => {
      const { width, height, places } = arranged(cards);
      if (place.x > GAP && place.x + width > RIGHT) nextRow();
      const { x, y } = place;
      place.x += width + GAP;
      place.below = Math.max(place.below, y + height + GAP);
      const box = vertex({ id, lines: [title], style: "subnet", parent: "1", x, y, width, height });
      return [box, ...places.map((at) => cardOf(id, at)), ...cards.map(edgesOf)].join("");
    },
    end: "   </root>\n  </mxGraphModel>\n </diagram>\n</mxfile>\n",
  };
}

interface Placed {
  readonly card: Card;
  readonly x: number;
  readonly y: number;
}

/** Arranges the cards of a box in a roughly square grid. */
function arranged(cards: readonly Card[]): { width: number; height: number; places: readonly Placed[] } {
  const columns = Math.max(1, Math.min(BOX.widest, Math.ceil(Math.sqrt(cards.length))));
  const places: Placed[] = [];
  let y = BOX.title + BOX.padding;
  for (let at = 0; at < cards.length; at += columns) {
    const row = cards.slice(at, at + columns);
    row.forEach((card, n) => places.push({ card, x: BOX.padding + n * (CARD.width + CARD.gap), y }));
    y += Math.max(...row.map(heightOf)) + CARD.gap;
  }
  const width = 2 * BOX.padding + columns * (CARD.width + CARD.gap) - CARD.gap;
  return { width, height: y + BOX.padding - (cards.length === 0 ? 0 : CARD.gap), places };
}

function heightOf({ services }: Card): number {
  return CARD.title + services.length * CARD.row;
}

function cardOf(parent: string, { card, x, y }: Placed): string {
  const { width, title, row } = CARD;
  const { id, lines, services } = card;
  const rows = services.map((service, n) =>
    vertex({
      id: service.id,
      lines: [service.text],
      style: "service",
      parent: id,
      x: 0,
      y: title + n * row,
      width,
      height: row,
    }),
  );
  return vertex({ id, lines, style: "host", parent, x, y, width, height: heightOf(card) }) + rows.join("");
}

function edgesOf({ id: host, elsewhere }: Card): string {
  return elsewhere
    .map(
      ({ id, subnetId, address }) =>
        `<mxCell id="${id}" value="${labelOf([address])}" style="${STYLES.edge}" edge="1" parent="1" source="${host}" target="${subnetId}"><mxGeometry relative="1" as="geometry"/></mxCell>\n`,
    )
    .join("");
}

interface Vertex {
  readonly id: string;
  readonly lines: readonly string[];
  readonly style: keyof typeof STYLES;
  readonly parent: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function vertex({ id, lines, style, parent, x, y, width, height }: Vertex): string {
  return `<mxCell id="${id}" value="${labelOf(lines)}" style="${STYLES[style]}" vertex="1" parent="${parent}"><mxGeometry x="${x}" y="${y}" width="${width}" height="${height}" as="geometry"/></mxCell>\n`;
}

function labelOf(lines: readonly string[]): string {
  return escapedXml(lines.map(escapedXml).join("<br>"));
}

/** A host as drawn, in the subnet of its first interface. */
export function cardIn(host: Host): Card {
  const [first, ...more] = host.interfaces;
  const listeningOf = listeningOn(host);
  const elsewhere = more.filter(({ subnet_id }) => subnet_id !== first?.subnet_id);
  const others = host.interfaces.length > 1 ? ` and ${host.interfaces.length - 1} more` : "";
  return {
    id: host.id,
    lines: [host.name, ...(first === undefined ? [] : [first.ip_address + others])],
    services: host.services.map((service) => {
      const ports = new Set(listeningOf(service).map(({ port, protocol }) => `${port}/${protocol.toLowerCase()}`));
      return { id: service.id, text: [service.name, ...(ports.size > 0 ? [[...ports].join(", ")] : [])].join(" · ") };
    }),
    elsewhere: elsewhere.map(({ id, subnet_id, ip_address }) => ({ id, subnetId: subnet_id, address: ip_address })),
  };
}

/** The label of a subnet. */
export function titleOf({ name, cidr }: Pick<Subnet, "name" | "cidr">): string {
  return name === cidr ? cidr : `${name} · ${cidr}`;
}
