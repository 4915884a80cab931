import { type Diff, diffChanges, getTopology, listChanges, type Topology } from "@nts/shared/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { api } from "../api/client.js";
import { presentSearch, withChanges } from "../list/list-state.js";
import { deletedBy, NOTHING, withLinks } from "./past.js";
import { type Step, stepsOf } from "./steps.js";

/** Maximum changes to step through. */
const MOST_CHANGES = 300;
/** Milliseconds for which an unused past state is cached: each can be as large as the present. */
const KEPT_MS = 30_000;

const kept = { staleTime: Infinity, gcTime: KEPT_MS, refetchOnWindowFocus: false } as const;

/** The times in the URL, as API values. */
export interface Moments {
  /** The time that is shown; null for that of the comparison. */
  readonly at: string | null;
  /** The time with which it is compared, later than the other; null for the present. */
  readonly to: string | null;
  readonly go: (at: string | null) => void;
  readonly compareWith: (to: string | null) => void;
  /** Back to the present. */
  readonly leave: () => void;
}

export function useMoments(): Moments {
  const [search, setSearch] = useSearchParams();
  const to = momentIn(search, "to");
  const at = momentIn(search, "at");
  const set = (next: { at: string | null; to: string | null }): void =>
    setSearch(withChanges(presentSearch(), next), { replace: true });
  return {
    at: isBefore(at, to) ? at : null,
    to,
    go: (next) => set({ at: isBefore(next, to) ? next : null, to }),
    compareWith: (next) => set({ at: isBefore(at, next) ? at : null, to: next }),
    leave: () => set({ at: null, to: null }),
  };
}

function momentIn(search: URLSearchParams, name: string): string | null {
  const ms = Date.parse(search.get(name) ?? "");
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function isBefore(at: string | null, to: string | null): boolean {
  return at !== null && (to === null || at < to);
}

export interface PastState {
  readonly at: string;
  readonly topology: Topology;
}

export interface Past {
  /** The state that is shown; until it has loaded, the previously selected one. */
  readonly then: PastState | undefined;
  /** The state with which it is compared; undefined for the present. */
  readonly end: PastState | undefined;
  readonly diff: Diff | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Reads past states and their differences, which follow changes if one is the present. Outdated requests are aborted. */
export function usePast({ at, to }: Pick<Moments, "at" | "to">, networkId: string | null, hasLinks: boolean): Past {
  const scope = networkId === null ? {} : { network_id: networkId };
  const then = useQuery(pastState(at, networkId, hasLinks));
  const end = useQuery(pastState(to, networkId, hasLinks));
  const since = { query: { ...scope, from: at ?? "", ...(to !== null && { to }) } };
  const diff = useQuery({
    queryKey: [diffChanges.operationId, since],
    queryFn: ({ signal }) => api.call(diffChanges, { ...since, signal }),
    ...kept,
    enabled: at !== null,
  });
  const error = (at === null ? null : (then.error ?? diff.error)) ?? (to === null ? null : end.error);
  return {
    then: at !== null && error === null ? then.data : undefined,
    end: to !== null && error === null ? end.data : undefined,
    diff: at === null ? undefined : diff.data,
    error,
    isLoading: (at !== null && (then.isFetching || diff.isLoading)) || (to !== null && end.isFetching),
  };
}

function pastState(at: string | null, networkId: string | null, hasLinks: boolean) {
  const scope = networkId === null ? {} : { network_id: networkId };
  return {
    queryKey: ["past", at, networkId, hasLinks],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<PastState> => {
      const query = { ...scope, as_of: at ?? undefined };
      const [topology, l2] = await Promise.all([
        api.call(getTopology, { query, signal }),
        hasLinks ? api.call(getTopology, { query: { ...query, layer: "l2" }, signal }) : NOTHING,
      ]);
      return { at: at ?? "", topology: withLinks(topology, l2) };
    },
    placeholderData: at === null ? undefined : keepPreviousData<PastState>,
    ...kept,
    enabled: at !== null,
  };
}

export interface Steps {
  readonly steps: readonly Step[];
  readonly deleted: Topology;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** The steps of the slider, which follow changes. */
export function useSteps(networkId: string | null, enabled: boolean): Steps {
  const { data, error, isLoading } = useQuery({
    queryKey: [listChanges.operationId, networkId],
    queryFn: ({ signal }) => readSteps(networkId, signal),
    refetchOnWindowFocus: false,
    enabled,
  });
  const deleted = useMemo(() => (data === undefined ? NOTHING : deletedBy(data.changes)), [data]);
  return { steps: data?.steps ?? [], deleted, error, isLoading };
}

async function readSteps(networkId: string | null, signal: AbortSignal) {
  const scope = networkId === null ? {} : { network_id: networkId };
  const latest = { ...scope, order_direction: "desc", limit: MOST_CHANGES } as const;
  const { data: changes, next } = await api.changes(listChanges, { query: latest, signal });
  const first = next === null ? null : await api.changes(listChanges, { query: { ...scope, limit: 1 }, signal });
  return { changes, steps: stepsOf(changes, first?.data[0]?.at ?? null) };
}
