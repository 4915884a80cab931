import type { ChangesPage } from "@nts/shared/client";
import { type Change, type HISTORIES, listChanges } from "@nts/shared/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/client.js";
import { FOLLOWED } from "../api/queries.js";
import { useRecentChanges } from "../live/live.js";
import { withRecent } from "./entries.js";
import { type ChangeFilter, passes } from "./filters.js";

/** A source of entries, newest first. */
export interface ChangeSource {
  /** The query key of the source. */
  readonly key: readonly unknown[];
  /** True if a recent entry belongs to the source. */
  readonly has: (change: Change) => boolean;
  readonly page: (after: string | undefined, signal: AbortSignal) => Promise<ChangesPage<Change[]>>;
}

const PAGE = 50;
const SHORT_PAGE = 20;
const newest = { order_direction: "desc" } as const;

/** All entries visible to the caller that pass the filter. */
export function changesBy(filter: ChangeFilter): ChangeSource {
  return {
    key: [filter],
    has: (change) => passes(change, filter),
    page: (after, signal) => api.changes(listChanges, { query: { ...filter, ...newest, limit: PAGE, after }, signal }),
  };
}

export function historyOf(operation: typeof HISTORIES.Subnet, id: string): ChangeSource {
  return {
    key: [operation.operationId, id],
    has: ({ entity_id, host_id }) => entity_id === id || host_id === id,
    page: (after, signal) =>
      api.changes(operation, { params: { id }, query: { ...newest, limit: SHORT_PAGE, after }, signal }),
  };
}

/** Entries of a source, including recent ones. */
export interface ReadChanges {
  readonly query: ReturnType<typeof usePages>;
  /** Newest first. */
  readonly entries: readonly Change[];
}

/** Reads a source page by page, and adds new entries as they occur. */
export function useChanges(source: ChangeSource): ReadChanges {
  const query = usePages(source);
  const recent = useRecentChanges();
  const { data, isPlaceholderData } = query;
  const read = data?.pages.flatMap((page) => page.data) ?? [];
  const came = data === undefined || isPlaceholderData ? [] : recent.filter((change) => source.has(change));
  return { query, entries: withRecent(read, came) };
}

function usePages(source: ChangeSource) {
  return useInfiniteQuery({
    queryKey: [FOLLOWED, ...source.key],
    queryFn: ({ pageParam, signal }) => source.page(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}
