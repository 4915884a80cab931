import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { briefSchema } from "./brief-schema.js";

describe("the schema of a tool", () => {
  const schema = z.object({
    name: z.string().max(5).nullable().describe("What it is called."),
    address: z.union([z.string(), z.literal("next")]),
    parts: z.array(z.object({ inner: z.object({ id: z.string() }) })).default([]),
    kind: z.enum(["a", "b"]).optional(),
    role: z.enum(["a", "b"]).nullable().optional(),
    many: z.enum(Array.from({ length: 20 }, (_, at) => `v${at}`) as [string]),
  });

  it("names members, types and few values, and leaves out limits and notations", () => {
    expect(briefSchema(schema, { side: "input" })).toEqual({
      type: "object",
      properties: {
        name: { type: ["string", "null"], description: "What it is called." },
        address: { type: "string" },
        parts: {
          type: "array",
          default: [],
          items: {
            type: "object",
            properties: { inner: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
            required: ["inner"],
          },
        },
        kind: { type: "string", enum: ["a", "b"] },
        role: { type: ["string", "null"], enum: ["a", "b", null] },
        many: { type: "string" },
      },
      required: ["name", "address", "many"],
    });
  });

  it("names the members of some levels only, if asked to", () => {
    expect(briefSchema(schema, { side: "input", levels: 2, described: false })).toMatchObject({
      properties: {
        name: { type: ["string", "null"] },
        parts: { items: { properties: { inner: { type: "object" } } } },
      },
    });
    expect(JSON.stringify(briefSchema(schema, { side: "output", levels: 1 }))).not.toMatch(/required|inner/);
  });
});
