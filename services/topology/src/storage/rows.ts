import type { Scope } from "@nts/shared/http/tenancy";
import { fieldsIn, textIn, type RawBatch } from "@nts/shared/mongo/raw-fields";
import { documentIn } from "@nts/shared/mongo/raw-find";
import { NEVER_SEEN } from "@nts/shared/contract/sightings";
import type { StoredFields } from "./entities.js";
import type { EntityReader } from "./entity-reader.js";
import { endingOf, SIGHTING, type SightingFields, sightingIn } from "./sightings.rules.js";

// A BSON document with the single field `wire`: length (4 bytes), type (1), name with terminator (5), text length (4),
// text, and two zeros.
const TYPE_AT = 4;
const LENGTH_AT = 10;
const TEXT_AT = 14;
const TEXT = 2;
const COMMA = 44;
const COMMA_TEXT = Buffer.from(",");
/** The ending of most rows with sightings. */
const NEVER = Buffer.from(endingOf(NEVER_SEEN));

// With the field `_id` before it: type (1), name with terminator (4), length (4), UUID with terminator (37).
const ID_LENGTH_AT = 9;
const ID_LENGTH = 37;
const IDENTIFIED = 46;
// Behind it the field `form`, if there are several: type (1), name with terminator (5), integer (4).
const INTEGER = 16;
const FORM_AT = 6;
const FORM_LENGTH = 10;

/** The source of rows. */
export type RowReader = Pick<
  EntityReader<unknown>,
  "losesTags" | "hasOlderForms" | "form" | "upgraded" | "wireOf" | "storedIn" | "isSighted"
>;

/** The projection for texts; `form` is included if older forms may exist. */
export function textFields(
  { losesTags, hasOlderForms, isSighted }: RowReader,
  scope: Scope,
): Readonly<Record<string, 1>> {
  const isFormed = hasOlderForms || losesTags(scope);
  return { wire: 1, ...(isFormed && { form: 1 as const }), ...(isSighted && { _id: 1 as const, ...SIGHTING }) };
}

/**
 * Extracts the texts of documents read with {@link textFields}, each preceded by a comma. Unchanged ones are moved
 * within the batch, without decoding or allocation.
 *
 * @param isAlone false if the documents have other fields
 */
export function rowsIn(reader: RowReader, scope: Scope, batch: RawBatch, isAlone = true): Buffer {
  const { bytes, starts } = batch;
  if (reader.losesTags(scope))
    return Buffer.concat(copies(starts, (start) => responseTextIn(reader, scope, batch, start)));
  if (reader.isSighted) return sightedRows(reader, batch);
  if (reader.hasOlderForms) return Buffer.concat(copies(starts, (start) => upgradedTextIn(reader, batch, start)));
  if (!isAlone) return Buffer.concat(copies(starts, (start) => textIn(batch, start, "wire")));
  let end = 0;
  for (const start of starts) {
    if (bytes[start + TYPE_AT] !== TEXT) throw new Error("a document is not of the one field wire");
    const text = start + TEXT_AT;
    const length = bytes.readInt32LE(start + LENGTH_AT) - 1;
    bytes[end] = COMMA;
    bytes.copyWithin(end + 1, text, text + length);
    end += 1 + length;
  }
  return bytes.subarray(0, end);
}

/**
 * The same with sightings, whose documents have their id, too. Rows are moved within the batch as long as each ends where
 * the next document begins, which is nearly always: what BSON takes besides the text is longer than the ending.
 */
function sightedRows(reader: RowReader, batch: RawBatch): Buffer {
  const { bytes, starts } = batch;
  let end = 0;
  for (const [place, start] of starts.entries()) {
    const next = starts[place + 1] ?? bytes.length;
    const rowEnd = putSighted(reader, batch, { start, next, at: end });
    if (rowEnd === null) {
      const others = copies(starts.slice(place), (one) => sightedTextIn(reader, batch, one));
      return Buffer.concat([bytes.subarray(0, end), ...others]);
    }
    end = rowEnd;
  }
  return bytes.subarray(0, end);
}

interface Slot {
  readonly start: number;
  /** Where the next document begins. */
  readonly next: number;
  /** Where the row is put. */
  readonly at: number;
}

/** Puts a row over its document and those before it. @returns its end; null if it does not fit, and nothing was written */
function putSighted(reader: RowReader, batch: RawBatch, { start, next, at }: Slot): number | null {
  const { bytes } = batch;
  const wireAt = wireFieldIn(reader, bytes, start);
  const length = wireAt === null ? null : lengthIfUnseen(bytes, start, wireAt);
  // A stored text stays without its closing brace, which is in the ending.
  const kept = length === null ? 0 : length - 1;
  const ending = length === null ? sightedTextIn(reader, batch, start) : NEVER;
  const end = at + 1 + kept + ending.length;
  if (end > next) return null;
  const textAt = start + (wireAt ?? 0) + TEXT_AT;
  bytes[at] = COMMA;
  bytes.copyWithin(at + 1, textAt, textAt + kept);
  bytes.set(ending, at + 1 + kept);
  return end;
}

/** Each text after a comma. */
function copies(starts: readonly number[], textOf: (start: number) => Buffer): Buffer[] {
  return starts.flatMap((start) => [COMMA_TEXT, textOf(start)]);
}

/** Where the field `wire` of a document in the current form is expected, relative to its beginning; null for an older form. */
function wireFieldIn({ hasOlderForms, form }: RowReader, bytes: Buffer, start: number): number | null {
  if (bytes.readInt32LE(start + ID_LENGTH_AT) !== ID_LENGTH) return null;
  if (!hasOlderForms) return IDENTIFIED;
  const formAt = start + IDENTIFIED + TYPE_AT;
  const isCurrent = bytes[formAt] === INTEGER && bytes.readInt32LE(formAt + FORM_AT) >= form;
  return isCurrent ? IDENTIFIED + FORM_LENGTH : null;
}

/** Text length of a document with no other field than its id and form; otherwise null. @param at of the field `wire` */
function lengthIfUnseen(bytes: Buffer, start: number, at: number): number | null {
  if (bytes[start + at + TYPE_AT] !== TEXT) return null;
  const length = bytes.readInt32LE(start + at + LENGTH_AT) - 1;
  return bytes.readInt32LE(start) === at + TEXT_AT + length + 2 ? length : null;
}

/** The text of an entity, and an id field of it. @returns `revision` is 0 if not requested */
export function keyedTextIn(
  reader: RowReader,
  scope: Scope,
  batch: RawBatch,
  { start, key }: { start: number; key: string },
): { id: string; text: Buffer; revision: number } {
  const fields = fieldsIn(batch, start);
  const id = String(fields.get(key));
  if (reader.losesTags(scope)) {
    const { entity, revision, sighting } = reader.storedIn(decoded(batch, start), scope);
    return {
      id,
      text: Buffer.from(JSON.stringify({ ...(entity as object), ...(reader.isSighted && sighting) })),
      revision,
    };
  }
  const wire = upgradedIn(reader, fields);
  const text = reader.isSighted ? sightedText(wire, sightingFieldsIn(fields)) : wire;
  return { id, text, revision: Number(fields.get("revision") ?? 0) };
}

function responseTextIn(reader: RowReader, scope: Scope, batch: RawBatch, start: number): Buffer {
  const document = decoded(batch, start);
  const wire = reader.wireOf(document, scope);
  return Buffer.from(reader.isSighted ? wire.slice(0, -1) + endingOf(sightingIn(document)) : wire);
}

function sightedTextIn(reader: RowReader, batch: RawBatch, start: number): Buffer {
  const fields = fieldsIn(batch, start);
  return sightedText(upgradedIn(reader, fields), sightingFieldsIn(fields));
}

function upgradedTextIn(reader: RowReader, batch: RawBatch, start: number): Buffer {
  return upgradedIn(reader, fieldsIn(batch, start));
}

/** The text of a document in the current form. */
function upgradedIn({ upgraded }: RowReader, fields: ReadonlyMap<string, Buffer | number>): Buffer {
  return upgraded(fields.get("wire") as Buffer, fields.get("form") as number | undefined);
}

/** The text of an entity with sightings. */
export function sightedText(wire: Buffer, fields: SightingFields): Buffer {
  const sighting = sightingIn(fields);
  const ending = sighting === NEVER_SEEN ? NEVER : Buffer.from(endingOf(sighting));
  return Buffer.concat([wire.subarray(0, -1), ending]);
}

/** The sighting in a document's fields. */
export function sightingFieldsIn(fields: ReadonlyMap<string, Buffer | number>): SightingFields {
  const number = (name: string): number | undefined => fields.get(name) as number | undefined;
  const text = (name: string): string | undefined => fields.get(name)?.toString();
  return {
    seen_first: number("seen_first"),
    seen_last: number("seen_last"),
    seen_by: text("seen_by"),
    seen_how: text("seen_how"),
    missed: number("missed"),
  };
}

function decoded(batch: RawBatch, start: number): StoredFields {
  return documentIn(batch, start) as StoredFields;
}
