/** The OpenAPI document for its users: failures and breaking changes. */
import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";
import { OPERATIONS } from "@nts/shared/contract";
import { STATUSES } from "@nts/shared/http/statuses";
import { codesOf } from "@nts/shared/openapi-failures";
import { breakingChanges, type OpenApiDocument } from "../support/breaking-changes.js";

const read = (name: string): string => readFileSync(join(ROOT, "shared", name), "utf8");
const documentOf = (text: string): OpenApiDocument => JSON.parse(text) as OpenApiDocument;
const text = read("openapi.json");

describe("the OpenAPI document", () => {
  it("names every code of an operation, in the description of its status or of all others", () => {
    const document = documentOf(text);
    const missing = OPERATIONS.flatMap((operation) => {
      const { responses } = document.paths[operation.path]![operation.method]!;
      return codesOf(operation).filter((code) => {
        const described = [responses[String(STATUSES[code])], responses["default"]].map((own) => {
          const shared = document.components["responses"]![own?.$ref?.split("/").at(-1) ?? ""];
          const { description = "" } = (shared ?? own ?? {}) as { description?: string };
          return description;
        });
        return !described.some((description) => description.includes(`\`${code}\``));
      });
    });
    expect(missing).toEqual([]);
  });

  it("declares the headers of the rate limit for all operations but the health check, which is exempt", () => {
    const document = documentOf(text);
    const without = OPERATIONS.filter(({ path, method }) => {
      const responses = document.paths[path]![method]!.responses;
      const own = responses["200"] ?? responses["303"];
      const name = own?.$ref?.split("/").at(-1) ?? "";
      const response = (document.components["responses"]![name] ?? own) as { headers: object };
      return !("X-RateLimit-Limit" in response.headers) || !("X-Request-Id" in response.headers);
    });
    expect(without.map(({ operationId }) => operationId)).toEqual(["get_health"]);
  });

  it("repeats no schema, neither as two components nor as a component and inline", () => {
    const places = new Map<string, string[]>();
    const look = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      const { type, properties } = value as { type?: unknown; properties?: object };
      if (type === "object" && Object.keys(properties ?? {}).length > 1) {
        const shape = JSON.stringify(value, (name, member: unknown) => (["description", "examples"].includes(name) ? undefined : member)); // prettier-ignore
        places.set(shape, [...(places.get(shape) ?? []), place]);
      }
      for (const [name, member] of Object.entries(value)) look(member, `${place}/${name}`);
    };
    look(documentOf(text), "");
    expect([...places.values()].filter((same) => same.length > 1)).toEqual([]);
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
    ["a new required member of a body", '"required": ["email", "password"]', '"required": ["email", "password", "otp"]', "request.otp is required now"], // prettier-ignore
    ["a shorter maximum length", '"maxLength":500', '"maxLength":400', "maxLength is 400, was 500"],
    ["a pattern that matches less", "^[\\\\x21-\\\\x7e]{1,255}$", "^[\\\\x21-\\\\x5a]{1,255}$", "another pattern"],
    ["a value that is no longer accepted", '["asc","desc"]', '["asc"]', "may not be desc now"],
    ["new values in a response", '["Owner","Admin","Member","Viewer"]', '["Owner","Admin","Member","Viewer","Guest"]', "may be Guest now"], // prettier-ignore
    ["a credential that is no longer sufficient", '"security": [{"apiKey":[]},{"session":[]}]', '"security": [{"session":[]}]', "the credential apiKey is no longer enough"], // prettier-ignore
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
