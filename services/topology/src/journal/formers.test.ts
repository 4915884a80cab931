import { describe, expect, it } from "@jest/globals";
import { createdAtIn, type FormerEntry } from "./formers.js";

const AT = "2026-01-02T03:04:05.006Z";
const entryOf = (entity: object): FormerEntry => ({
  n: 1,
  action: "deleted",
  entity: "Tag",
  entity_id: "a",
  host_id: null,
  form: undefined,
  wire: Buffer.from(JSON.stringify(entity)),
  old: undefined,
  was: undefined,
});

describe("the time of a creation", () => {
  it.each([
    ["at the beginning of a state", { id: "a", created_at: AT, name: "b" }],
    ["behind other members", { name: "b", id: "a", created_at: AT }],
    ["behind a text that looks like it", { id: 'a","created_at":"2000-01-01T00:00:00.000Z', created_at: AT }],
    ["behind a nested one", { details: { id: "a", created_at: "2000-01-01T00:00:00.000Z" }, id: "a", created_at: AT }],
  ])("is found %s", (_, entity) => {
    expect(createdAtIn(entryOf(entity)).toISOString()).toBe(AT);
  });
});
