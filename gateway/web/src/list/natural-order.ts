import type { UseQueryResult } from "@tanstack/react-query";
import type { Rows } from "../api/queries.js";
import { compareNames } from "../parts/names.js";
import type { ListState } from "./list-state.js";

interface Named {
  readonly name: string;
}

/**
 * Rows by name with numbers by value, if all of them are on the page: the API compares characters, by which `host 10`
 * comes before `host 2`. Of a longer list, pages would contradict each other.
 */
export function inNaturalOrder<Row extends Named>(rows: Rows<Row>, isDescending: boolean): Rows<Row> {
  const { data, pagination } = rows;
  if (data.length < pagination.total_count) return rows;
  const sign = isDescending ? -1 : 1;
  return { ...rows, data: [...data].sort((a, b) => sign * compareNames(a.name, b.name)) };
}

/** The same for a list that is ordered by name, unless it is grouped. */
export function naturally<Row extends Named>(
  read: UseQueryResult<Rows<Row>>,
  { orderBy, direction, groupBy }: Pick<ListState, "orderBy" | "direction" | "groupBy">,
): UseQueryResult<Rows<Row>> {
  const isByName = orderBy === null || orderBy === "name";
  if (read.data === undefined || !isByName || groupBy !== null) return read;
  return { ...read, data: inNaturalOrder(read.data, orderBy !== null && direction === "desc") };
}
