import { describe, expect, it } from "@jest/globals";
import { describeFailure } from "./failures.js";
import { format, sortedBy } from "./output.js";
import { ApiError } from "@nts/shared/client";

const HOSTS = [
  {
    id: "1",
    name: "nas",
    hostname: null,
    tags: ["a"],
    interfaces: [{ ip_address: "10.0.0.10" }],
    attributes: { u: 2 },
  },
  { id: "2", name: "tv", hostname: "tv.lan", tags: [], interfaces: [{ ip_address: "10.0.0.9" }], attributes: {} },
];

describe("output", () => {
  it("is a table, wide or without its head, or what a path selects", () => {
    expect(format(HOSTS, "table")).toBe(
      "NAME  HOSTNAME  ADDRESSES\nnas             10.0.0.10\ntv    tv.lan    10.0.0.9",
    );
    expect(format(HOSTS, "wide")).toMatch(/^NAME +HOSTNAME +ADDRESSES +TAGS +ID\n/);
    expect(format(HOSTS, "table", { hasHeaders: false })).toMatch(/^nas /);
    expect(format(HOSTS, "id")).toBe("1\n2");
    for (const path of ["$[*].name", "{[*].name}", "{.[*].name}", "[*].name"])
      expect(format(HOSTS, `jsonpath=${path}`)).toBe("nas\ntv");
    expect(format(HOSTS, "jsonpath={.items[*].name}")).toBe("nas\ntv");
    expect(format(HOSTS, "jsonpath={.name}", { isOne: true })).toBe("nas");
    expect(() => format(HOSTS, "jsonpath=$[")).toThrow("is not a JSONPath such as $[*].name");
  });

  it("shows how long ago things were, and what has no name by its id", () => {
    const at = new Date(Date.now() - 3 * 86_400_000).toISOString();
    expect(format([{ name: "a", id: "1", updated_at: at }], "table")).toBe("NAME  UPDATED\na     3d");
    expect(format([{ name: "a", id: "1", updated_at: at }], "wide")).toContain(at);
    expect(format([{ ends: "a – b", id: "1" }], "table")).toMatch(/ID\na – b +1$/);
  });

  it("is sorted by any member, numbers in texts as numbers, and nothing last", () => {
    const names = (key: string): unknown[] => sortedBy(HOSTS, key).map((row) => (row as { name: string }).name);
    expect(names("addresses")).toEqual(["tv", "nas"]);
    expect(names("-name")).toEqual(["tv", "nas"]);
    expect(names("-attributes.u")).toEqual(["nas", "tv"]);
    expect(() => sortedBy(HOSTS, "nam")).toThrow("--sort-by: nothing has nam; did you mean name?");
  });
});

describe("failures", () => {
  it("of an expired key say how to get a new one", () => {
    const error = {
      error: "The API key has expired.",
      code: "api_key_expired" as const,
      params: {},
      meta: { request_id: "1" },
    };
    const failure = describeFailure(new ApiError({ status: 401, method: "GET", path: "/" }, error));
    expect(failure).toMatchObject({ exitCode: 3, text: expect.stringContaining("`nts login`, which makes a new key") });
  });
});
