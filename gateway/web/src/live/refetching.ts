import {
  containersOf,
  diffChanges,
  type Endpoint,
  getHost,
  getHostImpact,
  getServiceImpact,
  getStats,
  getSubnetUtilization,
  getTopology,
  KIND_NAMES,
  type KindName,
  KINDS,
  KINDS_IN_NETWORKS,
  KINDS_ON_HOSTS,
  listChanges,
  listHosts,
  reportUtilization,
  type Topology,
} from "@nts/shared/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { levelAt, limitState } from "../api/limit.js";
import { isOwnRequest } from "../api/own-requests.js";
import { FOLLOWED } from "../api/queries.js";
import type { Watcher } from "./follower.js";

// Refetches what is shown after changes to its entities. Unchanged rows keep their identity, so only changes are
// rendered.

type Told = readonly [operationId: string, kinds: readonly KindName[]];

const HOSTS_WITH_CHILDREN: readonly KindName[] = ["Host", ...KINDS_ON_HOSTS, "Network"];

/** Lists and single reads show the names of what contains an entity. */
const OF_KINDS = KIND_NAMES.flatMap((name): Told[] => {
  const { singular, plural } = KINDS[name];
  const kinds = [name, ...containersOf(name)];
  return [
    [`list_${plural}`, kinds],
    [`get_${singular}_by_id`, kinds],
  ];
});

const OTHERS: readonly (readonly [Endpoint, readonly KindName[]])[] = [
  [getSubnetUtilization, ["Subnet", "Interface", "Network"]],
  [listHosts, HOSTS_WITH_CHILDREN],
  [getHost, HOSTS_WITH_CHILDREN],
  [getHostImpact, [...HOSTS_WITH_CHILDREN, "Dependency"]],
  [getServiceImpact, [...HOSTS_WITH_CHILDREN, "Dependency"]],
  [reportUtilization, ["Subnet", "Interface", "Network"]],
  [getStats, ["Network", ...KINDS_IN_NETWORKS]],
  [getTopology, ["Network", ...KINDS_IN_NETWORKS]],
  [listChanges, KIND_NAMES],
  [diffChanges, KIND_NAMES],
];

/** Entity kinds contained in the response of an operation. */
const TELLS: ReadonlyMap<string, readonly KindName[]> = new Map([
  ...OF_KINDS,
  ...OTHERS.map(([{ operationId }, kinds]): Told => [operationId, kinds]),
]);

/** These come from the journal, which lags behind the response of a write. */
const FROM_JOURNAL: ReadonlySet<unknown> = new Set([listChanges.operationId, diffChanges.operationId]);

/** Milliseconds between refetches during continuous changes, and if few requests are left. */
const PACE_MS = 2_000;
const SLOW_PACE_MS = 15_000;
/** Milliseconds between refetches of the whole topology, per node. */
const REST_MS_PER_NODE = 4;
/** Share of the available requests that is left to the user. */
const SPARED = 0.3;

/** Creates a refetcher that stays within the rate limit. */
export function createRefetching(queries: QueryClient): { readonly watcher: Watcher; readonly stop: () => void } {
  let kinds = newKinds();
  let lastMs = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Changed, but not due yet. */
  const resting = new Set<Query>();
  let restTimer: ReturnType<typeof setTimeout> | undefined;

  function read(): void {
    timer = undefined;
    const changed = kinds;
    kinds = newKinds();
    lastMs = performance.now();
    for (const query of queries.getQueryCache().findAll({ predicate: (one) => isAffectedBy(one, changed) }))
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
          predicate: ({ queryKey }) => queryKey[0] === FOLLOWED || isAffecting(queryKey),
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

/** Changed kinds: by all writers, and by others than this tab, whose own writes refetch at once. */
interface Kinds {
  readonly all: Set<KindName>;
  readonly byOthers: Set<KindName>;
}

const newKinds = (): Kinds => ({ all: new Set(), byOthers: new Set() });

function isAffecting([operationId, input]: Query["queryKey"]): boolean {
  return TELLS.has(String(operationId)) && !isOfThePast(input);
}

/** Past states do not change. */
function isOfThePast(input: unknown): boolean {
  return (input as { query?: { as_of?: string } } | undefined)?.query?.as_of !== undefined;
}

/** A failed query is not refetched, because that would remove its error message. */
function isAffectedBy({ queryKey, state }: Query, { all, byOthers }: Kinds): boolean {
  const kinds = FROM_JOURNAL.has(queryKey[0]) ? all : byOthers;
  return (
    state.data !== undefined &&
    isAffecting(queryKey) &&
    TELLS.get(String(queryKey[0]))?.some((kind) => kinds.has(kind)) === true
  );
}

/** Milliseconds until the next refetch; large topologies are refetched less often, and never concurrently. */
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
