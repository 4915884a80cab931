import type { Scope } from "@nts/shared/http/tenancy";
import { documentIn, fieldsIn, type RawBatch, textsIn } from "@nts/shared/mongo/raw-find";
import type { StoredFields } from "./entities.js";
import type { EntityReader } from "./entity-reader.js";

// A document of the one field `wire`, as it comes from the database: its length (4 bytes), the type of the field (1), its
// name with a zero (5), the length of the text (4), the text, and two zeros.
const TYPE_AT = 4;
const LENGTH_AT = 10;
const TEXT_AT = 14;
const TEXT = 2;
const COMMA = 44;
const COMMA_TEXT = Buffer.from(",");

/** The projection that the texts of entities are read from: while older forms may be met, `form` tells which these are. */
export function textFields({ differs }: EntityReader<unknown>, scope: Scope): Readonly<Record<string, 1>> {
  return { wire: 1, ...(differs(scope) && { form: 1 as const }) };
}

/**
 * The texts of documents of the {@link textFields}, a comma before each. Those that are answered as they are stored
 * are moved together within the batch: nothing is decoded, and nothing is allocated.
 *
 * @param isAlone false when the documents have fields beside the text
 */
export function rowsIn(
  reader: EntityReader<unknown>,
  scope: Scope,
  { bytes, starts }: RawBatch,
  isAlone = true,
): Buffer {
  if (reader.differs(scope))
    return Buffer.from(starts.map((start) => `,${reader.wireOf(decoded({ bytes, starts }, start), scope)}`).join(""));
  if (!isAlone) return Buffer.concat(starts.flatMap((start) => [COMMA_TEXT, textIn({ bytes, starts }, start)]));
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

/** The text of an entity, and a field of it that is an id. @returns `revision` is 0 when it was not asked for */
export function keyedTextIn(
  reader: EntityReader<unknown>,
  scope: Scope,
  batch: RawBatch,
  { start, key }: { start: number; key: string },
): { id: string; text: Buffer; revision: number } {
  const fields = fieldsIn(batch, start);
  const id = String(fields.get(key));
  if (reader.differs(scope)) {
    const { entity, revision } = reader.storedIn(decoded(batch, start), scope);
    return { id, text: Buffer.from(JSON.stringify(entity)), revision };
  }
  const wire = textIn(batch, start);
  return { id, text: wire, revision: Number(fields.get("revision") ?? 0) };
}

function textIn(batch: RawBatch, start: number): Buffer {
  const [wire] = textsIn(batch, start, ["wire"]);
  return wire as Buffer;
}

function decoded(batch: RawBatch, start: number): StoredFields {
  return documentIn(batch, start) as StoredFields;
}
