import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import "./fault-texts.js";
import { OPERATIONS } from "./index.js";

const faultOf = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

describe("what schemas say is wrong", () => {
  const cases: readonly (readonly [z.ZodType, unknown, string])[] = [
    [z.string(), undefined, "is required"],
    [z.enum(["a", "b"]), undefined, "is required"],
    [z.union([z.string(), z.int()]), undefined, "is required"],
    [z.string(), null, "must be text"],
    [z.int(), 1.5, "must be a whole number"],
    [z.boolean(), "yes", "must be true or false"],
    [z.array(z.string()), {}, "must be a list"],
    [z.enum(["Tcp", "Udp"]), "Icmp", "must be one of Tcp, Udp"],
    [z.literal("Port"), "Car", "must be Port"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 elements"],
    [z.array(z.string()).min(1), [], "must have at least 1 element"],
    [z.string().min(3), "a", "must have at least 3 characters"],
    [z.int().min(1), 0, "must be at least 1"],
    [z.int().max(65_535), 70_000, "must be at most 65535"],
    [z.number().lt(3), 3, "must be less than 3"],
    [z.email(), "a", "must be an email address"],
    [z.ipv4(), "a", "must be an IPv4 address"],
    [z.iso.datetime(), "today", "must be a moment such as 2026-01-31T09:30:00Z"],
    [z.string().regex(/^a+$/), "b", "must match /^a+$/"],
    [z.union([z.string(), z.number(), z.boolean()]), [], "must be text or a number or true or false"],
    [z.union([z.string(), z.object({ a: z.string() })]), { a: 1 }, "has none of the possible forms"],
    [
      z.discriminatedUnion("type", [z.object({ type: z.literal("Port") }), z.object({ type: z.literal("Car") })]),
      { type: "Bus" },
      "must be one of Port, Car",
    ],
    [z.strictObject({}), { a: 1, b: 2 }, "has unknown members: a, b"],
  ];

  it.each(cases)("follows the name of the member", (schema, value, text) => {
    expect(faultOf(schema, value)).toBe(text);
  });

  it("is never in the words of the schema library, for any body", () => {
    const inner = { name: 5, tags: 5, bindings: [{}], ends: [{}], client: {}, attributes: { a: [] }, ports: [{}] };
    const others = { interfaces: [{}], services: [{ bindings: [{ type: "x" }] }], permissions: "x", expires_at: "x" };
    const wrong = [undefined, null, {}, [], "x", 1, { ...inner, ...others, targets: 5, schedule: 5, reserved: [5] }];
    const texts = OPERATIONS.flatMap(({ body, upload }) =>
      body === undefined || upload !== undefined
        ? []
        : wrong.flatMap((value) => body.safeParse(value).error?.issues.map(({ message }) => message) ?? []),
    );
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter((text) => /expected|received|Invalid|Unrecognized/.test(text))).toEqual([]);
  });
});
