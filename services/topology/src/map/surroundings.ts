import type { HostRecord, Link, Service } from "@nts/shared/contract";
import { PAST } from "@nts/shared/contract/moments";
import { AppError } from "@nts/shared/errors";
import { putUnder } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { Fields, type RawBatch } from "@nts/shared/mongo/raw-fields";
import {
  BY_ID,
  CLIENTS_INDEX,
  creationIndex,
  FACET_INDEX,
  HOST_DEPENDENCIES_INDEX,
  HOST_ORDER_INDEX,
  SERVERS_INDEX,
} from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { clientOf, hostAt, keyOf, type Place, placeIn, serverOf, serviceAt } from "../values/ends.rules.js";
import { facetFilter, GUESTS, isOfRole, runnersAmong } from "../values/facets.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import { CARRIERS, type Carrier, type Hanging, hangingOf, type HostLink } from "./cut-off.rules.js";
import { type KnownPlace, linkSteps, type Step, type Surroundings, type Whole } from "./impact.js";
import { linkGraphs } from "./link-graphs.js";
import { roleOfHost } from "./map.rules.js";
import type { MapSource } from "./read.js";

// What an impact follows: as it is stored, found by indexes, or as it was.

type Reads = Pick<Storage, "hosts" | "services" | "dependencies" | "links">;

const KINDS = ["host", "service"] as const;
type Kind = (typeof KINDS)[number];
/** Guests that are read at once. */
const MOST_AT_ONCE = 1_000;
/** Links that are read; what networks with more cut off is not followed. */
const MOST_LINKS = 20_000;
/** Links of one batch, so that large networks do not block other requests. */
const LINKS_AT_ONCE = 500;

interface Guests {
  readonly byRunner: ReadonlyMap<string, readonly Place[]>;
  /** The ids of what each runs on, by its key. */
  readonly runnersOf: ReadonlyMap<string, readonly string[]>;
  /** There are no others. */
  readonly isWhole: boolean;
}

type Selecting = Pick<Storage["hosts"], "select">;

/** Dependencies name only what exists; what something runs on need not exist. */
export function storedSurroundings({ hosts, services, dependencies, links }: Reads, scope: Scope): Surroundings {
  const stores: Readonly<Record<Kind, Selecting>> = { host: hosts, service: services };
  const placeAt = { host: hostAt, service: serviceAt };

  async function existing(ids: readonly string[]): Promise<ReadonlyMap<string, Place>> {
    const found = new Map<string, Place>();
    for (const kind of ids.length === 0 ? [] : KINDS)
      for (const { _id } of await stores[kind].select(scope, named(ids), { projection: { _id: 1 }, hint: BY_ID }))
        found.set(_id, placeAt[kind](_id));
    return found;
  }

  /** Most inventories have few guests, which are read once. */
  let few: Promise<Guests> | undefined;

  async function guests(filter: object, limit: number): Promise<Guests> {
    const byRunner = new Map<string, Place[]>();
    const runnersBy = new Map<string, readonly string[]>();
    let isWhole = true;
    for (const kind of KINDS) {
      const options = { projection: { facets: 1 }, hint: FACET_INDEX, limit };
      const found = await stores[kind].select(scope, filter, options);
      isWhole &&= found.length < limit;
      for (const { _id, facets } of found) {
        const place = placeAt[kind](_id);
        const runners = runnersAmong(facets as string[]);
        runnersBy.set(keyOf(place), runners);
        for (const runner of runners) putUnder(byRunner, runner, place);
      }
    }
    return { byRunner, runnersOf: runnersBy, isWhole };
  }

  const fewGuests = (): Promise<Guests> => (few ??= guests(GUESTS, MOST_AT_ONCE));

  /** The ids of what places run on. */
  async function runnersAt(places: readonly Place[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const { isWhole, runnersOf } = await fewGuests();
    if (isWhole) return runnersOf;
    const found = new Map<string, readonly string[]>();
    for (const kind of KINDS) {
      const options = { projection: { facets: 1 }, hint: BY_ID };
      for (const { _id, facets } of await stores[kind].select(scope, named(idsIn(places, kind)), options))
        found.set(keyOf(placeAt[kind](_id)), runnersAmong((facets ?? []) as string[]));
    }
    return found;
  }

  let isLinked: Promise<boolean> | undefined;
  const anyLinks = (): Promise<boolean> =>
    (isLinked ??= links
      .select(scope, {}, { projection: { _id: 1 }, hint: creationIndex(true), limit: 1 })
      .then(({ length }) => length > 0));

  let linksLeft = MOST_LINKS;
  /** Of networks; null for one with too many links. */
  const hanging = new Map<string, Promise<Hanging | null>>();

  async function hangingIn(networkId: string, together: readonly string[]): Promise<Hanging | null> {
    const found: HostLink[] = [];
    const query = {
      filter: matching(links.within(scope), { network_id: networkId }),
      ...{ hint: creationIndex(true), limit: linksLeft + 1, mostRows: LINKS_AT_ONCE },
    };
    for await (const batch of links.readStored(scope, query))
      found.push(...batch.flatMap(({ entity }) => hostLinkOf(entity)));
    linksLeft -= found.length;
    if (linksLeft < 0) return null;
    const filter = { network_id: networkId, ...facetFilter({ role: CARRIERS }) };
    const carriers = await hosts.select(scope, filter, { projection: { facets: 1 }, hint: FACET_INDEX });
    return hangingOf(
      carriers.flatMap(({ _id, facets }) => carrierOf(_id, facets as string[])),
      found,
      together,
    );
  }

  return {
    servicesOn: async (hostIds, most) => {
      if (hostIds.length === 0) return [];
      const options = { projection: { host_id: 1 }, hint: HOST_ORDER_INDEX, limit: most };
      const found = await services.select(scope, { host_id: { $in: [...hostIds] } }, options);
      return found.map(({ _id, host_id }) => ({
        ...{ from: hostAt(String(host_id)), to: serviceAt(_id), via: "runs_on" as const },
      }));
    },
    guestsOf: async (places, most) => {
      const all = await fewGuests();
      const ids = places.map(({ id }) => id);
      const found = all.isWhole ? all : await guests({ ...facetFilter({ runs_on: ids }) }, most);
      return places.flatMap((from) =>
        (found.byRunner.get(from.id) ?? []).map((to) => ({ from, to, via: "virtualization" as const })),
      );
    },
    runnersOf: async (places) => {
      const steps: Step[] = [];
      const filter = matching(services.within(scope), named(idsIn(places, "service")));
      const query = { filter, projection: { host_id: 1 }, hint: BY_ID, firstRows: FIRST_ROWS };
      for await (const batch of services.read(scope, query))
        for (const at of batch.starts) {
          const from = serviceAt(textOf(batch, at, "_id"));
          steps.push({ from, to: hostAt(textOf(batch, at, "host_id")), via: "runs_on" });
        }
      const runners = await runnersAt(places);
      const runs = places.flatMap((from) => (runners.get(keyOf(from)) ?? []).map((id) => ({ from, id })));
      const there = await existing([...new Set(runs.map(({ id }) => id))]);
      for (const { from, id } of runs) {
        const to = there.get(id);
        if (to !== undefined) steps.push({ from, to, via: "virtualization" });
      }
      return steps;
    },
    needsAt: async (places, { direction, most, isReached }) => {
      const { start, end, hint } = OF_NEEDS[direction];
      const from = new Map(places.map((place) => [keyOf(place), place]));
      const filter = matching(dependencies.within(scope), { [start]: { $in: [...from.keys()] } });
      const query = { filter, projection: KEYS, hint, limit: most + 1, firstRows: FIRST_ROWS };
      const steps: Step[] = [];
      let read = 0;
      for await (const batch of dependencies.read(scope, query)) {
        read += batch.starts.length;
        for (const at of batch.starts) {
          const key = textOf(batch, at, end);
          // Most lead to what is reached already.
          const place = isReached(key) ? undefined : from.get(textOf(batch, at, start));
          if (place === undefined) continue;
          steps.push({ from: place, to: placeIn(key), via: "dependency", dependencyId: textOf(batch, at, "_id") });
        }
      }
      return { steps, isWhole: read <= most };
    },
    linkedTo: async (hostIds, { direction, together }) => {
      if (hostIds.length === 0 || !(await anyLinks())) return { steps: [], isWhole: true };
      const options = { projection: { network_id: 1 }, hint: BY_ID };
      const byNetwork = new Map<string, string[]>();
      for (const { _id, network_id } of await hosts.select(scope, named(hostIds), options))
        putUnder(byNetwork, String(network_id), _id);
      const steps: Step[] = [];
      let isWhole = true;
      for (const [networkId, ids] of byNetwork) {
        const known =
          hanging.get(networkId) ?? linkGraphs.run(() => hangingIn(networkId, together), scope.organizationId);
        hanging.set(networkId, known);
        const found = await known;
        if (found === null) isWhole = false;
        else steps.push(...linkSteps(found, ids, direction));
      }
      return { steps, isWhole };
    },
    needsOn: async (hostId) => {
      const options = { projection: KEYS, hint: HOST_DEPENDENCIES_INDEX };
      const found = await dependencies.select(scope, { host_id: hostId }, options);
      return found.flatMap(({ _id, client_key, server_key }) => {
        const client = placeIn(String(client_key));
        // Services of the host are followed for themselves.
        if (client.kind === "service" || client.id !== hostId) return [];
        return [
          {
            ...{ from: hostAt(hostId), to: placeIn(String(server_key)), via: "dependency" as const },
            dependencyId: _id,
          },
        ];
      });
    },
    known: async (places) => {
      const known = new Map<string, KnownPlace>();
      for (const kind of KINDS) {
        const ids = places.flatMap((one) =>
          one.kind === kind || (kind === "host" && one.kind === "process") ? one.id : [],
        );
        if (ids.length === 0) continue;
        const options = { projection: { name: 1, host_id: 1 }, hint: BY_ID };
        for (const { _id, name, host_id } of await stores[kind].select(scope, named([...new Set(ids)]), options))
          known.set(keyOf(placeAt[kind](_id)), { name: String(name), hostId: kind === "host" ? _id : String(host_id) });
      }
      for (const place of places) {
        const host = place.kind === "process" ? known.get(keyOf(hostAt(place.id))) : undefined;
        if (host !== undefined) known.set(keyOf(place), host);
      }
      return known;
    },
  };
}

const KEYS = { client_key: 1, server_key: 1 } as const;
/** The fields where steps start and end, and the index that has both. */
const OF_NEEDS = {
  dependents: { start: "server_key", end: "client_key", hint: CLIENTS_INDEX },
  dependencies: { start: "client_key", end: "server_key", hint: SERVERS_INDEX },
} as const;
/** What is read of each is short. */
const FIRST_ROWS = 2_000;

function textOf(batch: RawBatch, start: number, name: string): string {
  for (const fields = new Fields(batch, start); fields.next();) if (fields.name === name) return fields.text;
  return "";
}

/** Tunnels lead through other links. */
function hostLinkOf({ kind, ends: [one, other] }: Link): HostLink[] {
  return kind === "Tunnel" || one === undefined || other === undefined ? [] : [[one.host_id, other.host_id]];
}

function carrierOf(id: string, facets: readonly string[]): Carrier[] {
  const role = CARRIERS.find((one) => isOfRole(facets, one));
  return role === undefined ? [] : [{ id, role, runners: runnersAmong(facets) }];
}

function idsIn(places: readonly Place[], of: Kind): string[] {
  return places.flatMap(({ kind, id }) => (kind === of ? id : []));
}

function named(ids: readonly string[]): { _id: { $in: string[] } } {
  return { _id: { $in: [...ids] } };
}

type Source = Pick<MapSource, "all">;

/** All that an impact could follow in a source. @throws AppError `too_many_changes` · `rate_limited` · `unavailable` */
export function wholeOf(source: Source, organizationId: string): Promise<Whole> {
  return linkGraphs.run(() => readWhole(source), organizationId);
}

async function readWhole({ all }: Source): Promise<Whole> {
  const places: Whole["places"][number][] = [];
  const needs: Whole["needs"][number][] = [];
  const networks = new Map<string, { readonly carriers: Carrier[]; readonly links: HostLink[] }>();
  let linked = 0;
  const inNetwork = (id: string) => {
    const known = networks.get(id) ?? { carriers: [], links: [] };
    networks.set(id, known);
    return known;
  };
  const requireFew = (): void => {
    if (places.length + needs.length + linked > PAST.entities)
      throw new AppError("too_many_changes", { limit: PAST.entities });
  };
  const take = (entity: HostRecord | Service): void => {
    const isService = "host_id" in entity;
    const place = isService ? serviceAt(entity.id) : hostAt(entity.id);
    const hostId = isService ? entity.host_id : entity.id;
    const runners = runnersOf(entity);
    places.push({ place, name: entity.name, hostId, runners });
    const role = isService ? null : roleOfHost(entity);
    if (role !== null && CARRIERS.includes(role))
      inNetwork(entity.network_id).carriers.push({ id: entity.id, role, runners: runners.map(({ id }) => id) });
  };
  for (const kind of ["hosts", "services"] as const)
    for await (const read of all(kind)) {
      for (const { entity } of read) take(entity);
      requireFew();
    }
  for await (const read of all("dependencies")) {
    for (const { entity } of read)
      needs.push({ client: clientOf(entity), server: serverOf(entity), id: entity.id, hostId: entity.client.host_id });
    requireFew();
  }
  for await (const read of all("links")) {
    linked += read.length;
    for (const { entity } of read) inNetwork(entity.network_id).links.push(...hostLinkOf(entity));
    requireFew();
  }
  const parts = [...networks.values()].map(({ carriers, links }) => hangingOf(carriers, links));
  const hanging = {
    above: new Map(parts.flatMap(({ above }) => [...above])),
    below: new Map(parts.flatMap(({ below }) => [...below])),
  };
  return { places, needs, hanging };
}
