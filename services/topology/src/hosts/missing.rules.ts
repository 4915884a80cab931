import { MOST_ATTRIBUTES } from "@nts/shared/contract/attributes.rules";
import type { Attributes } from "@nts/shared/contract";

// What an entity lacks is taken from another one that is the same thing; what it has is kept.

/** Attributes with those that are missing, up to the limit. @returns what is present, the same object, if none is added */
export function withMissing(present: Attributes, given: Attributes): Attributes {
  const missing = Object.entries(given).filter(([key]) => !Object.hasOwn(present, key));
  const room = MOST_ATTRIBUTES - Object.keys(present).length;
  return missing.length === 0 || room <= 0 ? present : { ...present, ...Object.fromEntries(missing.slice(0, room)) };
}

/** What sources say of an entity, with what only the other one has. */
export function observedTogether<Observed extends object>(
  present: Observed | null,
  other: Observed | null,
): Observed | null {
  if (present === null || other === null) return present ?? other;
  const known = Object.entries(present).filter(([, value]) => value !== null);
  return { ...other, ...Object.fromEntries(known) };
}
