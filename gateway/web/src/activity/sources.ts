import type { ChangesPage } from "@nts/shared/client";
import { type Change, type getHostHistory, listChanges } from "@nts/shared/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/client.js";
import type { ChangeFilter } from "./filters.js";

/** Where entries come from, the newest first. */
export interface ChangeSource {
  /** Tells sources apart. */
  readonly key: readonly unknown[];
  readonly page: (after: string | undefined, signal: AbortSignal) => Promise<ChangesPage<Change[]>>;
}

const PAGE = 50;
const SHORT_PAGE = 20;
const newest = { order_direction: "desc" } as const;

/** All that the caller may see, as far as it passes the filter. */
export function changesBy(filter: ChangeFilter): ChangeSource {
  return {
    key: [filter],
    page: (after, signal) => api.changes(listChanges, { query: { ...filter, ...newest, limit: PAGE, after }, signal }),
  };
}

/** What happened to one entity. */
export function historyOf(operation: typeof getHostHistory, id: string): ChangeSource {
  return {
    key: [operation.operationId, id],
    page: (after, signal) =>
      api.changes(operation, { params: { id }, query: { ...newest, limit: SHORT_PAGE, after }, signal }),
  };
}

/** Reads a source page by page. */
// The type of the answer is the library's, and long.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export function useChanges(source: ChangeSource) {
  return useInfiniteQuery({
    queryKey: ["changes", ...source.key],
    queryFn: ({ pageParam, signal }) => source.page(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}
