import type { Document } from "mongodb";
import { UUID } from "mongodb";

// Orders end with the id. Its sixteen bytes sort as its text does, and take half of its place in each of the indexes.

/** The field with the bytes of an entity's id. */
export const ID_KEY = "id_key";

export function idKeyOf(id: string): UUID {
  return new UUID(id);
}

/** The id with these bytes. */
export function idOfKey(key: unknown): string {
  return String(key);
}

interface OrderedFind {
  readonly filter: Document;
  readonly sort?: Document;
}

/** A find in an order that ends with the id, and where it starts, in terms of the indexes. */
export function inKeyOrder<Find extends OrderedFind>(find: Find): Find {
  const { filter, sort } = find;
  if (sort === undefined || !("_id" in sort) || Object.keys(sort).length === 1) return find;
  const { _id, ...fields } = sort;
  const conditions = (filter["$and"] as readonly Document[] | undefined)?.map(behindKey);
  return {
    ...find,
    sort: { ...fields, [ID_KEY]: _id as unknown },
    filter: conditions === undefined ? filter : { ...filter, $and: conditions },
  };
}

/** Conditions of a position in an order, see `segmentsBehind`; other conditions are unchanged. */
function behindKey(condition: Document): Document {
  const { _id, ...fields } = condition;
  const [[operator, id] = []] = typeof _id === "object" && _id !== null ? Object.entries(_id as Document) : [];
  if (operator !== "$gt" && operator !== "$lt") return condition;
  return { ...fields, [ID_KEY]: { [operator]: idKeyOf(String(id)) } };
}
