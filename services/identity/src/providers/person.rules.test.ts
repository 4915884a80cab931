import { describe, expect, it } from "@jest/globals";
import { faultOfToken, lacks, personIn } from "./person.rules.js";

const claims = { sub: "ada", iat: 1_000 };

describe("providers.person: what a provider says of somebody", () => {
  it.each([
    [{}, null],
    [{ azp: "client" }, null],
    [{ azp: "another" }, "the authorized party"],
    [{ iat: 1_030 }, null],
    [{ iat: 1_031 }, "the time of issue"],
    [{ iat: undefined }, "the time of issue"],
    [{ sub: "" }, "the subject"],
    [{ sub: "x".repeat(256) }, "the subject"],
  ])("is believed with %j unless: %s", (more, fault) => {
    expect(faultOfToken({ ...claims, ...more }, "client", 1_000)).toBe(fault);
  });

  it("has an address that is verified when the provider says so, or is trusted and says nothing", () => {
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

  it("has groups as a list or as one text, and whatever else is none", () => {
    const groupsOf = (groups: unknown) => personIn({ ...claims, groups }, "groups", false).groups;
    expect(groupsOf(["lab", 7, null])).toEqual(["lab"]);
    expect(groupsOf("lab")).toEqual(["lab"]);
    expect(groupsOf({ lab: true })).toEqual([]);
    expect(groupsOf(Array.from({ length: 2_000 }, () => "lab"))).toHaveLength(1_000);
  });

  it("is asked for more where the token says neither address nor groups that are needed", () => {
    expect(lacks({ email: "ada@example.com" }, null)).toBe(false);
    expect(lacks({ email: "ada@example.com" }, "groups")).toBe(true);
    expect(lacks({}, null)).toBe(true);
  });
});
