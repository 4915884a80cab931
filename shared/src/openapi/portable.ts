import { schemasIn, type Schema } from "./schemas.js";

// What the schemas of the contract become for generators of code: the same rules, said by keywords that all of them
// understand. docs/client.md names the generators; `npm run long -- clients` uses each.

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** Formats that generators turn into types of their own, which have no pattern. */
const TYPED_FORMATS: ReadonlySet<string> = new Set(["date-time", "uuid"]);

/** Rewrites all schemas of a document. */
export function makePortable(document: object): void {
  const schemas = schemasIn(document);
  const textOf = textsOf(document);
  for (const schema of schemas) {
    withOneText(schema, textOf);
  }
  const alternatives = new Set(schemas.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]));
  for (const schema of schemas) {
    withoutSiblings(schema);
    withPlainConstant(schema);
    if (!alternatives.has(schema)) withSomeType(schema);
    withPlainChoice(schema);
    withFormat(schema);
  }
  for (const parameter of parametersIn(document)) describedOnce(parameter);
  withNamedConstants(document);
}

interface Parameter {
  description?: string;
  readonly schema: Schema;
}

function parametersIn(document: object): Parameter[] {
  const { paths } = document as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  return Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ parameters = [] }) => parameters));
}

/** The description of a parameter is its own; beside the reference of its schema, there is nothing. */
function describedOnce(parameter: Parameter): void {
  const { schema } = parameter;
  if (schema.description !== undefined) parameter.description = schema.description;
  delete schema.description;
}

/**
 * Where constants of all types share one scope, as in Go, those of two types may not have one name. Each has the name of its
 * type in front, also where none has the same today: another type would rename it. Generators take the names from this
 * extension.
 */
function withNamedConstants(document: object): void {
  const { schemas = {} } = (document as { components: { schemas?: Record<string, Schema> } }).components;
  const constantOf = (text: string): string => text.replaceAll(/\W+/g, "_").toUpperCase();
  for (const [name, schema] of Object.entries(schemas)) {
    const prefix = constantOf(name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_"));
    if (schema.enum !== undefined)
      schema["x-enum-varnames"] = schema.enum.map((value) => `${prefix}_${constantOf(String(value))}`);
  }
}

/** A described reference says itself what is allowed; a default beside it is part of the description. */
function withoutSiblings(schema: Schema): void {
  const value = schema.default;
  if (Array.isArray(value) || (typeof value === "object" && value !== null) || value === null) delete schema.default;
  if (schema.$ref === undefined) return;
  if (schema.type !== undefined) delete schema.$ref;
  else delete schema.additionalProperties;
  if (schema.default === undefined) return;
  describeMore(schema, `Default \`${JSON.stringify(schema.default).replaceAll('"', "")}\`.`);
  delete schema.default;
}

/** Only texts are constants: an enumeration of booleans, or of null, is a type in few languages. */
function withPlainConstant(schema: Schema): void {
  if (schema.const !== undefined) {
    const value = schema.const;
    delete schema.const;
    schema.type = typeof value as Schema["type"];
    if (typeof value === "string") schema.enum = [value];
    else describeMore(schema, `Always \`${JSON.stringify(value)}\`.`);
  }
}

/** Neither null alone nor one of several types is a type in most languages. */
function withSomeType(schema: Schema): void {
  if (schema.type === "null") {
    schema.type = ["object", "null"];
    describeMore(schema, "Always `null`.");
  }
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  if (types.length < 2) return;
  schema.oneOf = types.map((type) => ({ type }));
  delete schema.type;
}

/** A choice between one type and null is a nullable type; of objects, it must remain a choice to be one in Python. */
function withPlainChoice(schema: Schema): void {
  const { anyOf } = schema;
  if (anyOf === undefined) return;
  const [one, ...others] = anyOf.filter(({ type }) => type !== "null");
  const isNullable = others.length < anyOf.length - 1;
  if (one === undefined || others.length > 0 || !isNullable) return;
  const isPlain = one.enum === undefined && one.const === undefined && one.type !== "object";
  if (one.type === undefined || !isPlain) return;
  delete schema.anyOf;
  Object.assign(schema, { ...one, ...schema, type: [one.type, "null"].flat() });
}

/** The pattern of a schema of texts; null if it is something else. */
type PatternOf = (schema: Schema) => string | null;

function textsOf(document: object): PatternOf {
  const { schemas = {} } = (document as { components: { schemas?: Record<string, Schema> } }).components;
  return function patternOf({ $ref, anyOf, type, pattern, const: value }: Schema): string | null {
    if ($ref !== undefined) return patternOf(schemas[$ref.slice("#/components/schemas/".length)] ?? {});
    if (anyOf !== undefined) return eitherOf(anyOf.map(patternOf));
    if (type !== "string") return null;
    return typeof value === "string" ? `^${value}$` : (pattern ?? null);
  };
}

function eitherOf(patterns: readonly (string | null)[]): string | null {
  return patterns.includes(null) ? null : patterns.join("|");
}

/** A choice of texts, such as addresses of two versions, is one text. */
function withOneText(schema: Schema, patternOf: PatternOf): void {
  const { anyOf } = schema;
  const pattern = anyOf === undefined ? null : eitherOf(anyOf.map(patternOf));
  if (pattern === null) return;
  delete schema.anyOf;
  schema.type = "string";
  schema.pattern = pattern;
}

function withFormat(schema: Schema): void {
  if (TYPED_FORMATS.has(schema.format ?? "")) delete schema.pattern;
  if (schema.type === undefined || ![schema.type].flat().includes("integer") || schema.format !== undefined) return;
  const { minimum = -Infinity, maximum = Infinity } = schema;
  schema.format = minimum >= INT32.minimum && maximum <= INT32.maximum ? "int32" : "int64";
}

function describeMore(schema: Schema, sentence: string): void {
  schema.description = schema.description === undefined ? sentence : `${schema.description} ${sentence}`;
}
