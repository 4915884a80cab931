import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createSigner } from "fast-jwt";
import { INTERNAL_HEADER_LIMIT_BYTES } from "./headers.js";
import {
  createTenancySigner,
  createTenancyVerifier,
  type Audience,
  type Principal,
  type UserPrincipal,
} from "./tenancy.js";

const SECRET = "a-secret-of-more-than-32-characters-1";
const OTHER = "a-secret-of-more-than-32-characters-2";
const networks = [
  "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

const user = (scope: "all" | string[]): UserPrincipal => ({
  kind: "key",
  credentialId: "c1",
  userId: "u1",
  permission: "Member",
  scope: { organizationId: "o1", networks: scope },
});

const sign = createTenancySigner([SECRET], "topology");
const verifier = (secrets = [SECRET], audience: Audience = "topology"): ReturnType<typeof createTenancyVerifier> =>
  createTenancyVerifier({ users: secrets, processes: secrets }, audience);

afterEach(() => {
  jest.useRealTimers();
});

const principals: [string, Principal][] = [
  ["a user in all networks", user("all")],
  ["a user in some networks, in their order", user(networks)],
  ["a user in no network", user([])],
  ["a session", { ...user("all"), kind: "session", permission: "Owner" }],
  ["nobody", { kind: "anonymous" }],
  ["an internal process", { kind: "process" }],
];

describe("tenancy: on whose behalf a request is made", () => {
  it.each(principals)("preserves %s in a round trip", (_who, principal) => {
    expect(verifier()(sign(principal))).toEqual(principal);
  });

  it("fits a thousand networks into a third of the header limit of internal servers", () => {
    const many = Array.from({ length: 1000 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`);
    const header = sign(user(many));
    expect(header.length).toBeLessThan(INTERNAL_HEADER_LIMIT_BYTES / 3);
    expect(verifier()(header)).toEqual(user(many));
  });

  it("is rejected when any one of its characters was changed", () => {
    const verify = verifier();
    const header = sign(user(networks));
    for (let at = 0; at < header.length; at++) {
      // The last character of a part has spare bits; a change that decodes to the same bytes is not a change.
      if (header[at + 1] === "." || at === header.length - 1 || header[at] === ".") continue;
      const changed = header.slice(0, at) + (header[at] === "A" ? "B" : "A") + header.slice(at + 1);
      expect([at, verify(changed)]).toEqual([at, null]);
    }
  });

  it("is rejected when another secret signed it, or none", () => {
    expect(verifier()(createTenancySigner([OTHER], "topology")(user("all")))).toBeNull();
    const claims = { kind: "process", aud: "topology", exp: Math.floor(Date.now() / 1000) + 60 };
    expect(verifier()(createSigner({ algorithm: "none" })(claims))).toBeNull();
  });

  it("is rejected when its signer may not act for the principal", () => {
    const verify = createTenancyVerifier({ users: [SECRET], processes: [OTHER] }, "topology");
    const signOther = createTenancySigner([OTHER], "topology");
    expect([verify(sign(user("all"))), verify(signOther({ kind: "process" }))]).toEqual([
      user("all"),
      { kind: "process" },
    ]);
    for (const principal of [user("all"), { ...user("all"), kind: "session" }, { kind: "anonymous" }] as const)
      expect(verify(signOther(principal))).toBeNull();
    expect(verify(sign({ kind: "process" }))).toBeNull();
  });

  it("is rejected when it is addressed to another service", () => {
    expect(verifier([SECRET], "identity")(sign(user("all")))).toBeNull();
  });
});

describe("tenancy: validation and lifetime", () => {
  it.each([
    ["that is missing", undefined],
    ["that is empty", ""],
    ["that is not a token", "x.y.z"],
  ])("is rejected when it is one %s", (_which, header) => {
    expect(verifier()(header)).toBeNull();
  });

  it("is rejected without an expiry", () => {
    const endless = createSigner({ key: SECRET, algorithm: "HS256", aud: "topology" });
    expect(verifier()(endless({ kind: "process" }))).toBeNull();
  });

  it.each(["cid", "org", "usr", "lvl", "net"])("is rejected when a user's %s is missing", (missing) => {
    const signed = createSigner({ key: SECRET, algorithm: "HS256", aud: "topology", expiresIn: 60_000 });
    const claims = { kind: "key", cid: "c", org: "o", usr: "u", lvl: "Owner", net: "all" };
    expect(verifier()(signed(claims))).not.toBeNull();
    expect(verifier()(signed({ ...claims, [missing]: undefined }))).toBeNull();
  });

  it("is valid for 60 seconds, and 30 more for clock skew", () => {
    jest.useFakeTimers();
    const header = sign(user("all"));
    jest.advanceTimersByTime(88_500);
    expect(verifier()(header)).toEqual(user("all"));
    jest.advanceTimersByTime(2_500);
    expect(verifier()(header)).toBeNull();
  });

  it("is accepted under either of two secrets, while only the first one signs", () => {
    const before = verifier([SECRET]);
    const during = verifier([OTHER, SECRET]);
    const after = verifier([OTHER]);
    const old = sign(user("all"));
    const renewed = createTenancySigner([OTHER, SECRET], "topology")(user("all"));
    expect([old, renewed].map((header) => during(header) !== null)).toEqual([true, true]);
    expect([old, renewed].map((header) => before(header) !== null)).toEqual([true, false]);
    expect([old, renewed].map((header) => after(header) !== null)).toEqual([false, true]);
  });

  it("cannot be signed without a secret", () => {
    expect(() => createTenancySigner([], "topology")).toThrow("at least one tenancy secret");
  });
});
