import { MOST_UTILIZED, reportUtilization, type SubnetUse } from "@nts/shared/contract";
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { api } from "../api/client.js";
import type { Revised } from "../api/queries.js";

type Report = UseQueryResult<Revised<{ readonly subnets: readonly SubnetUse[] }>>;

/** How much of these subnets is used, by id; those that are not known yet are absent. */
export function useSubnetUse(ids: readonly string[]): ReadonlyMap<string, SubnetUse> {
  return useQueries({
    queries: inParts(ids, MOST_UTILIZED).map((part) => ({
      queryKey: [reportUtilization.operationId, { query: { ids: part } }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api.read(reportUtilization, { query: { ids: part }, signal }),
    })),
    combine,
  });
}

function combine(reports: readonly Report[]): ReadonlyMap<string, SubnetUse> {
  return new Map(reports.flatMap(({ data }) => data?.data.subnets ?? []).map((one) => [one.subnet_id, one]));
}

function inParts(ids: readonly string[], size: number): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < ids.length; at += size) parts.push(ids.slice(at, at + size));
  return parts;
}
