import type { KeysetPosition } from "@nts/shared/mongo/keyset";

// Evaluates the filters and sort orders of lists like the database does, for past states that are not stored.

type Document = Readonly<Record<string, unknown>>;
type Sort = Readonly<Record<string, 1 | -1>>;

/** True if a document meets all conditions. @throws Error for an unsupported operator */
export function meets(document: Document, conditions: Document): boolean {
  return Object.entries(conditions).every(([name, condition]) =>
    name === "$and" ? (condition as Document[]).every((one) => meets(document, one)) : isMet(document[name], condition),
  );
}

function isMet(value: unknown, condition: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  if (typeof condition !== "object" || condition === null) return values.includes(condition);
  return Object.entries(condition).every(([operator, operand]) => {
    switch (operator) {
      case "$in":
        return values.some((one) => (operand as unknown[]).includes(one));
      case "$all":
        return (operand as unknown[]).every((one) => values.includes(one));
      case "$nin":
        return !values.some((one) => (operand as unknown[]).includes(one));
      case "$elemMatch":
        return values.some((one) => isMet(one, operand));
      case "$gte":
        return typeof value === "string" && value >= String(operand);
      case "$lte":
        return typeof value === "string" && value <= String(operand);
      case "$regex":
        // See `searchFilter`: an escaped substring.
        return typeof value === "string" && value.includes(String(operand).replaceAll(/\\(.)/g, "$1"));
      default:
        throw new Error(`no list has the condition ${operator}`);
    }
  });
}

/** Compares two sort keys; negative if the first one comes first. */
export type ComparePlaces = (a: KeysetPosition, b: KeysetPosition) => number;

/** Creates a comparator that does not allocate, since it is called millions of times. */
export function comparePlacesIn(sort: Sort): ComparePlaces {
  const directions = Object.values(sort);
  return (a, b) => {
    for (let at = 0; at < directions.length; at++) {
      const order = compareValues(a[at] ?? null, b[at] ?? null);
      if (order !== 0) return order * (directions[at] ?? 1);
    }
    return 0;
  };
}

/** Null sorts first. */
function compareValues(a: KeysetPosition[number], b: KeysetPosition[number]): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return Number(a) - Number(b);
}

/** Compares by code point, like UTF-8: surrogate pairs sort after all other characters. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at === length ? a.length - b.length : rankAt(a, at) - rankAt(b, at);
}

const SURROGATES = 0xd800;
const BEHIND_SURROGATES = 0xe000;
const ALL = 0x10000;

function rankAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= SURROGATES && unit < BEHIND_SURROGATES ? unit + ALL : unit;
}
