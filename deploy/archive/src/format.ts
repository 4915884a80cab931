/**
 * The format of a backup, inside gzip: concatenated BSON documents. The first is a header, a marker precedes each
 * collection, and the last has the document count, so that truncation is detected.
 */
import { BSON, type Document } from "mongodb";
import { ArchiveProblem } from "./problem.js";

const FORMAT = 1;
const LENGTH_BYTES = 4;
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024; // MongoDB's own limit is 16 MiB

/** A part of a backup, in file order. */
export type Piece =
  | { readonly kind: "head"; readonly takenAt: Date; readonly serverVersion: string }
  /** `database` is the name of the service that owns it, whatever the database itself is called. */
  | { readonly kind: "collection"; readonly database: string; readonly collection: string }
  | { readonly kind: "document"; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly documents: number };

/** The bytes of a part. */
export function encode(piece: Piece): Uint8Array {
  switch (piece.kind) {
    case "head":
      return BSON.serialize({ $backup: FORMAT, taken_at: piece.takenAt, server_version: piece.serverVersion });
    case "collection":
      return BSON.serialize({ $collection: piece.collection, database: piece.database });
    case "document":
      return piece.bytes;
    case "end":
      return BSON.serialize({ $end: piece.documents });
  }
}

/**
 * Parses a backup from chunks of any size.
 *
 * @throws ArchiveProblem if it is no backup, has an unknown format, or is truncated
 */
export async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let documents = 0;
  let last: Piece["kind"] | null = null;
  for await (const bytes of split(chunks)) {
    const piece = pieceOf(bytes);
    if ((last === null) !== (piece.kind === "head")) throw new ArchiveProblem("This is not a backup.");
    if (last === "end") throw new ArchiveProblem("The backup has data after its end.");
    if (piece.kind === "document") documents += 1;
    if (piece.kind === "end" && piece.documents !== documents)
      throw new ArchiveProblem(`The backup has ${documents} documents and should have ${piece.documents}.`);
    last = piece.kind;
    yield piece;
  }
  if (last === null) throw new ArchiveProblem("The backup is empty.");
  if (last !== "end") throw new ArchiveProblem("The backup is truncated.");
}

/** Stored documents start with `_id`; ours start with a name that no stored document can have. */
function pieceOf(bytes: Uint8Array): Piece {
  if (bytes[LENGTH_BYTES + 1] !== "$".charCodeAt(0)) return { kind: "document", bytes };
  const mark: Document = BSON.deserialize(bytes);
  if (mark["$backup"] === FORMAT)
    return { kind: "head", takenAt: mark["taken_at"] as Date, serverVersion: String(mark["server_version"]) };
  if (typeof mark["$collection"] === "string")
    return { kind: "collection", collection: mark["$collection"], database: String(mark["database"]) };
  if (typeof mark["$end"] === "number") return { kind: "end", documents: mark["$end"] };
  throw new ArchiveProblem("The backup has a format that this version does not support.");
}

/** Splits a stream into documents by their length prefix. */
async function* split(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < LENGTH_BYTES) break;
      const length = rest.readInt32LE(0);
      if (length < LENGTH_BYTES + 1 || length > MAX_DOCUMENT_BYTES) throw new ArchiveProblem("This is not a backup.");
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new ArchiveProblem("The backup is truncated.");
}
