/** The OpenAPI document for its users: failures and breaking changes. */
import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";
import { hasETag, takesIdempotencyKey } from "@nts/shared/contract/writes";
import type { ErrorCode } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import { codesOf } from "@nts/shared/openapi/failures";
import { type Schema, schemasIn } from "@nts/shared/openapi/schemas";
import { breakingChanges, type OpenApiDocument } from "../support/breaking-changes.js";

const read = (name: string): string => readFileSync(join(ROOT, "shared", name), "utf8");
const documentOf = (text: string): OpenApiDocument => JSON.parse(text) as OpenApiDocument;
const text = read("openapi.json");

describe("the OpenAPI document", () => {
  it("declares exactly the statuses of each operation, with their codes and headers", () => {
    const document = documentOf(text);
    const declared = OPERATIONS.map((operation) => {
      const { responses } = document.paths[operation.path]![operation.method]!;
      const described = Object.entries(responses).map(([status, response]) => {
        const { headers = {}, description = "" } = resolved<Response>(document, response);
        const codes = [...description.matchAll(/^- `(\w+)`/gm)].map(([, code]) => code);
        return [status, { codes, headers: Object.keys(headers).sort() }];
      });
      return [operation.operationId, Object.fromEntries(described) as unknown] as const;
    });
    expect(Object.fromEntries(declared)).toEqual(
      Object.fromEntries(OPERATIONS.map((operation) => [operation.operationId, responsesOf(operation)])),
    );
  });

  it("declares the request headers that an operation heeds", () => {
    const document = documentOf(text);
    const heeds = (header: string): string[] =>
      OPERATIONS.filter(({ path, method }) =>
        (document.paths[path]![method]!.parameters ?? []).some(
          (parameter) => resolved<{ name: string }>(document, parameter).name === header,
        ),
      ).map(({ operationId }) => operationId);
    const having = (has: (operation: AnyEndpoint) => boolean): string[] =>
      OPERATIONS.filter((operation) => has(operation)).map(({ operationId }) => operationId);
    expect(heeds("If-Match")).toEqual(
      having((operation) =>
        operation.method === "get"
          ? hasETag(operation)
          : operation.plans === true || operation.errors.includes("precondition_failed"),
      ),
    );
    expect(heeds("If-None-Match")).toEqual(
      having((operation) =>
        operation.method === "get"
          ? hasETag(operation) && operation.isVolatile !== true
          : operation.errors.includes("precondition_failed"),
      ),
    );
    expect(heeds("Idempotency-Key")).toEqual(having(takesIdempotencyKey));
    expect(heeds("Last-Event-ID")).toEqual(["stream_changes"]);
  });

  it("forbids no member beside a reference, which would forbid all of its own", () => {
    const closed =
      /\{[^{}]*"additionalProperties":false[^{}]*"\$ref":|"\$ref":"[^"]*"[^{}]*"additionalProperties":false/;
    expect(closed.exec(text)?.[0]).toBeUndefined();
  });

  it("has no two components with the same name, which generators turn into one type", () => {
    const names = Object.values(documentOf(text).components).flatMap((section) =>
      Object.keys(section).map((name) => name.toLowerCase()),
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("says nothing beside a reference but its description, and no constant but of texts", () => {
    const faults: string[] = [];
    const look = (schema: Schema): void => {
      const beside = Object.keys(schema).filter((name) => name !== "$ref" && name !== "description");
      if (schema.$ref !== undefined && beside.length > 0) faults.push(JSON.stringify(schema));
      if (schema.const !== undefined || schema.type === "null" || Array.isArray(schema.default))
        faults.push(JSON.stringify(schema));
    };
    const document = documentOf(text);
    const alternatives = new Set(schemasIn(document).flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]));
    for (const schema of schemasIn(document)) if (!alternatives.has(schema)) look(schema);
    expect(faults).toEqual([]);
  });

  it("repeats no schema, neither as two components nor as a component and inline", () => {
    const places = new Map<string, string[]>();
    const look = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      const { type, properties } = value as { type?: unknown; properties?: object };
      if (type === "object" && Object.keys(properties ?? {}).length > 1) {
        const shape = JSON.stringify(value, (name, member: unknown) =>
          ["description", "examples"].includes(name) ? undefined : member,
        );
        places.set(shape, [...(places.get(shape) ?? []), place]);
      }
      for (const [name, member] of Object.entries(value)) look(member, `${place}/${name}`);
    };
    look(documentOf(text), "");
    // What is created and what is updated may have the same members, which mean different things if they are absent.
    const kindsOf = (same: readonly string[]) => new Set(same.map((place) => place.replace(/(?:Create|Update)$/, "")));
    expect([...places.values()].filter((same) => same.length > 1 && kindsOf(same).size > 1)).toEqual([]);
  });
});

describe("a change of the contract", () => {
  it("breaks no client of the last release", () => {
    expect(breakingChanges(documentOf(read("openapi.released.json")), documentOf(text))).toEqual([]);
  });

  it.each([
    ["a removed operation", '"/api/v1/tags/{id}"', '"/api/v1/labels/{id}"', "is gone"],
    ["a removed path", '"/api/v1/topology"', '"/api/v1/graph"', "GET /api/v1/topology is gone"],
    ["a removed member of a response", '"total_count":', '"total":', "total_count is gone"],
    [
      "a new required member of a body",
      '"required": ["email", "password"]',
      '"required": ["email", "password", "otp"]',
      "request.otp is required now",
    ],
    ["a shorter maximum length", '"maxLength":500', '"maxLength":400', "maxLength is 400, was 500"],
    ["a pattern that matches less", "^[\\\\x21-\\\\x7e]{1,255}$", "^[\\\\x21-\\\\x5a]{1,255}$", "another pattern"],
    ["a value that is no longer accepted", '["asc","desc"]', '["asc"]', "may not be desc now"],
    [
      "new values in a response",
      '["Owner","Admin","Member","Viewer"]',
      '["Owner","Admin","Member","Viewer","Guest"]',
      "may be Guest now",
    ],
    [
      "a credential that is no longer sufficient",
      '"security": [{"apiKey":[]},{"sessionCookie":[]}]',
      '"security": [{"sessionCookie":[]}]',
      "the credential apiKey is no longer enough",
    ],
  ])("is detected when it is %s", (_, was, is, sentence) => {
    const compact = (value: string): string => value.replaceAll(/: (?=[[{"\d])/g, ":").replaceAll(", ", ",");
    const changed = JSON.stringify(JSON.parse(text)).replaceAll(compact(was), compact(is));
    expect(changed).not.toBe(JSON.stringify(JSON.parse(text)));
    expect(breakingChanges(documentOf(text), documentOf(changed)).join("\n")).toContain(sentence);
  });

  it("is not breaking when it only accepts more and returns more", () => {
    const more = JSON.stringify(JSON.parse(text))
      .replaceAll('"maxLength":500', '"maxLength":600')
      .replaceAll("^[\\\\x21-\\\\x7e]{1,255}$", "^[\\\\x20-\\\\x7e]{1,300}$")
      .replaceAll('"pattern":"^[\\\\w-]+$"', '"minLength":1')
      .replaceAll('"total_count":', '"pages":{"type":"integer"},"total_count":');
    expect(breakingChanges(documentOf(text), documentOf(more))).toEqual([]);
  });
});

interface Response {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

function resolved<T>(document: OpenApiDocument, value: { readonly $ref?: string }): T {
  const [, , section = "", name = ""] = value.$ref?.split("/") ?? [];
  return (value.$ref === undefined ? value : document.components[section]![name]) as T;
}

/** What is to be declared for each status of an operation. */
function responsesOf(operation: AnyEndpoint): Record<string, { codes: string[]; headers: string[] }> {
  const { operationId, method, list = false, redirects = false, streams = false, files = [] } = operation;
  const levels = ["Limit", "Remaining", "Reset"].map((name) => `X-RateLimit-${name}`);
  const limits = operationId === "get_health" ? [] : [...levels, "RateLimit", "RateLimit-Policy"];
  const having = (codes: string[], ...headers: string[]) => ({
    codes,
    headers: [...headers, ...limits, "X-Request-Id"].sort(),
  });
  const tag = hasETag(operation) ? ["ETag"] : [];
  const replayed = takesIdempotencyKey(operation) ? ["Idempotency-Replayed"] : [];
  const link = list ? ["Link"] : [];
  const file = files.length > 0 && !streams ? ["Content-Disposition"] : [];
  const failures = new Map<number, ErrorCode[]>();
  for (const code of codesOf(operation)) failures.set(STATUSES[code], [...(failures.get(STATUSES[code]) ?? []), code]);
  return {
    ...(redirects ? { 303: having([], "Location") } : { 200: having([], ...tag, ...replayed, ...file, ...link) }),
    ...(operation.accepted !== undefined && { 202: having([], "Location", "Preference-Applied") }),
    ...(method === "get" && hasETag(operation) && operation.isVolatile !== true && { 304: having([], "ETag") }),
    ...Object.fromEntries(
      [...failures].map(([status, codes]) => {
        const waits = status === 429 || codes.some((code) => WAITING.has(code)) ? ["Retry-After"] : [];
        const challenge = status === 401 ? ["WWW-Authenticate"] : [];
        const patches = status === 415 && method === "patch" ? ["Accept-Patch"] : [];
        return [status, having(codes, ...waits, ...challenge, ...patches)];
      }),
    ),
    default: having([]),
  };
}

/** The codes besides those of 429 that say when to try again. */
const WAITING: ReadonlySet<ErrorCode> = new Set([
  "unavailable",
  "storage_overloaded",
  "provider_unavailable",
  "idempotency_in_progress",
]);
