import type { Point } from "./rearrange.js";

// Positions of a host's services on arcs above it, in map units relative to the host.

/** Radii of hosts and services. */
export const RADIUS = { host: 9, service: 3.6 } as const;
const GAP = 2.4;
/** The angle that services cover; the rest, below the host, is left to its label. */
const LENGTH = (4 / 3) * Math.PI;
const TOP = Math.PI / 2;
const STEP = 2 * RADIUS.service + GAP;

const radiusOf = (ring: number): number => RADIUS.host + GAP + RADIUS.service + ring * STEP;
const at = (radius: number, angle: number): Point => ({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) });

/** @param kept positions that are kept; other services fill the gaps */
export function onArcs(ids: readonly string[], kept: ReadonlyMap<string, Point>): Map<string, Point> {
  return kept.size === 0 ? spread(ids) : filledUp(ids, kept);
}

/** The distance that services reach from their host. */
export function reachOf(places: Iterable<Point>): number {
  let reach: number = RADIUS.host;
  for (const { x, y } of places) reach = Math.max(reach, Math.hypot(x, y) + RADIUS.service);
  return reach;
}

function spread(ids: readonly string[]): Map<string, Point> {
  const places = new Map<string, Point>();
  for (let done = 0, ring = 0; done < ids.length; ring++) {
    const radius = radiusOf(ring);
    const room = Math.floor((LENGTH * radius) / STEP) + 1;
    const some = ids.slice(done, done + room);
    const angleStep = some.length < room ? STEP / radius : LENGTH / (room - 1);
    const first = TOP + ((some.length - 1) * angleStep) / 2;
    for (const [index, id] of some.entries()) places.set(id, at(radius, first - index * angleStep));
    done += some.length;
  }
  return places;
}

function filledUp(ids: readonly string[], kept: ReadonlyMap<string, Point>): Map<string, Point> {
  const places = new Map(ids.flatMap((id) => (kept.has(id) ? [[id, kept.get(id) as Point]] : [])));
  const spots = spotsAround();
  for (const id of ids) {
    if (places.has(id)) continue;
    let spot = spots.next().value;
    while (!isFree(spot, places.values())) spot = spots.next().value;
    places.set(id, spot);
  }
  return places;
}

function isFree({ x, y }: Point, taken: Iterable<Point>): boolean {
  for (const other of taken) if (Math.hypot(x - other.x, y - other.y) < 2 * RADIUS.service) return false;
  return true;
}

/** Positions half a step apart, from the top to both sides, ring by ring, endlessly. */
function* spotsAround(): Generator<Point, never, void> {
  for (let ring = 0; ; ring++) {
    const radius = radiusOf(ring);
    const most = Math.floor((LENGTH * radius) / STEP);
    for (let n = 0; n <= 2 * most; n++) {
      const halves = n % 2 === 0 ? -n / 2 : (n + 1) / 2;
      if (Math.abs(halves) <= most) yield at(radius, TOP + (halves * STEP) / 2 / radius);
    }
  }
}
