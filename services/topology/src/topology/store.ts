import type { ClientSession, Db, Filter, FindOptions } from "mongodb";
import type { Category, HostRecord, Interface, Port, Service, Subnet, TopologyEdge, TopologyNode } from "@nts/shared/contract"; // prettier-ignore
import type { Scope } from "@nts/shared/http/tenancy";
import { orderIndex, SERVICE_TRAILING, type IndexKey } from "../indexes.js";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import { batches } from "../storage/lists.js";
import { hostNode, inSubnetEdge, onHostEdge, type Runner, runnersOf, serviceNode, subnetNode, virtualizedByEdges } from "./graph.js"; // prettier-ignore

/** What the graph is made of. */
interface Parts {
  readonly subnets: Entities<Subnet>;
  readonly hosts: Entities<HostRecord>;
  readonly interfaces: Entities<Interface>;
  readonly ports: Entities<Port>;
  readonly services: Entities<Service>;
}

/** Some nodes, or some edges, of a graph. */
export interface GraphPiece {
  readonly nodes?: readonly TopologyNode[];
  readonly edges?: readonly TopologyEdge[];
}

export interface TopologyStore {
  /**
   * The graph of a scope, piece by piece: all nodes, then all edges, both by network and age. All of it is of one moment,
   * which the database remembers for five minutes; who reads for longer gets an error.
   */
  read(scope: Scope): AsyncGenerator<GraphPiece>;
}

export function createTopologyStore(db: Db, parts: Parts): TopologyStore {
  return {
    read: async function* (scope) {
      const session = db.client.startSession({ snapshot: true });
      try {
        yield* nodesOf(parts, scope, session);
        yield* edgesOf(parts, scope, session);
      } finally {
        await session.endSession();
      }
    },
  };
}

async function* nodesOf({ subnets, hosts, services }: Parts, scope: Scope, session: ClientSession) {
  for await (const read of all(subnets, scope, session)) yield { nodes: read.map(({ entity }) => subnetNode(entity)) };
  for await (const read of all(hosts, scope, session)) yield { nodes: read.map(({ entity }) => hostNode(entity)) };
  for await (const read of all(services, scope, session, SERVICE_TRAILING))
    yield { nodes: read.map(({ entity, category }) => serviceNode(entity, category)) };
}

async function* edgesOf(parts: Parts, scope: Scope, session: ClientSession): AsyncGenerator<GraphPiece> {
  const { hosts, interfaces, ports, services } = parts;
  for await (const read of all(interfaces, scope, session)) yield { edges: read.map(({ entity }) => inSubnetEdge(entity)) }; // prettier-ignore
  for await (const read of all(services, scope, session, SERVICE_TRAILING)) {
    const named = read.flatMap(({ entity }) => entity.bindings.flatMap((one) => (one.type === "Port" ? [one.port_id] : []))); // prettier-ignore
    const portById = new Map((await some(ports, scope, session, named)).map((port) => [port.id, port]));
    yield { edges: read.map(({ entity }) => onHostEdge(entity, portById)) };
    yield { edges: await virtualized(parts, scope, session, read.map(({ entity }) => entity)) }; // prettier-ignore
  }
  for await (const read of all(hosts, scope, session))
    yield { edges: await virtualized(parts, scope, session, read.map(({ entity }) => entity)) }; // prettier-ignore
}

async function virtualized(
  { hosts, services }: Parts,
  scope: Scope,
  session: ClientSession,
  entities: readonly (HostRecord | Service)[],
): Promise<TopologyEdge[]> {
  const runners = entities.flatMap(runnersOf);
  const idsOf = (kind: Runner["kind"]): string[] => runners.filter((one) => one.kind === kind).map(({ id }) => id);
  const there = {
    service: new Set((await some(services, scope, session, idsOf("service"))).map(({ id }) => id)),
    host: new Set((await some(hosts, scope, session, idsOf("host"))).map(({ id }) => id)),
  };
  return entities.flatMap((entity) => virtualizedByEdges(entity, ({ kind, id }) => there[kind].has(id)));
}

interface Read<T> {
  readonly entity: T;
  /** Of a service. */
  readonly category: Category;
}

/** All entities of the scope, in the order of an index. @param trailing what stands at the end of that index */
function all<T extends Entity>(
  { collection, within }: Entities<T>,
  scope: Scope,
  session: ClientSession,
  trailing?: IndexKey,
): AsyncGenerator<readonly Read<T>[]> {
  const hint = orderIndex("created_at", 1, true, trailing);
  const cursor = collection
    .find(within(scope), { ...ofOneMoment(session), hint, projection: { _id: 0, wire: 1, category: 1 } })
    .sort({ network_id: 1, created_at: 1, _id: 1 });
  return batches(cursor, (document) => {
    const { wire, category } = document as EntityDocument & { category: Category };
    return { entity: JSON.parse(wire) as T, category };
  });
}

/** Those of some entities that are in the scope. */
async function some<T extends Entity>(
  { collection, within }: Entities<T>,
  scope: Scope,
  session: ClientSession,
  ids: readonly string[],
): Promise<T[]> {
  if (ids.length === 0) return [];
  const filter: Filter<EntityDocument> = { ...within(scope), _id: { $in: [...new Set(ids)] } };
  const options = { ...ofOneMoment(session), hint: { _id: 1 }, projection: { _id: 0, wire: 1 } };
  const found = await collection.find(filter, options).toArray();
  return found.map(({ wire }) => JSON.parse(wire) as T);
}

/** The read concern is said again, because that of the client would take the place of the session's. */
function ofOneMoment(session: ClientSession): FindOptions {
  return { session, readConcern: { level: "snapshot" } };
}
