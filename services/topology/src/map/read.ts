import type { Document } from "mongodb";
import type {
  Category,
  Dependency,
  HostRecord,
  Interface,
  Link,
  Port,
  Service,
  Subnet,
  TopologyEdge,
  TopologyNode,
  Vlan,
} from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID, creationIndex } from "../storage/indexes.js";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import { DEADLINES } from "@nts/shared/timing";
import type { Entities, Entity, StoredFields } from "../storage/entities.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import { hostNode, inSubnetEdge, onHostEdge, serviceNode, subnetNode, virtualizedByEdges } from "./map.rules.js";
import { isOfRole, runnersAmong } from "../values/facets.rules.js";
import { type Runner, runnersOf } from "../values/runners.rules.js";
import { CORES, type TreeHost, type TreeLink } from "./tree.rules.js";

/** Entities decoded at a time, so that large maps do not block other requests. */
const MOST_ROWS = 500;

/** The entities of a map. */
interface Parts {
  readonly subnets: Subnet;
  readonly hosts: HostRecord;
  readonly interfaces: Interface;
  readonly ports: Port;
  readonly services: Service;
  readonly dependencies: Dependency;
  readonly links: Link;
  readonly vlans: Vlan;
}

/** Entities of one snapshot, by kind. */
export interface MapSource {
  /** All of a kind, by network and age, in batches. */
  all<Kind extends keyof Parts>(kind: Kind): AsyncIterable<readonly Read<Parts[Kind]>[]>;
  /** All hosts, from the oldest of each network on, and the ends of all links, as `all` has them: what trees are made of. */
  treeHosts(): AsyncIterable<readonly TreeHost[]>;
  treeLinks(): AsyncIterable<readonly TreeLink[]>;
  /** Existing ports by id. */
  ports(ids: readonly string[]): Promise<readonly Port[]>;
  /** Existing VLANs by id. */
  vlans(ids: readonly string[]): Promise<readonly Vlan[]>;
  /** Existing entities among the given ids. */
  there(kind: "hosts" | "services", ids: readonly string[]): Promise<ReadonlySet<unknown>>;
}

export interface Read<T> {
  readonly entity: T;
  /** Of a service. */
  readonly category: Category;
  /** Since when imports miss it; null if they do not, and for the past. */
  readonly missedSince: string | null;
}

/** A batch of nodes or edges. */
export interface MapPiece {
  readonly nodes?: readonly TopologyNode[];
  readonly edges?: readonly TopologyEdge[];
}

/** Streams the map of subnets, hosts and services of a source: all nodes, then all edges, both by network and age. */
export async function* readMap(source: MapSource): AsyncGenerator<MapPiece> {
  yield* nodesOf(source);
  yield* edgesOf(source);
}

async function* nodesOf({ all, vlans }: MapSource): AsyncGenerator<MapPiece> {
  for await (const read of all("subnets")) {
    const found = await vlans(read.flatMap(({ entity }) => entity.vlan_id ?? []));
    const vlanById = new Map(found.map((vlan) => [vlan.id, vlan]));
    yield { nodes: read.map(({ entity }) => subnetNode(entity, vlanById)) };
  }
  for await (const read of all("hosts")) yield { nodes: read.map((one) => hostNode(one.entity, one.missedSince)) };
  for await (const read of all("services"))
    yield { nodes: read.map((one) => serviceNode(one.entity, one.category, one.missedSince)) };
}

async function* edgesOf(source: MapSource): AsyncGenerator<MapPiece> {
  const { all, ports } = source;
  for await (const read of all("interfaces")) yield { edges: read.map(({ entity }) => inSubnetEdge(entity)) };
  for await (const read of all("services")) {
    const named = read.flatMap(({ entity }) =>
      entity.bindings.flatMap((one) => (one.type === "Port" ? [one.port_id] : [])),
    );
    const portById = new Map((await ports(named)).map((port) => [port.id, port]));
    yield { edges: read.map(({ entity }) => onHostEdge(entity, portById)) };
    yield {
      edges: await virtualized(
        source,
        read.map(({ entity }) => entity),
      ),
    };
  }
  for await (const read of all("hosts"))
    yield {
      edges: await virtualized(
        source,
        read.map(({ entity }) => entity),
      ),
    };
}

async function virtualized(
  { there: thereOf }: MapSource,
  entities: readonly (HostRecord | Service)[],
): Promise<TopologyEdge[]> {
  const runners = entities.flatMap(runnersOf);
  const idsOf = (kind: Runner["kind"]): string[] => runners.filter((one) => one.kind === kind).map(({ id }) => id);
  const there = { service: await thereOf("services", idsOf("service")), host: await thereOf("hosts", idsOf("host")) };
  return entities.flatMap((entity) => virtualizedByEdges(entity, ({ kind, id }) => there[kind].has(id)));
}

/**
 * The stored entities of a scope in one snapshot, which the database retains for five minutes; slower readers get an
 * error.
 */
export function storedSource(storage: Pick<Storage, keyof Parts | "vlans">, scope: Scope): MapSource {
  const moment: Moment = {};
  return {
    all: (kind) => all(storage[kind] as unknown as Entities<Parts[typeof kind]>, scope, moment),
    treeHosts: async function* () {
      for await (const read of documents(storage.hosts, scope, moment, { _id: 1, facets: 1 }))
        yield read.map(({ _id, facets }) => treeHostOf(String(_id), facets as readonly string[]));
    },
    treeLinks: async function* () {
      for await (const read of documents(storage.links, scope, moment, { _id: 0, host_id: 1 }))
        yield read.map(({ host_id: [one, other] }) => [one, other] as TreeLink);
    },
    ports: async (ids) => {
      const found = await some(storage.ports, scope, moment, { ids, projection: STORED });
      return found.map((port) => storage.ports.storedIn(port as StoredFields, scope).entity);
    },
    vlans: async (ids) => {
      const found = await some(storage.vlans, scope, moment, { ids, projection: STORED });
      return found.map((vlan) => storage.vlans.storedIn(vlan as StoredFields, scope).entity);
    },
    there: async (kind, ids) => {
      const entities = storage[kind] as Pick<Entities<Entity>, "read" | "within">;
      const found = await some(entities, scope, moment, { ids, projection: { _id: 1 } });
      return new Set(found.map(({ _id }) => _id as unknown));
    },
  };
}

/** All entities of the scope, by network and age. */
async function* all<T extends Entity>(
  entities: Entities<T>,
  scope: Scope,
  moment: Moment,
): AsyncGenerator<readonly Read<T>[]> {
  for await (const read of documents(entities, scope, moment, { ...STORED, category: 1 }))
    yield read.map((found) => {
      const { category, ...stored } = found as StoredFields & { category: Category };
      const { entity, sighting } = entities.storedIn(stored, scope);
      return { entity, category, missedSince: sighting?.missed_since ?? null };
    });
}

/** Fields of all entities of the scope, by network and age. */
async function* documents(
  { read, within }: Pick<Entities<Entity>, "read" | "within">,
  scope: Scope,
  moment: Moment,
  projection: Document,
): AsyncGenerator<Document[]> {
  const sort = { network_id: 1, created_at: 1, _id: 1 };
  const order = { sort, hint: creationIndex(true), mostRows: MOST_ROWS, maxTimeMS: DEADLINES.streamMs };
  for await (const batch of read(scope, { filter: within(scope), projection, ...order }, moment))
    yield documentsIn(batch);
}

/** Hosts have facets of their role and of what they run on. */
function treeHostOf(id: string, facets: readonly string[]): TreeHost {
  return { id, role: CORES.find((role) => isOfRole(facets, role)) ?? null, runners: runnersAmong(facets) };
}

/** Documents of entities in the scope among the given ids. */
async function some(
  { read, within }: Pick<Entities<Entity>, "read" | "within">,
  scope: Scope,
  moment: Moment,
  { ids, projection }: { ids: readonly string[]; projection: Document },
): Promise<Document[]> {
  if (ids.length === 0) return [];
  const query = { filter: { ...within(scope), _id: { $in: [...new Set(ids)] } }, projection, hint: BY_ID };
  const found: Document[] = [];
  for await (const batch of read(scope, query, moment)) found.push(...documentsIn(batch));
  return found;
}
