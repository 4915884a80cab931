/**
 * Hostile values in every body member, query parameter and path id: NUL bytes, lone surrogates, invalid numbers, names
 * of object members, database operators. No response may be an internal error or violate the contract.
 */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { bodyTypesOf, OPERATIONS, type AnyEndpoint } from "@nts/shared/contract";
import { STATUSES } from "@nts/shared/http/statuses";
import { createOpenApiDocument } from "@nts/shared/openapi/openapi";
import { codesOf } from "@nts/shared/openapi/failures";
import { aKey, anAccount, type Account } from "../support/api.js";
import { textOf } from "../support/event-stream.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, type NetworkWorld } from "../support/world.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

/** As JSON text, because not all of them survive as JavaScript values. */
const VALUES = [
  "null",
  "true",
  "-0",
  "1.0",
  "1e3",
  "1.5",
  "1e400",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"a\\udc00"',
  '"\\ufeff"',
  '"\u0661\u0662"',
  '"1e3"',
  '"__proto__"',
  '"toString"',
  `"{${ID}}"`,
  `"${"x".repeat(20_000)}"`,
  '"AAA"',
  '"+275760-09-13T00:00:00Z"',
  '"::ffff:10.0.0.1/129"',
  "[[]]",
  "[null]",
  "[{}]",
  '{"__proto__": {"type": "x"}}',
  '{"constructor": null, "toString": 1}',
  '{"$gt": ""}',
  '{"length": 1e9}',
];

const BODIES = [
  "",
  " ",
  "null",
  "0",
  '"x"',
  "[]",
  "[[]]",
  "{}",
  "{",
  '{"__proto__": null}',
  '{"name": "a", "name": null}',
  "\ufeff{}",
  "NaN",
  "'a'",
  `${"[".repeat(40)}${"]".repeat(40)}`,
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  `[${"1,".repeat(5_000)}1]`,
];

/** Percent-encoded. */
const ENCODED = [
  "",
  "%00",
  "%",
  "%zz",
  "%ED%A0%80",
  "1.0",
  "1e3",
  "%2B1",
  "%D9%A1",
  "99999999999999999999",
  "Infinity",
  "__proto__",
  "toString",
  "%7B%22%24gt%22:%22%22%7D",
  ",,,",
  `%7B${ID}%7D`,
  "x".repeat(5_000),
  "a,b,%00",
  "%2e%2e",
  "%2F",
];

/** Of this many requests one is sent, another one for each operation, so that each value is sent to some; the long tier sends all. */
const EVERY = Number(process.env["HOSTILE_EVERY"] ?? 4);

/** Operations that end the accounts needed by the rest of this file. */
const EXCLUDED_OPERATIONS = ["logout"];

let stack: SharedStack;
let account: Account;
let world: NetworkWorld;
let bearer: string;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
  world = await aNetworkWithAHost(account.session);
  bearer = `Bearer ${(await aKey(stack.url, account)).secret}`;
});

describe("every operation with hostile values answers as its contract says", () => {
  const operations = OPERATIONS.filter(({ operationId }) => !EXCLUDED_OPERATIONS.includes(operationId));
  it.each(operations.map((operation, index) => [operation.operationId, operation, index] as const))(
    "%s",
    async (_name, operation, index) => {
      const requests = requestsFor(operation).filter((_request, n) => (n + index) % EVERY === 0);
      const faults = await mapConcurrently(requests.length, 16, (n) => send(operation, requests[n]!));
      expect(faults.filter((fault) => fault !== null).slice(0, 5)).toEqual([]);
    },
    60_000,
  );
});

interface Request {
  readonly path: string;
  readonly body?: string;
}

function requestsFor(operation: AnyEndpoint): Request[] {
  const path = operation.path.replace("{id}", ID);
  const members = membersOf(operation);
  const validBody = operation.body === undefined ? {} : { body: bodyWith(members) };
  return [
    { path, ...validBody },
    ...(path === operation.path
      ? []
      : ENCODED.map((id) => ({ path: operation.path.replace("{id}", id || "0"), ...validBody }))),
    ...queriesOf(operation).map((query) => ({ path: `${path}?${query}`, ...validBody })),
    ...(operation.body === undefined ? [] : BODIES.map((body) => ({ path, body }))),
    ...bodiesOf(operation, members).map((body) => ({ path, body })),
  ];
}

/** Each value in each parameter. */
function queriesOf({ query }: AnyEndpoint): string[] {
  const names = Object.keys(query?.shape ?? {});
  // The length of a URL is limited, so long values are sent separately.
  const isRefused = (name: string, value: string): boolean =>
    value.length < 1_000 &&
    query?.safeParse(Object.fromEntries(new URLSearchParams(`${name}=${value}`))).success === false;
  return [
    ...ENCODED.flatMap((value) =>
      groupedByOutcome(names, (name) => isRefused(name, value)).map((some) =>
        some.map((name) => `${name}=${value}`).join("&"),
      ),
    ),
    ...names.flatMap((name) => [`${name}=1&${name}=1`, `${name}=&${name}[$gt]=1`]),
    ...["__proto__", "constructor", "%00"].map((name) => `${name}=1`),
  ];
}

/** Each value in each member of an otherwise valid body. */
function bodiesOf({ body }: AnyEndpoint, members: Record<string, string>): string[] {
  if (body === undefined) return [];
  return VALUES.flatMap((value) => {
    // Other values cannot become a prototype.
    const names = [...Object.keys(members), ...(/^[[{n]/.test(value) ? ["__proto__"] : [])];
    const isRefused = (name: string): boolean => !body.safeParse(JSON.parse(bodyWith(members, [name], value))).success;
    return groupedByOutcome(names, isRefused).map((some) => bodyWith(members, some, value));
  });
}

/** Names whose value the schema rejects share a request, whose response lists each; the others get one each. */
function groupedByOutcome(names: readonly string[], isRefused: (name: string) => boolean): string[][] {
  const refused = names.filter(isRefused);
  const alone = names.filter((name) => !refused.includes(name)).map((name) => [name]);
  return refused.length === 0 ? alone : [refused, ...alone];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly anyOf?: Schema[];
  readonly properties?: Record<string, Schema>;
}

interface Document {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

const DOCUMENT = createOpenApiDocument("0") as Document;

/** Members of a valid body, each as JSON text; none for a body that is a list. */
function membersOf({ path, method }: AnyEndpoint): Record<string, string> {
  const schema = DOCUMENT.paths[path]?.[method]?.requestBody?.content["application/json"]?.schema ?? {};
  const { properties = {} } = resolved(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, JSON.stringify(sampleOf(name, member))]),
  );
}

function resolved(schema: Schema): Schema {
  if (schema.$ref !== undefined)
    return resolved(DOCUMENT.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  return schema.anyOf?.[0] === undefined ? schema : resolved(schema.anyOf[0]);
}

const TEXTS: Readonly<Record<string, string>> = { cidr: "10.9.0.0/24", ip_address: "10.0.0.9", email: "x@example.com" };

function sampleOf(name: string, given: Schema): unknown {
  const { type, format, minimum, properties = {}, ...schema } = resolved(given);
  if (schema.enum) return schema.enum[0];
  if (format === "uuid") return existingId(name);
  if (format === "mac") return "AA:BB:CC:DD:EE:FF";
  if (format === "date-time") return "2100-01-01T00:00:00Z";
  if (type === "object")
    return Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, sampleOf(key, member)]));
  if (type === "array") return [];
  if (type === "boolean") return true;
  return type === "string" ? (TEXTS[name] ?? "some text") : (minimum ?? 1);
}

function existingId(name: string): string {
  if (name === "organization_id") return account.organizationId;
  if (name === "user_id") return account.userId;
  return (world as unknown as Record<string, { id: string } | undefined>)[name.replace(/_id$/, "")]?.id ?? ID;
}

/** The body with members of this value added or replaced. */
function bodyWith(members: Record<string, string>, names: readonly string[] = [], value = ""): string {
  const all = new Map(Object.entries(members));
  for (const name of names) all.set(name, value);
  return `{${[...all].map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(", ")}}`;
}

/** Sends a request with the operation's kind of credential. @returns what is wrong with the response, or null */
async function send(operation: AnyEndpoint, { path, body }: Request): Promise<string | null> {
  const headers = new Headers(operation.credential === "any" ? { authorization: bearer } : { cookie: account.cookie });
  if (body !== undefined) headers.set("content-type", bodyTypesOf(operation)[0]);
  const method = operation.method.toUpperCase();
  const response = await fetch(stack.url + path, { method, headers, body: body ?? null, redirect: "manual" });
  const text = await textOf(response);
  const fault = faultOf(operation, response.status, text);
  return fault === null
    ? null
    : `${fault} · ${method} ${path.slice(0, 200)} ${body?.slice(0, 300) ?? ""} → ${text.slice(0, 300)}`;
}

function faultOf(operation: AnyEndpoint, status: number, text: string): string | null {
  if ((operation.streams === true || operation.isFile === true) && status === 200) return null;
  if (operation.redirects === true && status === 303) return null;
  const envelope = JSON.parse(text) as { success: boolean; code: string; params: { entity?: string } };
  if (status === 200) return envelope.success ? null : "no success";
  const { code } = envelope;
  if (status >= 500) return `a fault of ours: ${code}`;
  // the id changed the path
  if ((code === "not_found" && envelope.params.entity === "Path") || code === "method_not_allowed") return null;
  if (!codesOf(operation).some((documented) => documented === code)) return `not in the contract: ${code}`;
  return STATUSES[code as keyof typeof STATUSES] === status ? null : `${code} with ${status}`;
}
