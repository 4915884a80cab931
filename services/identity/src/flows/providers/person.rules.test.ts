import { describe, expect, it } from "@jest/globals";
import { faultOfToken, lacks, personIn } from "./person.rules.js";

const claims = { sub: "ada", iat: 1_000 };

describe("providers.person: claims of a provider", () => {
  it.each([
    [{}, null],
    [{ azp: "client" }, null],
    [{ azp: "another" }, "the authorized party"],
    [{ iat: 1_030 }, null],
    [{ iat: 1_031 }, "the time of issue"],
    [{ iat: undefined }, "the time of issue"],
    [{ sub: "" }, "the subject"],
    [{ sub: "x".repeat(256) }, "the subject"],
  ])("with %j are accepted unless: %s", (more, fault) => {
    expect(faultOfToken({ ...claims, ...more }, "client", 1_000)).toBe(fault);
  });

  it("have a verified address when the provider says so, or when it is trusted and does not say", () => {
    const of = (more: object, trusts = false) =>
      personIn({ ...claims, email: " Ada@Example.com", ...more }, "groups", trusts);
    expect(of({ email_verified: true })).toMatchObject({ email: "ada@example.com", isVerified: true });
    expect(of({ email_verified: "true" }).isVerified).toBe(false);
    expect(of({}).isVerified).toBe(false);
    expect(of({}, true).isVerified).toBe(true);
    expect(of({ email_verified: false }, true).isVerified).toBe(false);
    expect(of({ email: "nobody", email_verified: true })).toMatchObject({ email: null, isVerified: false });
    expect(of({ email: 7, email_verified: true })).toMatchObject({ email: null, isVerified: false });
  });

  it("have groups as a list or a single text; anything else counts as none", () => {
    const groupsOf = (groups: unknown) => personIn({ ...claims, groups }, "groups", false).groups;
    expect(groupsOf(["lab", 7, null])).toEqual(["lab"]);
    expect(groupsOf("lab")).toEqual(["lab"]);
    expect(groupsOf({ lab: true })).toEqual([]);
    expect(groupsOf(Array.from({ length: 2_000 }, () => "lab"))).toHaveLength(1_000);
  });

  it("are completed from userinfo when the token lacks the address or required groups", () => {
    expect(lacks({ email: "ada@example.com" }, null)).toBe(false);
    expect(lacks({ email: "ada@example.com" }, "groups")).toBe(true);
    expect(lacks({}, null)).toBe(true);
  });
});
