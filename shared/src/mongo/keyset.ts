import { hash } from "node:crypto";
import { AppError, validationFailed } from "../errors.js";
import { sortOf, type Ordering } from "./order.js";

// A page continues after a position in the order, found in the index however deep it is. A cursor holds the position
// and a fingerprint of its list; it grants nothing, as each query is limited by the caller's scope.

/** A sort key. */
type Value = string | number | boolean | Date | null;

/** The sort key values of an entity, the id last. */
export type KeysetPosition = readonly Value[];

/** The paging and ordering parameters of a list query. */
export interface PageQuery extends Ordering {
  /** 0 for no limit. */
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** Identifies the list within an organization. */
export interface ListIdentity {
  readonly name: string;
  readonly organizationId: string;
}

export interface Keyset {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** That of the cursor; null without one. */
  readonly place: KeysetPosition | null;
  /** Conditions that are read one after another: the whole list, or what follows the cursor, nearest first. */
  readonly segments: readonly Readonly<Record<string, unknown>>[];
  /** Conditions for what follows an entity, as in `segments`. @param fields as for `cursorAfter` */
  behind(fields: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[];
  /** The cursor that continues after an entity. @param fields of its document; at least those of the order */
  cursorAfter(fields: Readonly<Record<string, unknown>>): string;
}

/**
 * Determines the order of a list and where to start.
 *
 * @param query the whole query including filters, to which a cursor is bound
 * @param keyOf the document field of an order field, where they differ
 * @throws AppError `cursor_invalid` · `validation_failed` for an offset with a cursor
 */
export function keysetOf(list: ListIdentity, query: PageQuery, keyOf: Readonly<Record<string, string>> = {}): Keyset {
  const { cursor, offset, ...rest } = query;
  const same = { ...rest, limit: undefined };
  const sort = sortOf(query, keyOf);
  const fields = Object.keys(sort);
  const mark = hash("sha256", JSON.stringify([list.name, list.organizationId, same]), "base64url").slice(0, 16);
  if (cursor !== undefined && offset > 0)
    throw validationFailed({ path: "offset", message: "must be 0 when a cursor is given" });
  const place = cursor === undefined ? null : placeIn(cursor, mark, fields.length);
  const placeOf = (document: Readonly<Record<string, unknown>>): KeysetPosition =>
    fields.map((field) => (document[field] ?? null) as Value);
  return {
    sort,
    place,
    segments: place === null ? [{}] : segmentsBehind(sort, place),
    behind: (document) => segmentsBehind(sort, placeOf(document)),
    cursorAfter: (document) => cursorOf(mark, placeOf(document)),
  };
}

/** Conditions for what follows a position: equal in all but the last field, then in all but the last two, and so on. */
export function segmentsBehind(
  sort: Readonly<Record<string, 1 | -1>>,
  place: KeysetPosition,
): Readonly<Record<string, unknown>>[] {
  const fields = Object.entries(sort);
  return fields
    .map(([field, direction], at) => {
      const equal = Object.fromEntries(fields.slice(0, at).map(([name], i) => [name, place[i]]));
      return beyond(place[at] ?? null, direction, field === "_id").map((condition) => ({
        ...equal,
        [field]: condition,
      }));
    })
    .reverse()
    .flat();
}

/** Null sorts first; database comparisons only consider values of one type. */
function beyond(value: Value, direction: 1 | -1, isId: boolean): unknown[] {
  if (direction === 1) return [value === null ? { $ne: null } : { $gt: value }];
  if (value === null) return [];
  return isId ? [{ $lt: value }] : [{ $lt: value }, null];
}

function cursorOf(mark: string, place: KeysetPosition): string {
  const values = place.map((value) => (value instanceof Date ? { at: value.getTime() } : value));
  return Buffer.from(JSON.stringify([mark, ...values])).toString("base64url");
}

function placeIn(cursor: string, mark: string, length: number): KeysetPosition {
  const [given, ...values] = partsOf(cursor);
  const place = values.map(valueOf);
  if (given !== mark || place.length !== length) throw new AppError("cursor_invalid");
  return place;
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function valueOf(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  const at: unknown = (value as { at?: unknown }).at;
  if (typeof at !== "number" || !Number.isSafeInteger(at)) throw new AppError("cursor_invalid");
  return new Date(at);
}
