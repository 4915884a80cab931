/** The ordering parameters of a list query. */
export interface Ordering {
  readonly group_by?: string | undefined;
  readonly order_by?: string | undefined;
  readonly order_direction: "asc" | "desc";
}

/**
 * The sort of a list: groups first, always ascending, then the order, then ids in its direction, so that pages never
 * overlap and one index serves both directions. Grouping by the order's own field is ascending. Within a network, entities are
 * in order of creation.
 *
 * @param keyOf the document field of an order field, where they differ
 */
export function sortOf(ordering: Ordering, keyOf: Readonly<Record<string, string>> = {}): Record<string, 1 | -1> {
  const field = (name: string): string => keyOf[name] ?? name;
  const { group_by, order_by = "created_at", order_direction } = ordering;
  const sort: Record<string, 1 | -1> = group_by === undefined ? {} : { [field(group_by)]: 1 };
  const direction = order_direction === "desc" ? -1 : 1;
  sort[field(order_by)] ??= direction;
  if (Object.keys(sort).join() === "network_id") sort["created_at"] = direction;
  return { ...sort, _id: direction };
}
