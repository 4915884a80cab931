/** The part of a list's query that orders. */
export interface Ordering {
  readonly group_by?: string | undefined;
  readonly order_by?: string | undefined;
  readonly order_direction: "asc" | "desc";
}

/**
 * The sort of a list: groups first and always ascending, then the order, then ids in the direction of the order,
 * so that pages never overlap and an index read backwards serves the other direction. Grouping by the field that is also the order is ascending.
 *
 * @param keyOf the field of the documents for an order field, where the two differ
 */
export function sortOf(ordering: Ordering, keyOf: Readonly<Record<string, string>> = {}): Record<string, 1 | -1> {
  const field = (name: string): string => keyOf[name] ?? name;
  const { group_by, order_by = "created_at", order_direction } = ordering;
  const sort: Record<string, 1 | -1> = group_by === undefined ? {} : { [field(group_by)]: 1 };
  const direction = order_direction === "desc" ? -1 : 1;
  sort[field(order_by)] ??= direction;
  return { ...sort, _id: direction };
}
