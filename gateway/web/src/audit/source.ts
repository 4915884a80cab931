import { type AuditEntry, listAudit } from "@nts/shared/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/client.js";
import type { AuditFilter } from "./entries.js";

const PAGE = 50;

/** Entries of the audit log. */
export interface ReadAudit {
  readonly query: ReturnType<typeof usePages>;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
}

/** Reads the audit log page by page. */
export function useAudit(filter: AuditFilter): ReadAudit {
  const query = usePages(filter);
  return { query, entries: query.data?.pages.flatMap((page) => page.data) ?? [] };
}

function usePages(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: [listAudit.operationId, filter],
    queryFn: ({ pageParam, signal }) =>
      api.changes(listAudit, { query: { ...filter, order_direction: "desc", limit: PAGE, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}
