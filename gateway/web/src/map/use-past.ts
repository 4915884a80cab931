import { type Diff, diffChanges, getTopology, listChanges, type Topology } from "@nts/shared/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { api } from "../api/client.js";
import { withChanges } from "../list/list-state.js";
import { deletedBy, NOTHING } from "./past.js";
import { type Step, stepsOf } from "./steps.js";

/** Maximum changes to step through. */
const MOST_CHANGES = 300;
/** Milliseconds for which an unused past state is cached: each can be as large as the present. */
const KEPT_MS = 30_000;

const kept = { staleTime: Infinity, gcTime: KEPT_MS, refetchOnWindowFocus: false } as const;

/** The time in the URL, as an API value; null for the present. */
export function useMoment(): [at: string | null, go: (at: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const ms = Date.parse(search.get("at") ?? "");
  const go = (at: string | null): void => setSearch((before) => withChanges(before, { at }), { replace: true });
  return [Number.isNaN(ms) ? null : new Date(ms).toISOString(), go];
}

export interface Past {
  /** A past state with its time; until it has loaded, the previously selected one. */
  readonly then: { readonly at: string; readonly topology: Topology } | undefined;
  readonly diff: Diff | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
}

/** Reads a past state, and the differences from the present, which follow changes. Outdated requests are aborted. */
export function usePast(at: string | null, networkId: string | null): Past {
  const scope = networkId === null ? {} : { network_id: networkId };
  const enabled = at !== null;
  const then = useQuery({
    queryKey: ["past", at, networkId],
    queryFn: async ({ signal }) => {
      const query = { ...scope, as_of: at ?? undefined };
      return { at: at ?? "", topology: await api.call(getTopology, { query, signal }) };
    },
    placeholderData: enabled ? keepPreviousData : undefined,
    ...kept,
    enabled,
  });
  const since = { query: { ...scope, from: at ?? "" } };
  const diff = useQuery({
    queryKey: [diffChanges.operationId, since],
    queryFn: ({ signal }) => api.call(diffChanges, { ...since, signal }),
    ...kept,
    enabled,
  });
  const error = then.error ?? diff.error;
  return {
    then: enabled && error === null ? then.data : undefined,
    diff: enabled ? diff.data : undefined,
    error: enabled ? error : null,
    isLoading: enabled && (then.isFetching || diff.isLoading),
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
