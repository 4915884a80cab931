import { schemasIn, type Schema } from "./schemas.js";

// The 3.0.3 edition of the document, for generators that do not read 3.1.

/** A copy of the document as OpenAPI 3.0.3. */
export function inEdition30(document: object): object {
  const copy = structuredClone(document) as OpenApi;
  copy.openapi = "3.0.3";
  streamsAsText(copy);
  const schemas = schemasIn(copy);
  for (const schema of schemas) toEdition30(schema);
  for (const schema of schemas) withTypeOfReference(schema, copy.components.schemas);
  return copy;
}

interface OpenApi {
  openapi: string;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** `nullable` has an effect beside `type` only; a value of one of several types, or null, is any value. */
function withTypeOfReference(schema: Schema, named: OpenApi["components"]["schemas"]): void {
  const [first] = schema.allOf ?? [];
  if (schema.nullable !== true || schema.type !== undefined || first?.$ref === undefined) return;
  const type = named[first.$ref.slice("#/components/schemas/".length)]?.type;
  if (type !== undefined) schema.type = type;
  else {
    delete schema.allOf;
    delete schema.nullable;
  }
}

function toEdition30(schema: Schema): void {
  delete schema.propertyNames;
  const { examples, type, anyOf, $ref } = schema;
  delete schema.examples;
  if (examples !== undefined && $ref === undefined) schema.example = examples[0];
  if (Array.isArray(type)) {
    schema.type = type.find((one) => one !== "null");
    if (type.includes("null")) schema.nullable = true;
  }
  if (anyOf?.some(({ type: one }) => one === "null") === true) {
    schema.nullable = true;
    const others = anyOf.filter(({ type: one }) => one !== "null");
    delete schema.anyOf;
    if (others.length === 1) schema.allOf = others;
    else schema.anyOf = others;
  }
  if ($ref !== undefined && Object.keys(schema).length > 1) {
    delete schema.$ref;
    schema.allOf = [{ $ref }];
  }
}

/** 3.0 has no word for events, and code for servers would have to send them. */
function streamsAsText(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  const content = part as Record<string, { schema?: Schema } | undefined>;
  const stream = content["text/event-stream"];
  if (stream !== undefined) stream.schema = { type: "string" };
  else for (const inner of Object.values(part)) streamsAsText(inner);
}
