import { describe, expect, it } from "@jest/globals";
import { authorText, filterOf, remarkOf } from "./entries.js";

const actor = { user_id: "u", key_id: null, email: "ada@example.com" };
const names = new Map([["k", "backup"]]);

describe("the audit page", () => {
  it("shows who did something, with which key, and from where", () => {
    const textOf = (entry: Parameters<typeof authorText>[0]): string =>
      Object.values(authorText(entry, names)).join("");
    const created = { action: "created", address: null } as const;
    expect(textOf({ ...created, actor })).toBe("ada@example.com");
    expect(textOf({ ...created, actor: { ...actor, key_id: "k" }, address: "203.0.113.7" })).toBe(
      "ada@example.com with the API key backup from 203.0.113.7",
    );
    expect(textOf({ ...created, actor: { ...actor, key_id: "other" } })).toBe("ada@example.com with an API key");
    expect(textOf({ ...created, actor: null })).toBe("An operator");
    expect(textOf({ action: "paused", actor: null, address: null })).toBe("The system");
    expect(textOf({ action: "login_failed", actor: null, address: "203.0.113.7" })).toBe(
      "Unknown user from 203.0.113.7",
    );
  });

  it("groups consecutive failed logins with a count", () => {
    expect([null, 1, 4].map((attempts) => remarkOf({ attempts }))).toEqual(["", "", "4 in a row"]);
  });

  it("requests what its address names, without what the API would reject", () => {
    const valuesOf = (name: string): string[] => ({ kind: ["Session"], action: ["exploded"], who: ["x"] })[name] ?? [];
    expect(filterOf({ valuesOf })).toEqual({ entity: "Session" });
  });
});
