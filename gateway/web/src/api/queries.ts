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

// Reading and writing, for every operation of the contract. What is read is known by its operation and input; after a write
// everything that is shown is read again, because a write may change more than it names (deletes cascade, positions shift).

/** One entity with the revision that a change of it sends back. */
export interface Revised<Data> {
  readonly data: Data;
  readonly etag: string | null;
}

export interface Rows<Row> {
  readonly data: Row[];
  readonly pagination: Pagination;
}

interface Options {
  /** False puts the question off. */
  readonly enabled?: boolean;
  /** Reads it again that often, in milliseconds, while somebody looks: for what no change tells of. */
  readonly everyMs?: number;
}

/** Begins the keys of what is followed: it learns of writes by itself, and sooner. */
export const FOLLOWED = "changes";

/** Reads all that is shown again, after a write. */
function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== FOLLOWED });
}

const keyOf = (operation: Endpoint, input: object): unknown[] => [operation.operationId, input];

/** Reads one thing. */
export function useOne<E extends Endpoint>(
  operation: E,
  input: Input<E>,
  { enabled = true, everyMs }: Options = {},
): UseQueryResult<Revised<DataOf<E>>> {
  return useQuery({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => api.read(operation, { ...input, signal }),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Reads a page of a list; while the next one is on its way, the last one stays. */
export function useRows<E extends Endpoint>(
  operation: E,
  input: Input<E>,
  { enabled = true, everyMs }: Options = {},
): UseQueryResult<Rows<DataOf<E>>> {
  return useQuery({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => api.list(operation, { ...input, signal }),
    placeholderData: keepPreviousData,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** Sends a write, which may carry `ifMatch`. */
export type Send = <E extends Endpoint>(operation: E, input: Input<E>) => Promise<DataOf<E>>;

/** The function that sends any write. */
export function useSend(): Send {
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: (send: () => Promise<unknown>) => send(),
    onSuccess: () => readAgain(queries),
  });
  return <E extends Endpoint>(operation: E, input: Input<E>) =>
    mutateAsync(() => confirmed(() => api.call(operation, input))) as Promise<DataOf<E>>;
}

/** The function that asks what a write would do. */
export function usePlan(): <E extends Endpoint>(operation: E, input: Input<E>) => Promise<Plan> {
  const { mutateAsync } = useMutation({ mutationFn: (ask: () => Promise<Plan>) => ask() });
  return (operation, input) => mutateAsync(() => api.plan(operation, input));
}

/** Writes; the input may carry `ifMatch`. */
export function useWrite<E extends Endpoint>(operation: E): UseMutationResult<DataOf<E>, Error, Input<E>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<E>) => confirmed(() => api.call(operation, input)),
    onSuccess: () => readAgain(queries),
  });
}
