import type { UseQueryResult } from "@tanstack/react-query";
import type { Rows } from "../api/queries.js";
import type { ListState } from "./list-state.js";

/** The page of a report's rows that a list shows; reports come as a whole. */
export function reportRows<Row>(
  report: UseQueryResult,
  rows: readonly Row[],
  { page, size }: ListState,
): UseQueryResult<Rows<Row>> {
  const offset = (page - 1) * size;
  const pagination = { total_count: rows.length, limit: size, offset, has_more: rows.length > offset + size };
  const data = report.data === undefined ? undefined : { data: rows.slice(offset, offset + size), pagination };
  return { ...report, data } as UseQueryResult<Rows<Row>>;
}
