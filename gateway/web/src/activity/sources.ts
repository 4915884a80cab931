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

/** @param until without later entries */
export function historyOf(operation: typeof HISTORIES.Subnet, id: string, until?: string): ChangeSource {
  const query = { ...newest, limit: SHORT_PAGE, ...(until !== undefined && { until }) };
  return {
    key: [operation.operationId, id, until],
    has: ({ entity_id, host_id, at }) => (entity_id === id || host_id === id) && (until === undefined || at < until),
    page: (after, signal) => api.changes(operation, { params: { id }, query: { ...query, after }, signal }),
  };
}

/** Several histories as one. A cursor has the place in each of them. */
export function joined(sources: readonly ChangeSource[]): ChangeSource {
  return {
    key: ["joined", ...sources.map(({ key }) => key)],
    has: (change) => sources.some((source) => source.has(change)),
    page: async (after, signal) => {
      const places: Places = after === undefined ? sources.map(() => BEGINNING) : (JSON.parse(after) as Places);
      const pages = await Promise.all(
        sources.map(async (source, n) => {
          const place = places[n];
          return place === null ? ENDED : source.page(place === BEGINNING ? undefined : place, signal);
        }),
      );
      const { entries, next } = joinedPages(pages, places);
      return { data: entries, next: next === null ? null : JSON.stringify(next) };
    },
  };
}

/** Where to continue in each history; null at its end. */
type Places = readonly (string | null)[];

const BEGINNING = "";

const ENDED: ChangesPage<Change[]> = { data: [], next: null };

/** As far as no history can have something in between. @param pages newest first, each from its place */
export function joinedPages(
  pages: readonly Pick<ChangesPage<Change[]>, "data" | "next">[],
  places: Places,
): { readonly entries: Change[]; readonly next: Places | null } {
  // of what is not read yet, nothing is newer
  const reaches = pages.flatMap(({ data, next }) => (next === null ? [] : (data.at(-1)?.at ?? "")));
  const until = reaches.reduce((latest, at) => (at > latest ? at : latest), "");
  const entries = new Map<string, Change>();
  const next = pages.map(({ data, next: further }, n) => {
    const shown = data.filter(({ at }) => at >= until);
    for (const change of shown) entries.set(change.cursor, change);
    if (shown.length === data.length) return further;
    return shown.at(-1)?.cursor ?? places[n] ?? BEGINNING;
  });
  const sorted = [...entries.values()].sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
  return { entries: sorted, next: next.every((place) => place === null) ? null : next };
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
