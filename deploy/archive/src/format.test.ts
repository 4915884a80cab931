import { describe, expect, it } from "@jest/globals";
import { BSON } from "mongodb";
import { decode, encode, type Piece } from "./format.js";

const PIECES: readonly Piece[] = [
  { kind: "head", takenAt: new Date(0), serverVersion: "1.2.3" },
  { kind: "collection", database: "identity", collection: "users" },
  { kind: "document", bytes: document({ _id: "a", price: { $numberOfThings: 1 } }) },
  { kind: "document", bytes: document({ _id: "b" }) },
  { kind: "collection", database: "topology", collection: "hosts" },
  { kind: "end", documents: 2 },
];
const BYTES = Buffer.concat(PIECES.map(encode));

describe("the backup format", () => {
  it.each([1, 3, 7, 64, 1_000])("is parsed from chunks of %d bytes", async (size) => {
    expect(await decoded(BYTES, size)).toEqual(PIECES);
  });

  it("is recognized as truncated wherever it was cut off", async () => {
    for (let length = 0; length < BYTES.length; length += 1)
      await expect(decoded(BYTES.subarray(0, length), 1_000)).rejects.toThrow(/truncated|empty/);
  });

  it.each([
    ["text", Buffer.from("this is something else altogether"), "This is not a backup."],
    ["documents without a head", Buffer.from(document({ _id: "a" })), "This is not a backup."],
    ["a later version", Buffer.from(document({ $backup: 2 })), "does not support"],
    ["a file with a missing document", bytesOf([0, 1, 2, 5]), "has 1 documents and should have 2"],
    ["a file that continues after its end", bytesOf([0, 1, 2, 3, 5, 3]), "after its end"],
  ])("is not confused with %s", async (_, bytes, sentence) => {
    await expect(decoded(bytes, 1_000)).rejects.toThrow(sentence);
  });
});

function document(content: object): Uint8Array {
  return Buffer.from(BSON.serialize(content));
}

function bytesOf(indexes: readonly number[]): Buffer {
  return Buffer.concat(indexes.map((index) => encode(PIECES[index]!)));
}

async function decoded(bytes: Buffer, chunkSize: number): Promise<Piece[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkSize)
      yield await Promise.resolve(bytes.subarray(at, at + chunkSize));
  }
  const pieces: Piece[] = [];
  for await (const piece of decode(chunks())) pieces.push(piece);
  return pieces;
}
