import { describe, expect, it } from "@jest/globals";
import { Binary, BSON, Long, MinKey, ObjectId, Timestamp } from "mongodb";
import { Fields, fieldsIn } from "./raw-fields.js";

const AT = new Date("2026-01-02T03:04:05.006Z");
const batchOf = (document: object): { bytes: Buffer; starts: number[] } => ({
  bytes: Buffer.concat([Buffer.from("other"), BSON.serialize(document)]),
  starts: [5],
});

describe("the fields of a document", () => {
  it("are its texts, numbers and dates, whatever is between them", () => {
    const values = { text: "ü", small: 1, large: Long.fromString("4294967296"), real: 1.5, at: AT };
    const others = [{}, [1, "b"], new Binary(Buffer.from("c")), new ObjectId(), true, null, new Timestamp(1n)];
    const document = Object.fromEntries(
      Object.entries(values).flatMap(([name, value], n) => [
        [`other ${n}`, others[n]],
        [name, value],
      ]),
    );
    const fields = fieldsIn(
      batchOf({ ...document, ...Object.fromEntries(others.map((one, n) => [`last ${n}`, one])) }),
      5,
    );
    expect(
      Object.fromEntries([...fields].map(([name, value]) => [name, typeof value === "number" ? value : String(value)])),
    ).toEqual({ text: "ü", small: 1, large: 4_294_967_296, real: 1.5, at: AT.getTime() });
  });

  it("have an empty text and no number for other types", () => {
    const fields = new Fields(batchOf({ a: null, b: 1, c: "d" }), 5);
    const seen: unknown[] = [];
    while (fields.next()) seen.push([fields.name, fields.text, fields.number]);
    expect(seen).toEqual([
      ["a", "", undefined],
      ["b", "", 1],
      ["c", "d", undefined],
    ]);
  });

  it("have their own names, also those that differ in a single character", () => {
    const values = { "": 0, axc: 1, ayc: 2, axcd: 3 };
    for (let n = 0; n < 2; n++) expect(Object.fromEntries(fieldsIn(batchOf(values), 5))).toEqual(values);
  });

  it("have their own words, also those that differ in a single character", () => {
    const fields = new Fields(batchOf({ a: "axc", b: "ayc", c: "axc", d: 1, e: "" }), 5);
    const words: string[] = [];
    while (fields.next()) words.push(fields.word);
    expect(words).toEqual(["axc", "ayc", "axc", "", ""]);
  });

  it("are not guessed behind a type of unknown size", () => {
    expect(() => fieldsIn(batchOf({ a: new MinKey(), b: 1 }), 5)).toThrow("unexpected BSON type");
  });
});
