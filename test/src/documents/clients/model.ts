import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { takesIdempotencyKey } from "@nts/shared/contract/writes";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";

// The OpenAPI document as the clients in Python and Go see it: the operations that an API key can use, and their types.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: object;
}

interface Content {
  readonly schema?: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly in: "path" | "query" | "header";
    readonly name: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** A type, without names of a language. */
export type Type =
  | { readonly is: "named"; readonly name: string }
  | { readonly is: "text" | "time" | "integer" | "number" | "boolean" | "any" | "bytes" | "nothing" }
  | { readonly is: "list" | "map" | "nullable"; readonly of: Type }
  | { readonly is: "values"; readonly values: readonly string[] }
  | { readonly is: "either"; readonly of: readonly Type[] };

export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly description: string;
}

/** A type with a name: an object, or another name of something else. */
export interface Named {
  readonly name: string;
  readonly description: string;
  readonly members: readonly Member[] | null;
  readonly type: Type;
  /** A choice of objects that one member tells apart. */
  readonly isTagged: boolean;
}

export interface ClientOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly params: readonly Member[];
  readonly query: readonly Member[];
  /** Of {@link HEADERS}, by their names there. */
  readonly headers: readonly string[];
  readonly body: { readonly type: Type; readonly mediaType: string; readonly isRequired: boolean } | null;
  readonly takesKey: boolean;
  /** The `data` of the envelope, or a file; null if neither. */
  readonly data: Type | null;
  /** With `Prefer: respond-async`. */
  readonly job: Type | null;
  /** The response may be a file instead. */
  readonly isAlsoFile: boolean;
}

/** Request headers that callers give: the names of their arguments. */
export const HEADERS: Readonly<Record<string, string>> = {
  "If-Match": "if_match",
  "If-None-Match": "if_none_match",
  "Idempotency-Key": "idempotency_key",
  "Change-Comment": "comment",
};

export interface ClientModel {
  readonly operations: readonly ClientOperation[];
  /** Those that operations need, by name. */
  readonly types: readonly Named[];
}

const JSON_TYPE = "application/json";

export function clientModel(): ClientModel {
  const document = JSON.parse(readFileSync(join(ROOT, "shared/openapi.json"), "utf8")) as Document;
  const { schemas, responses } = document.components;
  const types = createTypes(schemas);
  const operations = OPERATIONS.filter(isForKeys).map((operation) => {
    const described = document.paths[operation.path]![operation.method]!;
    return operationOf(operation, described, { types, responses });
  });
  return { operations, types: types.used() };
}

/** Sessions are for browsers, and collectors have their own program; the stream of changes is followed by a helper. */
function isForKeys({ operationId, credential, streams, ofCollector }: AnyEndpoint): boolean {
  if (streams === true || ofCollector === true) return false;
  return credential === "any" || ALSO.includes(operationId);
}

const ALSO = ["get_health", "get_version"];

interface Sources {
  readonly types: ReturnType<typeof createTypes>;
  readonly responses: Document["components"]["responses"];
}

function operationOf(
  operation: AnyEndpoint,
  { operationId, summary, description = "", parameters, requestBody, responses }: DocumentedOperation,
  sources: Sources,
): ClientOperation {
  const { types } = sources;
  const of = (place: string): Member[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required = false, description: about = "" }) => ({
        name,
        type: types.of(schema, `${pascal(operationId)}${pascal(name)}`),
        isRequired: required,
        description: about,
      }));
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const contentOf = (status: string): Readonly<Record<string, Content>> => {
    const { $ref, content: direct = {} } = responses[status] ?? {};
    return $ref === undefined ? direct : (sources.responses[$ref.split("/").at(-1) ?? ""]?.content ?? {});
  };
  const contents = contentOf("200");
  const envelope = types.dataOf(contents[JSON_TYPE]?.schema, `${pascal(operationId)}Data`);
  return {
    ...{ operationId, summary, description, method: operation.method.toUpperCase(), path: operation.path },
    params: of("path"),
    query: of("query"),
    headers: parameters.filter(({ in: place, name }) => place === "header" && name in HEADERS).map(({ name }) => name),
    body:
      mediaType === undefined
        ? null
        : {
            mediaType,
            isRequired: requestBody?.required === true,
            type:
              operation.upload === undefined
                ? types.of(content?.schema ?? {}, `${pascal(operationId)}Body`)
                : { is: "bytes" },
          },
    takesKey: takesIdempotencyKey(operation),
    data: envelope ?? (Object.keys(contents).length === 0 ? null : { is: "bytes" }),
    job: types.dataOf(contentOf("202")[JSON_TYPE]?.schema, ""),
    isAlsoFile: envelope !== null && Object.keys(contents).length > 1,
  };
}

/** Types by their schemas; remembers which named ones are used. */
function createTypes(schemas: Document["components"]["schemas"]) {
  const used = new Map<string, Named>();
  const inline: Named[] = [];

  function named(name: string): Type {
    if (!used.has(name)) {
      const schema = schemas[name] ?? {};
      // Known before its members, which may refer to it.
      used.set(name, { name, description: "", members: null, type: { is: "any" }, isTagged: false });
      used.set(name, nameOf(name, schema));
    }
    return { is: "named", name };
  }

  function nameOf(name: string, schema: Schema): Named {
    const { description = "", properties, discriminator } = schema;
    const members = properties === undefined ? null : membersOf(schema, name);
    const type: Type = members === null ? of(schema, name) : { is: "any" };
    return { name, description, members, type, isTagged: discriminator !== undefined };
  }

  function membersOf({ properties = {}, required = [] }: Schema, owner: string): Member[] {
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      type: of(schema, owner + pascal(name)),
      isRequired: required.includes(name),
      description: schema.description ?? "",
    }));
  }

  /** @param name for an object that has none */
  function of(schema: Schema, name: string): Type {
    const { $ref, anyOf, oneOf, type, enum: values, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return aliased($ref.split("/").at(-1) ?? "");
    const choices = (anyOf ?? oneOf ?? []).filter((one) => one.type !== "null");
    if (choices.length > 0) {
      const either = choices.map((one) => of(one, name));
      const inner: Type = either.length === 1 ? either[0]! : { is: "either", of: either };
      return choices.length < (anyOf ?? oneOf ?? []).length ? nullable(inner) : inner;
    }
    const [first, ...others] = [type ?? []].flat().filter((one) => one !== "null");
    const isNullable = [type ?? []].flat().includes("null");
    const bare = ((): Type => {
      if (first === undefined || others.length > 0) return { is: "any" };
      if (values !== undefined) return { is: "values", values };
      if (first === "array") return { is: "list", of: of(items ?? {}, name) };
      if (properties !== undefined) {
        inline.push(nameOf(name, { ...schema, description: "" }));
        return { is: "named", name };
      }
      if (first === "object") {
        if (isNullable) return { is: "nothing" };
        const inner = typeof additionalProperties === "object" ? of(additionalProperties, name) : undefined;
        return { is: "map", of: inner ?? { is: "any" } };
      }
      if (schema.format === "date-time") return { is: "time" };
      return first === "string" ? { is: "text" } : { is: first as "integer" };
    })();
    return isNullable && bare.is !== "nothing" ? nullable(bare) : bare;
  }

  /** Names of plain texts and lists say nothing in a program. */
  function aliased(name: string): Type {
    const schema = schemas[name] ?? {};
    const isPlain = schema.enum === undefined && (schema.type === "string" || schema.type === "array");
    return isPlain ? of(schema, name) : named(name);
  }

  /** The type of `data` in an envelope; null if it is none. */
  function dataOf(schema: Schema | undefined, name: string): Type | null {
    const envelope = schema?.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1) ?? ""];
    const data = envelope?.properties?.["data"];
    return data === undefined ? null : of(data, name);
  }

  // For the helpers.
  for (const name of ["Pagination", "Plan", "ErrorCode", "Change", "EntityState"]) named(name);
  return { of, dataOf, used: (): Named[] => [...used.values(), ...inline].toSorted(byName) };
}

function byName(a: Named, b: Named): number {
  return a.name < b.name ? -1 : 1;
}

function nullable(type: Type): Type {
  return type.is === "nullable" ? type : { is: "nullable", of: type };
}

/** `list_hosts` and `If-Match` as `ListHosts` and `IfMatch`. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** Text in lines of at most so many characters. */
export function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
