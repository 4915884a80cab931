import type { Place } from "@nts/shared/mongo/keyset";

// What the database finds and orders, for entities that are not stored as they were: the conditions of lists, and their orders.

type Document = Readonly<Record<string, unknown>>;
type Sort = Readonly<Record<string, 1 | -1>>;

/** True for a document that meets all conditions. @throws Error for one that no list has */
export function meets(document: Document, conditions: Document): boolean {
  return Object.entries(conditions).every(([name, condition]) => isMet(document[name], condition));
}

function isMet(value: unknown, condition: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  if (typeof condition !== "object" || condition === null) return values.includes(condition);
  return Object.entries(condition).every(([operator, operand]) => {
    switch (operator) {
      case "$in":
        return values.some((one) => (operand as unknown[]).includes(one));
      case "$nin":
        return !values.some((one) => (operand as unknown[]).includes(one));
      case "$regex":
        // See `searchFilter`: a part of the text, in which punctuation is escaped.
        return typeof value === "string" && value.includes(String(operand).replaceAll(/\\(.)/g, "$1"));
      default:
        throw new Error(`no list has the condition ${operator}`);
    }
  });
}

/** Compares two places of an order: negative when the first one comes first. */
export type ComparePlaces = (a: Place, b: Place) => number;

/** Makes what compares places; it is asked millions of times, and allocates nothing. */
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

/** Null stands before everything. */
function compareValues(a: Place[number], b: Place[number]): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  return Number(a) - Number(b);
}

/** By code points, as UTF-8 sorts: pairs of surrogates stand behind every other character. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at === length ? a.length - b.length : rankAt(a, at) - rankAt(b, at);
}

const [SURROGATES, BEHIND_SURROGATES, ALL] = [0xd800, 0xe000, 0x10000];

function rankAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= SURROGATES && unit < BEHIND_SURROGATES ? unit + ALL : unit;
}
