import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { formWith } from "./added.rules.js";

const schema = z.object({ id: z.string(), note: z.string().nullable(), name: z.string(), height: z.int() });
const { upgrade } = formWith(3, schema, { note: null, height: 1 });

describe("a form with further members", () => {
  it("gives them to earlier entities, in the order of the schema", () => {
    const upgraded = upgrade?.({ id: "a", name: "one" } as never, 1);
    expect(JSON.stringify(upgraded)).toBe('{"id":"a","note":null,"name":"one","height":1}');
  });

  it("keeps what an entity has, also members of a newer build", () => {
    const stored = { id: "a", name: "one", height: 42, since: "2026" };
    expect(upgrade?.(stored as never, 2)).toEqual({ ...stored, note: null });
  });
});
