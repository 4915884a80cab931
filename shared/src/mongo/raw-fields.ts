// Reads fields of raw BSON where they are.

const DOUBLE = 1;
const TEXT = 2;
export const OBJECT = 3;
export const ARRAY = 4;
const BINARY = 5;
const OBJECT_ID = 7;
const BOOLEAN = 8;
const DATE = 9;
const NULL = 10;
const INT32 = 16;
export const TIMESTAMP = 17;
export const INT64 = 18;

/**
 * Documents in BSON: `starts` has the offset of each in `bytes`. The reader may modify the bytes, and replace them when
 * it no longer needs them: generators that pass batches on refer to one until the next one has been read.
 */
export interface RawBatch {
  bytes: Buffer;
  starts: readonly number[];
}

/** A text in UTF-8 within other bytes. */
export interface TextSlice {
  readonly bytes: Buffer;
  readonly from: number;
  readonly end: number;
}

/** A text of its own. */
export function sliceOf(bytes: Buffer): TextSlice {
  return { bytes, from: 0, end: bytes.length };
}

/** The bytes of a text, without copying. */
export function bytesOf({ bytes, from, end }: TextSlice): Buffer {
  return bytes.subarray(from, end);
}

/** Iterates over the fields of a document. The iteration of `BSON.onDemand` allocates each field, and takes twice as long. */
export class Fields {
  /** The current field. */
  name = "";
  readonly #bytes: Buffer;
  #type = 0;
  #at: number;
  #end: number;

  constructor({ bytes }: Pick<RawBatch, "bytes">, start: number) {
    this.#bytes = bytes;
    this.#at = this.#end = start + 4;
  }

  /** Advances to the next field. @returns false after the last one */
  next(): boolean {
    const bytes = this.#bytes;
    const nameAt = this.#end + 1;
    this.#type = bytes[this.#end] ?? 0;
    if (this.#type === 0) return false;
    // Names are short: a loop is faster than a call.
    let nameEnd = nameAt;
    while (bytes[nameEnd] !== 0) nameEnd += 1;
    this.name = nameIn(bytes, nameAt, nameEnd);
    this.#at = nameEnd + 1;
    this.#end = this.#at + sizeOf(bytes, this.#type, this.#at);
    return true;
  }

  /** Where the UTF-8 of a text begins in the bytes. */
  get textAt(): number {
    return this.#at + 4;
  }

  /** Where it ends. */
  get textEnd(): number {
    return this.#end - 1;
  }

  /** The text in UTF-8; undefined for other types. */
  get utf8(): Buffer | undefined {
    return this.#type === TEXT ? this.#bytes.subarray(this.textAt, this.textEnd) : undefined;
  }

  /** The text; empty for other types. */
  get text(): string {
    return this.#type === TEXT ? this.#bytes.toString("utf8", this.textAt, this.textEnd) : "";
  }

  /** The text if it is one of a few, which are not created again; empty for other types. */
  get word(): string {
    return this.#type === TEXT ? nameIn(this.#bytes, this.textAt, this.textEnd) : "";
  }

  /** The number, or a date in milliseconds; undefined for other types. */
  get number(): number | undefined {
    if (this.#type === INT32) return this.#bytes.readInt32LE(this.#at);
    if (this.#type === INT64 || this.#type === DATE) return Number(this.#bytes.readBigInt64LE(this.#at));
    return this.#type === DOUBLE ? this.#bytes.readDoubleLE(this.#at) : undefined;
  }
}

/** Names and words that have been read, by a hash: a new string for each field would cost more than the rest of reading it. */
const NAMES = Array.from({ length: 256 }, () => "");

function nameIn(bytes: Buffer, from: number, to: number): string {
  const length = to - from;
  const slot = (31 * length + 7 * (bytes[from] ?? 0) + (bytes[to - 1] ?? 0)) % NAMES.length;
  const known = NAMES[slot] ?? "";
  let same = known.length === length ? 0 : -1;
  while (same >= 0 && same < length) same = known.charCodeAt(same) === bytes[from + same] ? same + 1 : -1;
  return same === length ? known : (NAMES[slot] = bytes.toString("latin1", from, to));
}

/** The size of a value. */
function sizeOf(bytes: Buffer, type: number, at: number): number {
  switch (type) {
    case TEXT:
      return 4 + bytes.readInt32LE(at);
    case OBJECT:
    case ARRAY:
      return bytes.readInt32LE(at);
    case BINARY:
      return 5 + bytes.readInt32LE(at);
    case OBJECT_ID:
      return 12;
    case DOUBLE:
    case DATE:
    case INT64:
    case TIMESTAMP:
      return 8;
    case INT32:
      return 4;
    case BOOLEAN:
      return 1;
    case NULL:
      return 0;
    default:
      throw new Error(`unexpected BSON type ${type}`);
  }
}

/** The text fields of a document in UTF-8, numbers, and dates in milliseconds. Others, including null, are omitted. */
export function fieldsIn(batch: RawBatch, start: number): Map<string, Buffer | number> {
  const values = new Map<string, Buffer | number>();
  for (const fields = new Fields(batch, start); fields.next();) {
    const value = fields.utf8 ?? fields.number;
    if (value !== undefined) values.set(fields.name, value);
  }
  return values;
}

/** The value of a document's text field, in UTF-8. @throws Error if it is missing */
export function textIn(batch: Pick<RawBatch, "bytes">, start: number, name: string): Buffer {
  for (const fields = new Fields(batch, start); fields.next();) {
    const text = fields.name === name ? fields.utf8 : undefined;
    if (text !== undefined) return text;
  }
  throw new Error(`a document has no text in its field ${name}`);
}
