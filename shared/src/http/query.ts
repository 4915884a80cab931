import { z } from "zod";
import { validationFailed, type Fault } from "../errors.js";
import { faultsOf, MOST_FAULTS } from "./faults.js";

/** `text` may be anything, also the word "null"; a `token` is an id, a time or an enum value. */
type Kind = "list" | "number" | "boolean" | "text" | "token";

/**
 * Creates a parser of query strings for a schema. Lists may repeat or use commas (escaped as `\\,`). `name=`, and
 * `name=null` except for free text, count as absent in reads; in writes, and for flags, they are errors, because a
 * default could be the opposite of what was meant. Unknown parameters (unless the schema is loose) and repeated single
 * ones are errors.
 *
 * @throws AppError (the returned function) `validation_failed` with every error, up to a limit
 * @see docs/api.md "Lists"
 */
export function createQueryReader<Schema extends z.ZodObject>(
  schema: Schema,
  { isWrite = false } = {},
): (search: string) => z.infer<Schema> {
  const isLoose = schema.def.catchall instanceof z.ZodUnknown;
  const kinds = new Map(Object.entries(schema.shape).map(([name, type]) => [name, kindOf(type as z.ZodType)]));
  return (search) => {
    const { values, faults } = collect(search, { kinds, isLoose, isWrite });
    const result = schema.safeParse(values);
    if (result.success && faults.length === 0) return result.data;
    throw validationFailed(...faults, ...(result.success ? [] : faultsOf(result.error)));
  };
}

interface Expected {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly isLoose: boolean;
  readonly isWrite: boolean;
}

function collect(search: string, { kinds, isLoose, isWrite }: Expected): { values: object; faults: Fault[] } {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, text] of new URLSearchParams(search)) {
    if (faults.length === MOST_FAULTS) break;
    const kind = kinds.get(name);
    if (kind === undefined) {
      if (!isLoose) faults.push({ path: name, message: "is not a parameter of this operation" });
    } else if (text === "" || (text === "null" && kind !== "text")) {
      if (kind === "boolean") faults.push({ path: name, message: "must be true or false" });
      else if (isWrite) faults.push({ path: name, message: "must have a value" });
    } else if (kind === "list") ((values[name] ??= []) as string[]).push(...partsOf(text));
    else if (name in values) faults.push({ path: name, message: "must not be repeated" });
    else values[name] = typed(kind, text);
  }
  return { values, faults };
}

const SEPARATOR = /(?<!\\),/;

/** The values of a list. A backslash escapes only a comma. */
function partsOf(text: string): string[] {
  const parts = text.split(SEPARATOR).filter((part) => part !== "");
  return parts.map((part) => part.replaceAll("\\,", ","));
}

/** The text itself if it is not of the type, so that the schema reports the error. */
function typed(kind: Kind, text: string): unknown {
  if (kind === "number" && /^[+-]?\d{1,15}$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function kindOf(type: z.ZodType): Kind {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodNullable)
    return kindOf(type.unwrap() as z.ZodType);
  if (type instanceof z.ZodArray) return "list";
  if (type instanceof z.ZodNumber) return "number";
  if (type instanceof z.ZodBoolean) return "boolean";
  return type instanceof z.ZodString && type.meta()?.["format"] === undefined ? "text" : "token";
}
