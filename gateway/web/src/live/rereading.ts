import {
  type Change,
  diffChanges,
  type Endpoint,
  getHost,
  getStats,
  getSubnet,
  getSubnetUtilization,
  getTopology,
  listChanges,
  listHosts,
  listInterfaces,
  listNetworks,
  listServices,
  listSubnets,
  listTags,
  type Topology,
} from "@nts/shared/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { levelAt, limitState } from "../api/limit.js";
import { isOwnRequest } from "../api/own-requests.js";
import { FOLLOWED } from "../api/queries.js";
import type { Watcher } from "./follower.js";

// What is shown is read again when something has changed that it shows. Rows that stayed the same stay the same objects, so
// that nothing moves but what changed.

type Kind = Change["entity"];

const ON_HOSTS: readonly Kind[] = ["Host", "Interface", "Port", "Service", "Network"];
const EVERYTHING: readonly Kind[] = [...ON_HOSTS, "Subnet", "Tag"];

/** The kinds of entities of which an answer tells. */
const TELLS: ReadonlyMap<string, readonly Kind[]> = new Map(
  (
    [
      [listNetworks, ["Network"]],
      [listSubnets, ["Subnet", "Network"]],
      [getSubnet, ["Subnet", "Network"]],
      [getSubnetUtilization, ["Subnet", "Interface", "Network"]],
      [listHosts, ON_HOSTS],
      [getHost, ON_HOSTS],
      [listInterfaces, ["Interface", "Network"]],
      [listServices, ["Service", "Host", "Network"]],
      [listTags, ["Tag"]],
      [getStats, [...ON_HOSTS, "Subnet"]],
      [getTopology, [...ON_HOSTS, "Subnet"]],
      [listChanges, EVERYTHING],
      [diffChanges, EVERYTHING],
    ] as readonly (readonly [Endpoint, readonly Kind[]])[]
  ).map(([{ operationId }, kinds]) => [operationId, kinds]),
);

/** Read from the journal, which contains a write only some time after its response. */
const FROM_JOURNAL: ReadonlySet<unknown> = new Set([listChanges.operationId, diffChanges.operationId]);

/** Milliseconds between two readings while changes go on, and where few requests are left. */
const PACE_MS = 2_000;
const SLOW_PACE_MS = 15_000;
/** Milliseconds between two readings of the whole topology, for each node of it. */
const REST_MS_PER_NODE = 4;
/** Of the requests that are possible at once, those that are left to the person. */
const SPARED = 0.3;

/** Makes what reads again what is shown, soon after it has changed, and not faster than the rate limit bears. */
export function createRereading(queries: QueryClient): { readonly watcher: Watcher; readonly stop: () => void } {
  let kinds = newKinds();
  let lastMs = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What is not to be read again yet, although it has changed. */
  const resting = new Set<Query>();
  let restTimer: ReturnType<typeof setTimeout> | undefined;

  function read(): void {
    timer = undefined;
    const told = kinds;
    kinds = newKinds();
    lastMs = performance.now();
    for (const query of queries.getQueryCache().findAll({ predicate: (one) => isToldBy(one, told) }))
      resting.add(query);
    readRested();
  }

  function readRested(): void {
    const rested = new Set([...resting].filter((query) => restMs(query) <= 0));
    for (const query of rested) resting.delete(query);
    void queries.invalidateQueries({ predicate: (query) => rested.has(query) });
    clearTimeout(restTimer);
    if (resting.size > 0) restTimer = setTimeout(readRested, Math.min(...[...resting].map(restMs)));
  }

  return {
    watcher: (changes) => {
      if (changes === null) {
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === FOLLOWED || isTelling(queryKey),
        });
        return;
      }
      for (const { entity, request_id: id } of changes) {
        kinds.all.add(entity);
        if (id === null || !isOwnRequest(id)) kinds.byOthers.add(entity);
      }
      if (kinds.all.size > 0) timer ??= setTimeout(read, Math.max(0, lastMs + paceMs() - performance.now()));
    },
    stop: () => {
      clearTimeout(timer);
      clearTimeout(restTimer);
    },
  };
}

/** Kinds that have changed: of all writers, and of others than this tab, whose own writes refetch at once. */
interface Kinds {
  readonly all: Set<Kind>;
  readonly byOthers: Set<Kind>;
}

const newKinds = (): Kinds => ({ all: new Set(), byOthers: new Set() });

function isTelling([operationId, input]: Query["queryKey"]): boolean {
  return TELLS.has(String(operationId)) && !isOfThePast(input);
}

/** What was does not change. */
function isOfThePast(input: unknown): boolean {
  return (input as { query?: { as_of?: string } } | undefined)?.query?.as_of !== undefined;
}

/** What could not be read stays as it is: reading it again would take away what stands in its place. */
function isToldBy({ queryKey, state }: Query, { all, byOthers }: Kinds): boolean {
  const kinds = FROM_JOURNAL.has(queryKey[0]) ? all : byOthers;
  return (
    state.data !== undefined &&
    isTelling(queryKey) &&
    TELLS.get(String(queryKey[0]))?.some((kind) => kinds.has(kind)) === true
  );
}

/** Milliseconds until something may be read again: a large topology costs more than others, and is not asked for twice at once. */
function restMs({ queryKey: [operationId], state }: Query): number {
  if (operationId !== getTopology.operationId || state.data === undefined) return 0;
  if (state.fetchStatus === "fetching") return PACE_MS;
  const { nodes } = (state.data as { readonly data: Topology }).data;
  return state.dataUpdatedAt + nodes.length * REST_MS_PER_NODE - Date.now();
}

function paceMs(): number {
  const state = limitState();
  if (state === null) return PACE_MS;
  const { remaining, capacity } = levelAt(state, Date.now());
  return remaining < capacity * SPARED ? SLOW_PACE_MS : PACE_MS;
}
