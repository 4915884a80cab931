import { listKeys } from "@nts/shared/contract";
import { useMemo } from "react";
import { useRows } from "../api/queries.js";

/** Names of the caller's own API keys by id. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useRows(listKeys, { query: { limit: 1000, order_by: "name" } });
  return useMemo(() => new Map(data?.data.map(({ id, name }) => [id, name])), [data]);
}
