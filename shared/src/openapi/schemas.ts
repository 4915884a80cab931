/** A JSON schema of an OpenAPI document, as far as it is rewritten. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  "x-enum-varnames"?: string[];
  examples?: unknown[];
  example?: unknown;
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Every schema of a document, those inside others after these. */
export function schemasIn(document: object): Schema[] {
  const { components } = document as { components?: { schemas?: Record<string, Schema> } };
  return [...Object.values(components?.schemas ?? {}), ...placedIn(document)].flatMap(withInner);
}

/** The schemas of parameters, headers and contents: values of `schema` outside schemas. */
function placedIn(part: unknown): Schema[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, inner]) => {
    if (name === "schemas" || name === "example" || name === "examples") return [];
    return name === "schema" ? [inner as Schema] : placedIn(inner);
  });
}

function withInner(schema: Schema): Schema[] {
  return [schema, ...innerOf(schema).flatMap(withInner)];
}

function innerOf(schema: Schema): Schema[] {
  const { properties = {}, propertyNames, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.values(properties),
    ...[propertyNames, additionalProperties, items].filter((one) => typeof one === "object"),
    ...anyOf,
    ...oneOf,
    ...allOf,
  ];
}
