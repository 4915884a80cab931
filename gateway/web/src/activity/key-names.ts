import { listKeys } from "@nts/shared/contract";
import { useMemo } from "react";
import { useRows } from "../api/queries.js";

/** Names of API keys, as far as the caller can know them: one's own. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useRows(listKeys, { query: { limit: 1000, order_by: "name" } });
  return useMemo(() => new Map(data?.data.map(({ id, name }) => [id, name])), [data]);
}
