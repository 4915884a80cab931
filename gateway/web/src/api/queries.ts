import type { Input, Pagination } from "@nts/shared/client";
import type { DataOf, Endpoint, Plan } from "@nts/shared/contract";
import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { api } from "./client.js";
import { confirmed } from "./confirmed.js";

// Hooks to call any operation of the contract. Query keys consist of operation and input. A write refetches everything
// shown, because it may change more than it names: deletions cascade, and positions shift.

/** An entity with the revision to send when changing it. */
export interface Revised<Data> {
  readonly data: Data;
  readonly etag: string | null;
}

export interface Rows<Row> {
  readonly data: Row[];
  readonly pagination: Pagination;
}

interface Options<Data> {
  /** False disables the query. */
  readonly enabled?: boolean;
  /** Polling interval in milliseconds while the page is visible, for data without change events. */
  readonly everyMs?: number;
  /** Whether to poll, by what was read last; by default always. */
  readonly pollsAfter?: (data: Data) => boolean;
}

/** A query, as far as it is known when the next read is planned. */
interface LastRead<Data> {
  readonly state: { readonly data: Data | undefined };
}

/** Prefix of keys that are refreshed by change events. */
export const FOLLOWED = "changes";

/** Refetches everything shown after a write. */
export function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== FOLLOWED });
}

const keyOf = (operation: Endpoint, input: object): unknown[] => [operation.operationId, input];

/** Reads one entity. */
export function useOne<E extends Endpoint>(
  operation: E,
  input: Input<E>,
  { enabled = true, everyMs, pollsAfter }: Options<DataOf<E>> = {},
): UseQueryResult<Revised<DataOf<E>>> {
  return useQuery({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => api.read(operation, { ...input, signal }),
    enabled,
    ...(everyMs !== undefined && {
      refetchInterval: ({ state: { data } }: LastRead<Revised<DataOf<E>>>): number | false =>
        data === undefined || pollsAfter?.(data.data) !== false ? everyMs : false,
    }),
  });
}

/** Reads a page of a list; keeps the previous page until the next one has loaded. */
export function useRows<E extends Endpoint>(
  operation: E,
  input: Input<E>,
  { enabled = true, everyMs }: Pick<Options<never>, "enabled" | "everyMs"> = {},
): UseQueryResult<Rows<DataOf<E>>> {
  return useQuery({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => api.list(operation, { ...input, signal }),
    placeholderData: keepPreviousData,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Sends a write, optionally with `ifMatch`. */
export type Send = <E extends Endpoint>(operation: E, input: Input<E>) => Promise<DataOf<E>>;

/** Returns a function that sends any write. */
export function useSend(): Send {
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: (send: () => Promise<unknown>) => send(),
    onSuccess: () => readAgain(queries),
  });
  return <E extends Endpoint>(operation: E, input: Input<E>) =>
    mutateAsync(() => confirmed(() => api.call(operation, input))) as Promise<DataOf<E>>;
}

/** Returns a function that previews a write. */
export function usePlan(): <E extends Endpoint>(operation: E, input: Input<E>) => Promise<Plan> {
  const { mutateAsync } = useMutation({ mutationFn: (ask: () => Promise<Plan>) => ask() });
  return (operation, input) => mutateAsync(() => api.plan(operation, input));
}

/** Mutation for a write; the input may contain `ifMatch`. */
export function useWrite<E extends Endpoint>(operation: E): UseMutationResult<DataOf<E>, Error, Input<E>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<E>) => confirmed(() => api.call(operation, input)),
    onSuccess: () => readAgain(queries),
  });
}
