/**
 * A client that reads the parameters of each operation from the OpenAPI document without resolving references, as real
 * ones do: it calls every operation with every parameter.
 */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { OPERATIONS, type AnyEndpoint } from "@nts/shared/contract";
import { type Account, anAccount, anotherSession } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { UNKNOWN } from "../support/world.js";

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly schema?: { readonly type?: string; readonly enum?: readonly string[]; readonly minimum?: number };
}

interface Described {
  readonly parameters?: readonly Parameter[];
}

let stack: SharedStack;
let account: Account;
let paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
  const response = await fetch(`${stack.url}/openapi.json`);
  ({ paths } = (await response.json()) as { paths: typeof paths });
});

const called = OPERATIONS.filter(({ credential }) => credential !== "process");

describe("a client that resolves no references", () => {
  it.each(called.map((operation) => [operation.operationId, operation] as const))(
    "reaches %s with all of its parameters",
    async (_id, operation) => {
      const { parameters = [] } = paths[operation.path]![operation.method]!;
      const { target, headers, names } = requestOf(operation, parameters);
      expect(names).toEqual(
        [...Object.keys(operation.params?.shape ?? {}), ...Object.keys(operation.query?.shape ?? {})].sort(),
      );
      expect(target).not.toMatch(/%7B|[{}]/);
      // Without a body, so that most writes are rejected; some have none, and end the session of the caller.
      const { cookie } = /^(log|finish_oidc)/.test(operation.operationId)
        ? await anotherSession(stack.url, account)
        : account;
      const ending = new AbortController();
      const response = await fetch(stack.url + target, {
        method: operation.method.toUpperCase(),
        headers: { ...headers, cookie },
        redirect: "manual",
        signal: ending.signal,
      });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const text = isStream ? "" : await response.text();
      ending.abort();
      expect([response.status, text]).not.toEqual([405, expect.anything()]);
      expect(text).not.toMatch(/"entity":"Path"|is not a parameter of this operation/);
    },
  );
});

describe("a flag that is there but says nothing", () => {
  // What only collectors may call is refused to others whatever it says.
  const callable = called.filter(({ ofCollector }) => ofCollector !== true);
  const flags = callable.flatMap((operation) =>
    Object.entries(operation.query?.shape ?? {})
      .filter(([, type]) => isFlag(type as z.ZodType))
      .map(([name]) => [operation.operationId, name, operation] as const),
  );

  it.each(flags)("is rejected by %s: %s", async (_id, flag, operation) => {
    const { target } = requestOf(operation, paths[operation.path]![operation.method]!.parameters ?? []);
    const others = new URLSearchParams(target.split("?")[1]);
    others.delete(flag);
    for (const said of [flag, `${flag}=`, `${flag}=null`]) {
      const path = `${target.split("?")[0]}?${others.toString()}&${said}`;
      const { status, body } = await account.session.send(operation.method, path);
      const faults = (body.params["errors"] ?? []) as { path: string }[];
      const found = faults.some(({ path: place }) => place === flag);
      expect([said, status, body.code, found]).toEqual([said, 400, "validation_failed", true]);
    }
  });
});

function isFlag(type: z.ZodType): boolean {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return isFlag(type.unwrap() as z.ZodType);
  return type instanceof z.ZodBoolean;
}

/** Fills in every parameter by its name. */
function requestOf(
  { path }: AnyEndpoint,
  parameters: readonly Parameter[],
): { target: string; headers: Record<string, string>; names: string[] } {
  let target = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const names: string[] = [];
  for (const { name = "", in: place, schema = {} } of parameters) {
    const value = valueOf(name, schema);
    if (place === "header") headers[name] = value;
    else names.push(name);
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
    if (place === "query") query.set(name, value);
  }
  return { target: query.size === 0 ? target : `${target}?${query.toString()}`, headers, names: names.sort() };
}

function valueOf(name: string, { type, enum: values, minimum = 0 }: NonNullable<Parameter["schema"]>): string {
  if (values !== undefined) return values[0]!;
  if (type === "boolean") return "true";
  if (type === "integer") return String(minimum);
  if (name === "Idempotency-Key") return randomUUID();
  return UNKNOWN;
}
