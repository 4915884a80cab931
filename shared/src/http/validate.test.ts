import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { bulkDeleteHosts, createHost, createLink, OPERATIONS, Virtualization } from "../contract/index.js";
import type { AppError, Fault } from "../errors.js";
import { BODY_LIMIT_BYTES } from "./headers.js";
import { excessOf } from "./json-bounds.js";
import { createValidator } from "./validate.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

/** The faults of a value; none when it is accepted. */
function faultsOf(schema: z.ZodType, value: unknown): Fault[] {
  try {
    createValidator(schema)(value);
    return [];
  } catch (error) {
    return (error as AppError).params["errors"] as Fault[];
  }
}

describe("lists in bodies", () => {
  const host = { network_id: ID, name: "nas" };

  it("are measured before any of their elements is validated", () => {
    const wrong = { ...host, interfaces: Array(1_001).fill(0), tags: Array(51).fill(0) };
    expect(faultsOf(createHost.body!, wrong)).toEqual([
      { path: "tags", message: "must have at most 50 elements" },
      { path: "interfaces", message: "must have at most 1000 elements" },
    ]);
    expect(faultsOf(bulkDeleteHosts.body!, Array(1_001).fill(0))).toEqual([
      { path: "", message: "must have at most 1000 elements" },
    ]);
  });

  it("are nothing else, of which no elements are counted, and names of members say what they may be", () => {
    expect(faultsOf(createLink.body!, { network_id: ID, kind: "Other", ends: "nas" })).toEqual([
      { path: "ends", message: "must be a list" },
    ]);
    expect(faultsOf(createHost.body!, { ...host, attributes: { Site: "cellar" } })).toEqual([
      {
        path: "attributes.Site",
        message: expect.stringMatching(/^is not an allowed name: it must consist of lower-case/),
      },
    ]);
  });

  it("are measured inside of other lists, too", () => {
    const service = { name: "web", service_definition: "nginx", bindings: Array(1_001).fill(0) };
    expect(faultsOf(createHost.body!, { ...host, services: [{ ...service, bindings: [] }, service] })).toEqual([
      { path: "services.1.bindings", message: "must have at most 1000 elements" },
    ]);
  });

  it("have their errors reported with their places, a thousand at most", () => {
    const bindings = [{ type: "Port", port_id: ID }, { type: "Port" }];
    const services = Array.from({ length: 5 }, () => ({ name: "web", service_definition: "nginx", bindings }));
    const paths = faultsOf(createHost.body!, { ...host, services }).map(({ path }) => path);
    expect(paths).toEqual([0, 1, 2, 3, 4].map((n) => `services.${n}.bindings.1.port_id`));
    const many = Array.from({ length: 100 }, () => ({ ...services[0], bindings: Array(400).fill({}) }));
    expect(faultsOf(createHost.body!, { ...host, services: many }).length).toBe(1_000);
  });

  it("with the maximum number of elements are accepted", () => {
    const services = Array.from({ length: 1_000 }, () => ({ name: "web", service_definition: "nginx" }));
    const ports = Array.from({ length: 1_000 }, (_, n) => ({ number: n + 1, protocol: "Tcp" }));
    expect(faultsOf(createHost.body!, { ...host, services, ports })).toEqual([]);
  });
});

describe("details of a virtualization", () => {
  const faults = (details: unknown): string[] =>
    faultsOf(Virtualization, { type: "VM", details }).map(({ message }) => message);

  it("have at most 16 KiB, measured in bytes of UTF-8", () => {
    expect(faults({ a: "x".repeat(16_384 - 8) })).toEqual([]);
    expect(faults({ a: "x".repeat(16_384 - 7) })).toEqual(["must not exceed 16 KiB as JSON"]);
    expect(faults({ a: "€".repeat(5_458) })).toEqual([]);
    expect(faults({ a: "€".repeat(5_459) })).toEqual(["must not exceed 16 KiB as JSON"]);
  });

  it.each([[[]], ["text"], [1], [null]])("are an object, not %j", (details) => {
    expect(faults(details)).toEqual(["must be an object"]);
  });

  it("are stored unchanged", () => {
    const details: unknown = JSON.parse('{"b": [1, {"c": null}], "__proto__": 1, "a": {}}');
    expect(JSON.stringify(createValidator(Virtualization)({ type: "VM", details }).details)).toBe(
      JSON.stringify(details),
    );
  });
});

describe("a body within the limits of bytes, depth and values", () => {
  /** Texts that fill a member up to the limits. */
  const fill = (element: string): string => {
    const perElement = (element.match(/[,{[]/g) ?? []).length + 1;
    const count = Math.min(49_000 / perElement, (BODY_LIMIT_BYTES - 100) / (element.length + 1));
    return `[${Array(Math.floor(count)).fill(element).join(",")}]`;
  };
  const bindings = `{"name":"a","service_definition":"a","bindings":[${Array(400).fill("{}").join(",")}]}`;
  const labels = `{"name":"a","service_definition":"a","tags":[${Array(50).fill('""').join(",")}]}`;
  const details = `{"name":"a","service_definition":"a","virtualization":{"type":"a","details":{"a":[${Array(8_000).fill("0").join(",")}]}}}`;
  const hostile = [
    ...["0", "{}", '""', "[]", bindings, labels, details].map(fill),
    `{${Array.from({ length: 48_000 }, (_, n) => `"${n}":0`).join(",")}}`,
    `{"type":"VM","details":{"a":${fill("{}")}}}`,
    JSON.stringify("x".repeat(BODY_LIMIT_BYTES - 100)),
    JSON.stringify(" ".repeat(BODY_LIMIT_BYTES - 100)),
    JSON.stringify("1.".repeat(BODY_LIMIT_BYTES / 2 - 100)),
    JSON.stringify("a@a-".repeat(BODY_LIMIT_BYTES / 4 - 100)),
  ];
  const operations = OPERATIONS.filter(({ body, upload }) => body !== undefined && upload === undefined);

  const membersOf = (body: z.ZodType | undefined): string[] =>
    body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  const longestMember = operations
    .flatMap(({ body }) => membersOf(body))
    .reduce((a, b) => (b.length > a.length ? b : a));

  /** True when one of several tries takes little processor time: other threads of the process count, too. */
  const isCheap = (work: () => void): boolean =>
    [0, 1, 2, 3].some(() => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return user + system < 100_000;
    });

  it.each(hostile.map((text) => [text.slice(0, 60), text]))("is accepted, alone and as a member: %s", (_what, text) => {
    expect(excessOf(Buffer.from(text))).toBeNull();
    expect(excessOf(Buffer.from(`{"${longestMember}":${text}}`))).toBeNull();
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    "never keeps %s busy for long",
    (_id, { body }) => {
      const validate = createValidator(body!);
      const members = membersOf(body);
      for (const text of hostile) {
        const value: unknown = JSON.parse(text);
        for (const [place, given] of [["", value], ...members.map((name) => [name, { [name]: value }] as const)]) {
          const cheap = isCheap(() => {
            try {
              validate(given);
            } catch {
              // Most are rejected; only the cost matters here.
            }
          });
          expect([place, text.slice(0, 60), cheap]).toEqual([place, text.slice(0, 60), true]);
        }
      }
    },
  );
});
