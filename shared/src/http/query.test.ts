import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { listServices } from "../contract/services.js";
import { AppError } from "../errors.js";
import { createQueryReader } from "./query.js";

const schema = z.strictObject({
  name: z.string().min(2).optional(),
  limit: z.int().min(0).max(1000).default(50),
  hidden: z.boolean().optional(),
  ids: z.array(z.string().min(2)).default([]),
});
const read = createQueryReader(schema);

function faults(search: string): unknown {
  try {
    return { read: read(search) };
  } catch (error) {
    return error instanceof AppError ? [error.code, error.params["errors"]] : error;
  }
}
const paths = (search: string): string[] => (faults(search) as [string, { path: string }[]])[1].map(({ path }) => path);

describe("query: the query string", () => {
  it("converts each parameter to the type of its schema, and applies defaults", () => {
    expect(read("name=web&limit=0&hidden=true&ids=aa")).toEqual({ name: "web", limit: 0, hidden: true, ids: ["aa"] });
    expect(read("")).toEqual({ limit: 50, ids: [] });
  });

  it("reads a list with repeated parameters, commas, or both", () => {
    expect(read("ids=aa&ids=bb,cc&ids=,dd,")).toEqual({ limit: 50, ids: ["aa", "bb", "cc", "dd"] });
    expect(read("ids=aa%2Cbb").ids).toEqual(["aa", "bb"]);
  });

  it("reads a backslash before a comma as an escape, and any other literally", () => {
    expect(read(String.raw`ids=a\,b,cc`).ids).toEqual(["a,b", "cc"]);
    expect(read(String.raw`ids=\,\,&ids=a\b&ids=a\\,b&ids=c\\`).ids).toEqual([",,", "a\\b", "a\\,b", "c\\\\"]);
  });

  it("can express every value of a list", () => {
    const value = fc.string({ unit: fc.constantFrom("a", ",", "\\"), minLength: 2 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (ids) => {
        const search = ids.map((id) => `ids=${encodeURIComponent(id.replaceAll(",", "\\,"))}`).join("&");
        expect(read(search).ids).toEqual(ids);
      }),
    );
  });

  it("treats an empty parameter as absent, and null too for types that cannot contain it", () => {
    expect(read("name=&limit=null&ids=&ids=null")).toEqual({ limit: 50, ids: [] });
    expect(read("name=null").name).toBe("null");
    expect(createQueryReader(listServices.query!)("network_id=null&group_by=null&q=null")).toMatchObject({ q: "null" });
  });

  it.each(["hidden", "hidden=", "hidden=null", "hidden=1"])("rejects %s, a flag that does not say which", (search) => {
    expect(paths(search)).toEqual(["hidden"]);
  });

  it("rejects an empty parameter of a write, whose default could be the opposite of what was meant", () => {
    const readWrite = createQueryReader(schema, { isWrite: true });
    expect(readWrite("name=null&limit=0")).toEqual({ name: "null", limit: 0, ids: [] });
    for (const search of ["name=", "limit=", "limit=null", "ids", "hidden="])
      expect(() => readWrite(search)).toThrow(AppError);
  });

  it("decodes percent-encoding and plus signs as forms do", () => {
    expect(read("name=a%20b+c%2B").name).toBe("a b c+");
  });
});

describe("query: rejected values, and limits of lists", () => {
  it("rejects an unknown parameter", () => {
    expect(faults("nmae=web")).toEqual([
      "validation_failed",
      [{ path: "nmae", message: "is not a parameter of this operation" }],
    ]);
    expect(paths("Name=web&constructor=1&__proto__=1")).toEqual(["Name", "constructor", "__proto__"]);
  });

  it("rejects a single parameter that is repeated", () => {
    expect(faults("limit=1&limit=1")).toEqual([
      "validation_failed",
      [{ path: "limit", message: "must not be repeated" }],
    ]);
  });

  it.each(["abc", "1.5", "1e2", "0x10", "--1", "9".repeat(400), "NaN", "Infinity", "1 "])(
    "rejects %s as an integer",
    (text) => {
      expect(paths(`limit=${encodeURIComponent(text)}`)).toEqual(["limit"]);
    },
  );

  it.each(["-1", "1001", "2147483648"])("rejects %s, which is out of range", (text) => {
    expect(paths(`limit=${text}`)).toEqual(["limit"]);
  });

  it.each(["1", "yes", "True", "0"])("rejects %s as a boolean", (text) => {
    expect(paths(`hidden=${text}`)).toEqual(["hidden"]);
  });

  it("reports every error, not only the first", () => {
    expect(paths("nmae=web&limit=x&limit=2&hidden=1&ids=aa,b&name=z").sort()).toEqual([
      "hidden",
      "ids.1",
      "limit",
      "limit",
      "name",
      "nmae",
    ]);
  });

  it("reports a limited number of errors", () => {
    expect(paths("a&".repeat(20_000))).toHaveLength(1_000);
  });

  it("accepts every parameter of the list of services", () => {
    const id = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
    const search = `network_id=${id.toUpperCase()}&host_id=null&ids=${id},${id}&tag_ids=a&tag_ids=b&group_by=host&order_by=name&order_direction=desc&exclude_categories=DNS,VPN&limit=5&offset=7`;
    expect(createQueryReader(listServices.query!)(search)).toEqual({
      network_id: id,
      ids: [id, id],
      tag_ids: ["a", "b"],
      group_by: "host",
      order_by: "name",
      order_direction: "desc",
      exclude_categories: ["DNS", "VPN"],
      attribute: [],
      runs_on: [],
      limit: 5,
      offset: 7,
    });
  });
});
