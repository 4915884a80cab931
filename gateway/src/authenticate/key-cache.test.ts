import { describe, expect, it } from "@jest/globals";
import type { Verification } from "@nts/shared/contract/internal";
import { createManualClock } from "./testing/manual-clock.js";
import { createKeyCache, type KeyCache, verdictOf } from "./key-cache.js";

const valid = (expiresInMs: number | null = null, credential = "key-1", user = "user-1"): Verification => ({
  status: "valid",
  number: 1,
  expires_in_ms: expiresInMs,
  principal: {
    kind: "key",
    credential_id: credential,
    organization_id: "organization-1",
    user_id: user,
    email: "ada@example.com",
    permission: "Member",
    networks: "all",
  },
});
const refused: Verification = { status: "refused", number: 1, code: "api_key_disabled", subjects: ["key-1"] };

function aCache() {
  const clock = createManualClock();
  const cache = createKeyCache(clock);
  return { clock, cache, put: putInto(cache, clock.now) };
}

function putInto(cache: KeyCache, now: ReturnType<typeof createManualClock>["now"]) {
  return (hash: string, verification: Verification) => {
    cache.put(hash, verification, verdictOf(verification), now());
  };
}

describe("the key cache", () => {
  it("caches the principal of a credential", () => {
    const { cache, put } = aCache();
    put("a", valid());
    expect(cache.find("a")).toMatchObject({ kind: "valid", caller: { principal: { userId: "user-1" } } });
    expect(cache.find("b")).toBeNull();
  });

  it("keeps a credential no longer than identity allowed, counted from the request", () => {
    const { clock, cache, put } = aCache();
    put("a", valid(500));
    clock.pass(499);
    expect(cache.find("a")).not.toBeNull();
    clock.pass(1);
    expect(cache.find("a")).toBeNull();
    expect(cache.findCheckedWithin("a", 30_000)).toBeNull();
  });

  it("respects an expiry also after a suspension", () => {
    const { clock, cache, put } = aCache();
    put("a", valid(60_000));
    clock.passOnWall(60_000);
    expect(cache.find("a")).toBeNull();
  });

  it("verifies again after five minutes, so that identity sees that a session is in use", () => {
    const { clock, cache, put } = aCache();
    put("a", valid());
    clock.pass(300_000);
    expect(cache.find("a")).toBeNull();
  });

  it("keeps a rejection for two seconds at most", () => {
    const { clock, cache, put } = aCache();
    put("a", refused);
    clock.pass(1_999);
    expect(cache.find("a")).toEqual({ kind: "refused", code: "api_key_disabled" });
    clock.pass(1);
    expect(cache.find("a")).toBeNull();
  });

  it.each(["key-1", "user-1", "organization-1"])("evicts a credential when %s changes, and no other", (subject) => {
    const { cache, put } = aCache();
    put("a", valid());
    put("b", valid(null, "key-2", "user-2"));
    cache.drop([subject]);
    expect(cache.find("a")).toBeNull();
    expect(cache.find("b") === null).toBe(subject === "organization-1");
  });

  it("evicts a rejection when the rejected credential changes", () => {
    const { cache, put } = aCache();
    put("a", refused);
    cache.drop(["key-1"]);
    expect(cache.find("a")).toBeNull();
  });
});

describe("the key cache: eviction", () => {
  it("keeps only the last result for a credential", () => {
    const { cache, put } = aCache();
    put("a", valid());
    put("a", refused);
    expect(cache.find("a")).toMatchObject({ kind: "refused" });
    expect(cache.findCheckedWithin("a", 30_000)).toBeNull();
    put("a", valid());
    expect(cache.find("a")).toMatchObject({ kind: "valid" });
    expect(cache.size()).toBe(1);
  });

  it("can be cleared completely", () => {
    const { cache, put } = aCache();
    put("a", valid());
    put("b", refused);
    cache.clear();
    expect(cache.size()).toBe(0);
  });

  it("never holds more than 10,000 rejections", () => {
    const { cache, put } = aCache();
    for (let i = 0; i < 10_050; i++) put(String(i), { ...refused, subjects: [] });
    expect(cache.size()).toBe(10_000);
  });

  it("records that an evicted credential was valid, until it is rejected", () => {
    const { cache, put } = aCache();
    expect(cache.wasGood("a")).toBe(false);
    for (const forget of [() => cache.drop(["user-1"]), () => cache.clear()]) {
      put("a", valid());
      forget();
      expect([cache.find("a"), cache.wasGood("a")]).toEqual([null, true]);
    }
    put("a", refused);
    expect(cache.wasGood("a")).toBe(false);
    put("a", valid());
    cache.remove("a");
    expect(cache.wasGood("a")).toBe(false);
  });
});

describe("the memory of the key cache", () => {
  it.each([
    ["a thousand networks", { networks: Array.from({ length: 1_000 }, (_, n) => `network-${n}`) }, {}],
    [
      "fifty address blocks",
      {},
      { limits: { allowed_ips: Array.from({ length: 50 }, (_, n) => `10.0.${n}.0/24`), per_minute: null } },
    ],
  ])("is bounded: credentials with %s count as many", (_what, rights, limits) => {
    const { cache, put } = aCache();
    const { principal, ...others } = valid() as Extract<Verification, { status: "valid" }>;
    put("small", valid());
    for (let n = 0; n < 7_500; n++) put(`large-${n}`, { ...others, ...limits, principal: { ...principal, ...rights } });
    expect(cache.find("small")).toBeNull();
    expect(cache.wasGood("small")).toBe(true);
    expect(cache.find("large-7499")).not.toBeNull();
  });
});
