import type { Attributes, AttributeValue } from "@nts/shared/contract";
import { writtenAttribute } from "@nts/shared/contract/attributes.rules";

/** A row of the form, with the value as text. */
export interface AttributeRow {
  readonly key: string;
  readonly text: string;
  /** The value that the text stands for, as long as it is unchanged: the text `2` is not the number 2. */
  readonly stored?: AttributeValue;
}

/** Rows of the attributes that an entity has. */
export function attributeRows(attributes: Attributes = {}): AttributeRow[] {
  return Object.entries(attributes).map(([key, stored]) => ({ key, text: String(stored), stored }));
}

/** The value to send. Rows without a key and value are left out. */
export function attributesOf(rows: readonly AttributeRow[]): Attributes {
  const written = rows.filter(({ key, text }) => key.trim() !== "" || text.trim() !== "");
  return Object.fromEntries(written.map((row) => [row.key.trim(), valueOfRow(row)]));
}

/** The value that the text of a row stands for. */
export function valueOfRow({ text, stored }: AttributeRow): AttributeValue {
  if (stored !== undefined && String(stored) === text) return stored;
  return writtenAttribute(text.trim());
}

/** Why the rows cannot be sent; null if they can. */
export function attributesFault(rows: readonly AttributeRow[]): string | null {
  const keys = rows.map(({ key }) => key.trim()).filter((key) => key !== "");
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  return twice === undefined ? null : `There are two attributes called ${twice}.`;
}

/** The address that a value is a link to; null for other values. */
export function linkIn(value: AttributeValue): string | null {
  if (typeof value !== "string" || !/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value)) return null;
  return value;
}
