import { type Impact, type ImpactDirection, MOST_REACHED, type Reached } from "@nts/shared/contract";
import { hostAt, keyOf, type Place } from "../values/ends.rules.js";
import type { Hanging } from "./cut-off.rules.js";

// Follows what depends on what, level by level, so that each level takes a few queries, whatever it finds: a service stops with
// its host, a guest with what it runs on, a client with its server, and what is linked with what alone connects it. What is
// followed is limited.

/** From one place to what stops with it, or to what it needs. */
export interface Step {
  readonly from: Place;
  readonly to: Place;
  readonly via: Reached["via"];
  readonly dependencyId?: string;
}

/** What is known of a place that exists. */
export interface KnownPlace {
  readonly name: string;
  readonly hostId: string;
}

/** Where the steps are read; each of them for many places at once, and only to what exists. */
export interface Surroundings {
  /** Those of hosts; up to so many. */
  servicesOn(hostIds: readonly string[], most: number): Promise<readonly Step[]>;
  /** To what runs on hosts or services; about so many. */
  guestsOf(places: readonly Place[], most: number): Promise<readonly Step[]>;
  /** To the hosts of services, and to what hosts and services run on. */
  runnersOf(places: readonly Place[]): Promise<readonly Step[]>;
  /** Of dependencies, except to what is reached already. */
  needsAt(places: readonly Place[], following: FollowingNeeds): Promise<Needs>;
  /** From hosts to those that they cut off, or to what they hang on. */
  linkedTo(hostIds: readonly string[], linked: FollowingLinks): Promise<Needs>;
  /** From all clients on a host. */
  needsOn(hostId: string): Promise<readonly Step[]>;
  /** Those that exist, by key. */
  known(places: readonly Place[]): Promise<ReadonlyMap<string, KnownPlace>>;
}

export interface FollowingNeeds {
  readonly direction: ImpactDirection;
  /** Maximum dependencies read. */
  readonly most: number;
  /** By key. */
  readonly isReached: (key: string) => boolean;
}

export interface FollowingLinks {
  readonly direction: ImpactDirection;
  /** Hosts that stop at the same time. */
  readonly together: readonly string[];
}

/** Steps of a level. */
export interface Needs {
  readonly steps: readonly Step[];
  /** There are no others. */
  readonly isWhole: boolean;
}

interface Following {
  readonly subjects: readonly Place[];
  readonly direction: ImpactDirection;
  readonly depth: number;
  /** Entries of the response. */
  readonly limit: number;
  /** Called before each level. */
  readonly check: () => void;
}

/** Maximum dependencies read for one level. */
const MOST_NEEDS = 50_000;

const COUNTED = { host: "hosts", service: "services", process: "processes" } as const;

type Found = Omit<Reached, "name" | "host_id" | "host_name"> & { readonly place: Place };

export async function impactOf(around: Surroundings, following: Following): Promise<Impact> {
  const { subjects, direction, depth, limit, check } = following;
  const counts = { hosts: 0, services: 0, processes: 0 };
  const found: Found[] = [];
  /** The ids from a subject to a place, by its key. */
  const paths = new Map<string, readonly string[]>(subjects.map((subject) => [keyOf(subject), []]));
  const together = hostIdsIn(subjects);
  const whole = direction === "dependencies" ? subjects.filter(({ kind }) => kind === "host") : [];
  let frontier: readonly Place[] = [...subjects, ...(await servicesOf(around, whole, paths))];
  let complete = true;
  for (let distance = 1, left = MOST_REACHED; distance <= depth && frontier.length > 0; distance++) {
    check();
    const inside = await insideOf(around, frontier, { direction, most: left + 1 });
    const isReached = (key: string): boolean => paths.has(key);
    const needs = await around.needsAt(frontier, { direction, most: MOST_NEEDS, isReached });
    const ofAll = distance === 1 ? (await Promise.all(whole.map(({ id }) => around.needsOn(id)))).flat() : [];
    const linked = await around.linkedTo(hostIdsIn(frontier), { direction, together });
    const steps = [...inside, ...needs.steps, ...ofAll, ...linked.steps];
    complete &&= needs.isWhole && linked.isWhole;
    const next: Place[] = [];
    for (const { from, to, via, dependencyId = null } of steps) {
      const key = keyOf(to);
      if (paths.has(key)) continue;
      if (left === 0) {
        complete = false;
        break;
      }
      left -= 1;
      const path = [...(paths.get(keyOf(from)) ?? []), from.id];
      paths.set(key, path);
      counts[COUNTED[to.kind]] += 1;
      if (found.length < limit)
        found.push({ place: to, kind: to.kind, id: to.id, distance, via, dependency_id: dependencyId, path });
      // Nothing is known to stop with a process.
      if (to.kind !== "process") next.push(to);
    }
    frontier = next;
  }
  const known = await around.known(found.map(({ place }) => place));
  const hosts = await around.known([...new Set([...known.values()].map(({ hostId }) => hostId))].map(hostAt));
  const reached = found.map(({ place, ...one }): Reached => {
    const { name = "", hostId = place.id } = known.get(keyOf(place)) ?? {};
    const hostName = hosts.get(keyOf(hostAt(hostId)))?.name ?? "";
    return { ...one, name: place.process ?? name, host_id: hostId, host_name: hostName };
  });
  return { direction, counts, complete, reached };
}

/** What is on hosts that are subjects as a whole. */
async function servicesOf(
  { servicesOn }: Surroundings,
  hosts: readonly Place[],
  paths: Map<string, readonly string[]>,
): Promise<Place[]> {
  if (hosts.length === 0) return [];
  const on = await servicesOn(
    hosts.map(({ id }) => id),
    MOST_REACHED,
  );
  for (const { from, to } of on) paths.set(keyOf(to), [from.id]);
  return on.map(({ to }) => to);
}

/** Steps within hosts, and to guests. */
async function insideOf(
  around: Surroundings,
  frontier: readonly Place[],
  { direction, most }: { readonly direction: ImpactDirection; readonly most: number },
): Promise<readonly Step[]> {
  if (direction === "dependencies") return around.runnersOf(frontier);
  return [...(await around.servicesOn(hostIdsIn(frontier), most)), ...(await around.guestsOf(frontier, most))];
}

function hostIdsIn(places: readonly Place[]): string[] {
  return places.flatMap(({ kind, id }) => (kind === "host" ? id : []));
}

/** Steps from hosts to those below or above them. */
export function linkSteps({ above, below }: Hanging, hostIds: readonly string[], direction: ImpactDirection): Step[] {
  const ends = (id: string): readonly string[] =>
    direction === "dependents" ? (below.get(id) ?? []) : [above.get(id) ?? []].flat();
  return hostIds.flatMap((id) => ends(id).map((to) => ({ from: hostAt(id), to: hostAt(to), via: "link" as const })));
}

/** A host or service with what it runs on. */
export interface WholePlace extends KnownPlace {
  readonly place: Place;
  readonly runners: readonly Place[];
}

/** The surroundings within what was read as a whole. */
export interface Whole {
  readonly places: readonly WholePlace[];
  /** Of dependencies, from clients to servers. */
  readonly needs: readonly {
    readonly client: Place;
    readonly server: Place;
    readonly id: string;
    readonly hostId: string;
  }[];
  readonly hanging: Hanging;
}

export function surroundingsIn({ needs, places, hanging }: Whole): Surroundings {
  const byKey = new Map(places.map((one) => [keyOf(one.place), one]));
  const steps = { services: createSteps(), guests: createSteps(), runners: createSteps(), on: createSteps() };
  const ofNeeds = { dependents: createSteps(), dependencies: createSteps() };
  for (const { place, hostId, runners } of places) {
    if (place.kind === "service") {
      steps.services.add({ from: hostAt(hostId), to: place, via: "runs_on" });
      steps.runners.add({ from: place, to: hostAt(hostId), via: "runs_on" });
    }
    for (const runner of runners.filter((one) => byKey.has(keyOf(one)))) {
      steps.guests.add({ from: runner, to: place, via: "virtualization" });
      steps.runners.add({ from: place, to: runner, via: "virtualization" });
    }
  }
  for (const { client, server, id: dependencyId, hostId } of needs) {
    ofNeeds.dependents.add({ from: server, to: client, via: "dependency", dependencyId });
    ofNeeds.dependencies.add({ from: client, to: server, via: "dependency", dependencyId });
    if (client.kind !== "service") steps.on.add({ from: hostAt(hostId), to: server, via: "dependency", dependencyId });
  }
  const known = (place: Place): KnownPlace | undefined =>
    byKey.get(keyOf(place.kind === "process" ? hostAt(place.id) : place));
  return {
    servicesOn: (hostIds) => steps.services.of(hostIds.map(hostAt)),
    guestsOf: steps.guests.of,
    runnersOf: steps.runners.of,
    needsAt: async (some, { direction }) => ({ steps: await ofNeeds[direction].of(some), isWhole: true }),
    linkedTo: (hostIds, { direction }) =>
      Promise.resolve({ steps: linkSteps(hanging, hostIds, direction), isWhole: true }),
    needsOn: (hostId) => steps.on.of([hostAt(hostId)]),
    known: (some) =>
      Promise.resolve(
        new Map(
          some.flatMap((place) => {
            const one = known(place);
            return one === undefined ? [] : [[keyOf(place), one] as const];
          }),
        ),
      ),
  };
}

/** Steps by where they start. */
function createSteps() {
  const byStart = new Map<string, Step[]>();
  return {
    add: (step: Step): void => {
      const key = keyOf(step.from);
      const some = byStart.get(key);
      if (some === undefined) byStart.set(key, [step]);
      else some.push(step);
    },
    of: (places: readonly Place[]): Promise<Step[]> =>
      Promise.resolve(places.flatMap((place) => byStart.get(keyOf(place)) ?? [])),
  };
}
