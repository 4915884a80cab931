import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { BSON } from "mongodb";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import { FIRST_FORM } from "@nts/shared/mongo/forms";
import type { Network } from "@nts/shared/contract";
import { createReader } from "./entity-reader.js";
import { rowsIn } from "./rows.js";
import { endingOf, type SightingFields, sightingIn } from "./sightings.rules.js";

const SCOPE = { organizationId: "o", networks: "all" } as const;

interface Document extends SightingFields {
  readonly _id?: string;
  readonly wire: string;
}

/** As in a reply of MongoDB: an array, whose indices are names. */
function batchOf(documents: readonly Document[]): RawBatch {
  const pieces: Buffer[] = [Buffer.alloc(4)];
  const starts: number[] = [];
  for (const [index, document] of documents.entries()) {
    pieces.push(Buffer.from(`\u0003${index}\0`));
    starts.push(Buffer.concat(pieces).length);
    pieces.push(Buffer.from(BSON.serialize(document)));
  }
  return { bytes: Buffer.concat([...pieces, Buffer.alloc(1)]), starts };
}

function readerOf(sighted: boolean) {
  return createReader<Network>({ form: FIRST_FORM, ...(sighted && { sighted }) });
}

const wires = fc.string({ unit: "binary", maxLength: 300 }).map((name) => JSON.stringify({ name }));
const times = fc.integer({ min: 0, max: 4_000_000_000_000 });
const sightings = fc.record(
  { seen_first: times, seen_last: times, seen_by: fc.string(), seen_how: fc.constant("mac_address"), missed: times },
  { requiredKeys: [] },
);

describe("rows of a batch", () => {
  it("are the texts of its documents, each after a comma", () => {
    fc.assert(
      fc.property(fc.array(wires, { maxLength: 20 }), (texts) => {
        const rows = rowsIn(readerOf(false), SCOPE, batchOf(texts.map((wire) => ({ wire }))));
        expect(rows.toString()).toBe(texts.map((text) => `,${text}`).join(""));
      }),
    );
  });

  it("have the sightings of their documents, which may be longer than what the documents take", () => {
    // Without an id, or with a short one, there is no room for the endings.
    const ids = fc.oneof(fc.uuid(), fc.string({ maxLength: 3 }), fc.constant(undefined));
    const documents = fc.record({ _id: ids, wire: wires, sighting: fc.oneof(fc.constant({}), sightings) });
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 20 }), (given) => {
        const stored = given.map(({ _id, wire, sighting }) => ({
          ...(_id !== undefined && { _id }),
          wire,
          ...sighting,
        }));
        const rows = rowsIn(readerOf(true), SCOPE, batchOf(stored));
        const expected = stored.map((one) => `,${one.wire.slice(0, -1)}${endingOf(sightingIn(one))}`);
        expect(rows.toString()).toBe(expected.join(""));
      }),
    );
  });

  it("are moved within the batch when the documents have their ids", () => {
    const wire = JSON.stringify({ name: "nginx" });
    const seen = { seen_first: 1, seen_last: 2, seen_by: "nmap", missed: 3 };
    const stored = [{}, seen, {}, seen, seen].map((sighting, n) => ({
      _id: `00000000-0000-4000-8000-00000000000${n}`,
      wire,
      ...sighting,
    }));
    const batch = batchOf(stored);
    expect(rowsIn(readerOf(true), SCOPE, batch).buffer).toBe(batch.bytes.buffer);
  });
});
