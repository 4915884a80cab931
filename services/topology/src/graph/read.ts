import type { Document } from "mongodb";
import type { Category, HostRecord, Service, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { STREAM_MS } from "@nts/shared/mongo/connect";
import { BY_ID, orderIndex, SERVICE_TRAILING, type IndexKey } from "../storage/indexes.js";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { Entities, Entity, StoredFields } from "../storage/entities.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import { hostNode, inSubnetEdge, onHostEdge, type Runner, runnersOf, serviceNode, subnetNode, virtualizedByEdges } from "./graph.rules.js"; // prettier-ignore

/** Decoded at a time, so that a large graph keeps nobody else waiting. */
const MOST_ROWS = 500;

/** What the graph is made of. */
type Parts = Pick<Storage, "subnets" | "hosts" | "interfaces" | "ports" | "services">;

/** Some nodes, or some edges, of a graph. */
export interface GraphPiece {
  readonly nodes?: readonly TopologyNode[];
  readonly edges?: readonly TopologyEdge[];
}

/**
 * The graph of a scope, piece by piece: all nodes, then all edges, both by network and age. All of it is of one moment,
 * which the database remembers for five minutes; who reads for longer gets an error.
 */
export async function* readGraph(parts: Parts, scope: Scope): AsyncGenerator<GraphPiece> {
  const moment: Moment = {};
  yield* nodesOf(parts, scope, moment);
  yield* edgesOf(parts, scope, moment);
}

async function* nodesOf({ subnets, hosts, services }: Parts, scope: Scope, moment: Moment) {
  for await (const read of all(subnets, scope, moment)) yield { nodes: read.map(({ entity }) => subnetNode(entity)) };
  for await (const read of all(hosts, scope, moment)) yield { nodes: read.map(({ entity }) => hostNode(entity)) };
  for await (const read of all(services, scope, moment, SERVICE_TRAILING))
    yield { nodes: read.map(({ entity, category }) => serviceNode(entity, category)) };
}

async function* edgesOf(parts: Parts, scope: Scope, moment: Moment): AsyncGenerator<GraphPiece> {
  const { hosts, interfaces, ports, services } = parts;
  for await (const read of all(interfaces, scope, moment)) yield { edges: read.map(({ entity }) => inSubnetEdge(entity)) }; // prettier-ignore
  for await (const read of all(services, scope, moment, SERVICE_TRAILING)) {
    const named = read.flatMap(({ entity }) => entity.bindings.flatMap((one) => (one.type === "Port" ? [one.port_id] : []))); // prettier-ignore
    const found = await some(ports, scope, moment, { ids: named, projection: STORED });
    const portById = new Map(
      found.map((port) => ports.storedIn(port as StoredFields, scope).entity).map((port) => [port.id, port]),
    );
    yield { edges: read.map(({ entity }) => onHostEdge(entity, portById)) };
    yield { edges: await virtualized(parts, scope, moment, read.map(({ entity }) => entity)) }; // prettier-ignore
  }
  for await (const read of all(hosts, scope, moment))
    yield { edges: await virtualized(parts, scope, moment, read.map(({ entity }) => entity)) }; // prettier-ignore
}

async function virtualized(
  { hosts, services }: Parts,
  scope: Scope,
  moment: Moment,
  entities: readonly (HostRecord | Service)[],
): Promise<TopologyEdge[]> {
  const runners = entities.flatMap(runnersOf);
  const thereOf = async (kind: Runner["kind"]): Promise<Set<unknown>> => {
    const ids = runners.filter((one) => one.kind === kind).map(({ id }) => id);
    const projection = { _id: 1 };
    const found =
      kind === "service"
        ? await some(services, scope, moment, { ids, projection })
        : await some(hosts, scope, moment, { ids, projection });
    return new Set(found.map(({ _id }) => _id as unknown));
  };
  const there = { service: await thereOf("service"), host: await thereOf("host") };
  return entities.flatMap((entity) => virtualizedByEdges(entity, ({ kind, id }) => there[kind].has(id)));
}

interface Read<T> {
  readonly entity: T;
  /** Of a service. */
  readonly category: Category;
}

/** All entities of the scope, in the order of an index. @param trailing what stands at the end of that index */
async function* all<T extends Entity>(
  { read, storedIn, within }: Entities<T>,
  scope: Scope,
  moment: Moment,
  trailing?: IndexKey,
): AsyncGenerator<readonly Read<T>[]> {
  const sort = { network_id: 1, created_at: 1, _id: 1 };
  const hint = orderIndex("created_at", true, trailing);
  const query = { filter: within(scope), sort, hint, mostRows: MOST_ROWS, maxTimeMS: STREAM_MS };
  for await (const batch of read(scope, { ...query, projection: { ...STORED, category: 1 } }, moment))
    yield documentsIn(batch).map((found) => {
      const { category, ...stored } = found as StoredFields & { category: Category };
      return { entity: storedIn(stored, scope).entity, category };
    });
}

/** Those of some entities that are in the scope, as documents. */
async function some<T extends Entity>(
  { read, within }: Entities<T>,
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
