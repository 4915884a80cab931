/**
 * What a system of a given size needs, computed from costs that `npm run bench -- scale --save` measured. Every part is taken
 * to cost the same per request, however many processes share the work; nothing of this was run.
 */

/** Microseconds of processor time per request. */
export type Cost = Readonly<Record<Part, number>>;
export const PARTS = ["gateway", "topology", "identity", "mongod", "redis"] as const;
export type Part = (typeof PARTS)[number];

export const WORKS = ["one", "page", "update"] as const;
export type WorkName = (typeof WORKS)[number];

export interface Measured {
  readonly cpuMicros: Readonly<Record<WorkName, Cost>>;
  /** Of the indexes of services, and of those of everything on a host per service. */
  readonly indexBytes: { readonly services: number; readonly all: number };
  /** Of the guards of a network, which every write reads. */
  readonly guardBytes: number;
  /** Of an entry on disk. */
  readonly journalBytes: { readonly entry: number; readonly indexes: number };
}

export interface Plan {
  readonly organizations: number;
  readonly services: number;
  readonly perSecond: number;
  readonly journalDays: number;
}

export const PLAN: Plan = { organizations: 10_000, services: 10_000_000, perSecond: 5_000, journalDays: 90 };

/** The share of each kind of work. */
export const MIX: Readonly<Record<WorkName, number>> = { one: 0.7, page: 0.2, update: 0.1 };
/** How busy a process may be: while another one starts or dies, the others do its work. */
export const BUSY = 0.6;
/** A topology, an identity or a gateway uses one core; so does Redis. A large server for MongoDB has so many. */
const CORES_OF: Readonly<Partial<Record<Part, number>>> = { redis: 1, mongod: 32 };
/** Replicas that remain while one is replaced and one fails. */
const LEAST: Readonly<Partial<Record<Part, number>>> = { gateway: 2, topology: 3, identity: 2 };
const NETWORKS_OF_ORGANIZATION = 3;
/** Memory of a large server, of which half is the cache of WiredTiger. */
const MONGODB_MEMORY = 256e9;
const DAY_SECONDS = 86_400;

export interface Needs {
  /** Cores of each part. */
  readonly cores: Cost;
  readonly indexMemory: number;
  readonly guardMemory: number;
  readonly journalDisk: number;
  /** Requests per second at which each part that cannot be replicated is exhausted, the first one first. */
  readonly limits: readonly { readonly part: Part; readonly perSecond: number }[];
  /** Services whose indexes fit into the memory of one server. */
  readonly mostServices: number;
  /** Replicas for autoscaling. */
  readonly replicas: Readonly<Partial<Record<Part, { readonly min: number; readonly max: number }>>>;
}

export function needsOf({ cpuMicros, indexBytes, guardBytes, journalBytes }: Measured, plan: Plan): Needs {
  const microsOf = (part: Part): number => WORKS.reduce((sum, work) => sum + MIX[work] * cpuMicros[work][part], 0);
  const coresOf = (part: Part): number => (plan.perSecond * microsOf(part)) / 1e6 / BUSY;
  const cores = Object.fromEntries(PARTS.map((part) => [part, coresOf(part)])) as unknown as Cost;
  const entries = plan.perSecond * MIX.update * DAY_SECONDS * plan.journalDays;
  const limits = Object.entries(CORES_OF).map(([part, most]) => ({
    part: part as Part,
    perSecond: (most * BUSY * 1e6) / microsOf(part as Part),
  }));
  return {
    cores,
    indexMemory: plan.services * indexBytes.all,
    guardMemory: plan.organizations * NETWORKS_OF_ORGANIZATION * guardBytes,
    journalDisk: entries * (journalBytes.entry + journalBytes.indexes),
    limits: limits.toSorted((a, b) => a.perSecond - b.perSecond),
    mostServices: MONGODB_MEMORY / 2 / indexBytes.all,
    replicas: Object.fromEntries(
      Object.entries(LEAST).map(([part, min]) => [
        part,
        { min, max: Math.max(2 * min, Math.ceil(cores[part as Part])) },
      ]),
    ),
  };
}
