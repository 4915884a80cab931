import { describe, expect, it } from "@jest/globals";
import { createdAtIn, formerAt, type FormerEntry } from "./formers.js";

const AT = "2026-01-02T03:04:05.006Z";
const entryOf = (entity: object): FormerEntry => ({
  ...withinOthers(Buffer.from(`before${JSON.stringify(entity)}after`)),
  n: 1,
  action: "deleted",
  entity: "Tag",
  entity_id: "a",
  host_id: null,
  form: undefined,
  old: undefined,
  was: undefined,
});

const withinOthers = (bytes: Buffer) => ({ bytes, from: "before".length, end: bytes.length - "after".length });

describe("the time of a creation", () => {
  it.each([
    ["at the beginning of a state", { id: "00000000-0000-4000-8000-000000000001", created_at: AT, name: "b" }],
    ["behind a short id", { id: "a", created_at: AT, name: "b" }],
    ["behind the id alone", { id: "00000000-0000-4000-8000-000000000001", name: "b", created_at: AT }],
    ["behind other members", { name: "b", id: "a", created_at: AT }],
    ["behind a text that looks like it", { id: 'a","created_at":"2000-01-01T00:00:00.000Z', created_at: AT }],
    ["behind a nested one", { details: { id: "a", created_at: "2000-01-01T00:00:00.000Z" }, id: "a", created_at: AT }],
  ])("is found %s", (_, entity) => {
    expect(new Date(createdAtIn(entryOf(entity))).toISOString()).toBe(AT);
  });
});

describe("former states", () => {
  it("are found by number", () => {
    const numbers = [2, 3, 5, 8];
    const formers = numbers.map((n) => ({ ...entryOf({}), n }));
    for (let n = 0; n < 10; n++) expect(formerAt(formers, n)?.n).toBe(numbers.includes(n) ? n : undefined);
    expect(formerAt([], 1)).toBeUndefined();
  });
});
