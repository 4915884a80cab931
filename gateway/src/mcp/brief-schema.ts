import { z } from "zod";

// JSON Schemas for assistants, which pay for every definition in each conversation. Limits and notations are left out: who
// sends too much is told so, and the API validates everything again.

export type Json = Readonly<Record<string, unknown>>;

/** Members of schemas that are kept. */
const KEPT = ["type", "properties", "items", "required", "enum", "const", "anyOf", "oneOf", "description", "default"];
/** Values are named up to this number. */
const MOST_NAMED_VALUES = 16;

export interface BriefOptions {
  readonly side: "input" | "output";
  /** Levels of objects whose members are named; by default all. */
  readonly levels?: number;
  /** By default true. */
  readonly described?: boolean;
}

/** The brief JSON Schema of a schema. */
export function briefSchema(schema: z.ZodType, { side, levels = Infinity, described = true }: BriefOptions): Json {
  const whole = z.toJSONSchema(schema, { io: side, unrepresentable: "any" }) as Json;
  const left = [...(side === "output" ? ["required"] : []), ...(described ? [] : ["description", "default"])];
  const kept = new Set(KEPT.filter((member) => !left.includes(member)));
  return brief(whole, { kept, definitions: (whole["$defs"] ?? {}) as Json, levels }) as Json;
}

interface Briefing {
  readonly kept: ReadonlySet<string>;
  readonly definitions: Json;
  readonly levels: number;
}

function brief(schema: unknown, briefing: Briefing): unknown {
  const { kept, definitions, levels } = briefing;
  if (Array.isArray(schema)) return schema.map((one) => brief(one, briefing));
  if (typeof schema !== "object" || schema === null) return schema;
  const given = schema as Json;
  if (typeof given["$ref"] === "string") return brief(definitions[given["$ref"].split("/").at(-1) ?? ""], briefing);
  if (levels === 0 && given["type"] === "object") return { type: "object" };
  const inside = given["type"] === "object" ? { ...briefing, levels: levels - 1 } : briefing;
  const members = Object.entries(given).filter(([member]) => kept.has(member));
  return shorter(
    Object.fromEntries(
      members.map(([member, value]) => [
        member,
        member === "properties" ? each(value as Json, (one) => brief(one, inside)) : brief(value, inside),
      ]),
    ),
  );
}

function each(values: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Alternatives of one type as one, null as another type, and few values. */
function shorter({ anyOf, enum: values, ...rest }: Json): Json {
  const few = Array.isArray(values) && values.length <= MOST_NAMED_VALUES ? { enum: values } : {};
  if (!Array.isArray(anyOf)) return { ...rest, ...few };
  const some = (anyOf as Json[]).filter((one) => one["type"] !== "null");
  const [first, ...others] = some;
  const isOfOneType = first !== undefined && others.every((one) => one["type"] === first["type"]);
  if (!isOfOneType) return { ...rest, anyOf };
  const only: Json = others.length === 0 ? first : { type: first["type"] };
  if (some.length === anyOf.length) return { ...rest, ...only };
  const named = only["enum"] as readonly unknown[] | undefined;
  return { ...rest, ...only, type: [first["type"], "null"], ...(named !== undefined && { enum: [...named, null] }) };
}
