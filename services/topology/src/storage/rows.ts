import type { Scope } from "@nts/shared/http/tenancy";
import { fieldsIn, textIn } from "@nts/shared/mongo/raw-fields";
import { documentIn, type RawBatch } from "@nts/shared/mongo/raw-find";
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

/** The source of rows. */
export type RowReader = Pick<EntityReader<unknown>, "differs" | "wireOf" | "storedIn" | "isSighted">;

/** The projection for texts; `form` is included while older forms may exist. */
export function textFields({ differs, isSighted }: RowReader, scope: Scope): Readonly<Record<string, 1>> {
  return { wire: 1, ...(differs(scope) && { form: 1 as const }), ...(isSighted && { _id: 1 as const, ...SIGHTING }) };
}

/**
 * Extracts the texts of documents read with {@link textFields}, each preceded by a comma. Unchanged ones are moved
 * within the batch, without decoding or allocation.
 *
 * @param isAlone false if the documents have other fields
 */
export function rowsIn(reader: RowReader, scope: Scope, batch: RawBatch, isAlone = true): Buffer {
  const { bytes, starts } = batch;
  if (reader.differs(scope))
    return Buffer.concat(copies(starts, (start) => responseTextIn(reader, scope, batch, start)));
  if (reader.isSighted) return sightedRows(batch);
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
function sightedRows(batch: RawBatch): Buffer {
  const { bytes, starts } = batch;
  let end = 0;
  for (const [place, start] of starts.entries()) {
    const next = starts[place + 1] ?? bytes.length;
    const rowEnd = putSighted(batch, { start, next }, end);
    if (rowEnd === null) {
      const others = copies(starts.slice(place), (one) => sightedTextIn(batch, one));
      return Buffer.concat([bytes.subarray(0, end), ...others]);
    }
    end = rowEnd;
  }
  return bytes.subarray(0, end);
}

/** Puts a row over its document and those before it. @returns its end; null if it does not fit, and nothing was written */
function putSighted(
  batch: RawBatch,
  { start, next }: { readonly start: number; readonly next: number },
  at: number,
): number | null {
  const { bytes } = batch;
  const length = lengthIfUnseen(bytes, start);
  // A stored text stays without its closing brace, which is in the ending.
  const kept = length === null ? 0 : length - 1;
  const ending = length === null ? sightedTextIn(batch, start) : NEVER;
  const end = at + 1 + kept + ending.length;
  if (end > next) return null;
  const textAt = start + IDENTIFIED + TEXT_AT;
  bytes[at] = COMMA;
  bytes.copyWithin(at + 1, textAt, textAt + kept);
  bytes.set(ending, at + 1 + kept);
  return end;
}

/** Each text after a comma. */
function copies(starts: readonly number[], textOf: (start: number) => Buffer): Buffer[] {
  return starts.flatMap((start) => [COMMA_TEXT, textOf(start)]);
}

/** Text length of a document with no other field than its id; otherwise null. */
function lengthIfUnseen(bytes: Buffer, start: number): number | null {
  if (bytes.readInt32LE(start + ID_LENGTH_AT) !== ID_LENGTH || bytes[start + IDENTIFIED + TYPE_AT] !== TEXT)
    return null;
  const length = bytes.readInt32LE(start + IDENTIFIED + LENGTH_AT) - 1;
  return bytes.readInt32LE(start) === IDENTIFIED + TEXT_AT + length + 2 ? length : null;
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
  if (reader.differs(scope)) {
    const { entity, revision, sighting } = reader.storedIn(decoded(batch, start), scope);
    return {
      id,
      text: Buffer.from(JSON.stringify({ ...(entity as object), ...(reader.isSighted && sighting) })),
      revision,
    };
  }
  const wire = fields.get("wire") as Buffer;
  const text = reader.isSighted ? sightedText(wire, sightingFieldsIn(fields)) : wire;
  return { id, text, revision: Number(fields.get("revision") ?? 0) };
}

function responseTextIn(reader: RowReader, scope: Scope, batch: RawBatch, start: number): Buffer {
  const document = decoded(batch, start);
  const wire = reader.wireOf(document, scope);
  return Buffer.from(reader.isSighted ? wire.slice(0, -1) + endingOf(sightingIn(document)) : wire);
}

function sightedTextIn(batch: RawBatch, start: number): Buffer {
  const fields = fieldsIn(batch, start);
  return sightedText(fields.get("wire") as Buffer, sightingFieldsIn(fields));
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
  const by = fields.get("seen_by");
  return {
    seen_first: number("seen_first"),
    seen_last: number("seen_last"),
    seen_by: by === undefined ? undefined : String(by),
    missed: number("missed"),
  };
}

function decoded(batch: RawBatch, start: number): StoredFields {
  return documentIn(batch, start) as StoredFields;
}
