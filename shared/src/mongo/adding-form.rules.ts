import type { Form } from "./forms.js";

/** A form that adds members, which documents of older forms have with these values. */
export function addingForm<T extends object>(version: number, added: Readonly<Partial<T>>): Form<T> {
  return { version, added, upgrade: (stored) => ({ ...stored, ...missingIn(stored, added) }) };
}

function missingIn<T extends object>(stored: T, added: Readonly<Partial<T>>): Partial<T> {
  return Object.fromEntries(Object.entries(added).filter(([name]) => !(name in stored))) as Partial<T>;
}
