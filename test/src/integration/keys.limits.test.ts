import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { aKey, anAccount, callerOf, type Account, type CreatedKey } from "../support/api.js";
import { until } from "../support/until.js";
import { startStack, type Stack } from "../support/stack.js";

const LIST = "/api/v1/networks?limit=1";
/** The burst is half of the limit per minute, as for users (150 of 300). */
const PER_MINUTE = 12;
const BURST = 6;

let stack: Stack;
let owner: Account;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, env: { TRUST_PROXY_HOPS: "1", REDIS_PATIENCE_MS: "500" } });
  owner = await anAccount(stack.url);
});

afterAll(() => stack.stop());

async function useFrom({ secret }: CreatedKey, address: string, gateway = 0) {
  const headers = { authorization: `Bearer ${secret}`, "x-forwarded-for": address };
  const {
    status,
    body,
    headers: response,
  } = await callerOf(stack.gateways[gateway]!.url, "key", headers).send("get", LIST);
  return { status, code: body.code, headers: response };
}

const change = ({ id }: CreatedKey, body: object) => owner.session.data("patch", `/api/v1/auth/keys/${id}`, body);

describe("a key with allowed addresses", () => {
  it("works from there only, on every gateway, by the address from the trusted proxy", async () => {
    const key = await aKey(stack.url, owner, { allowed_ips: ["203.0.113.0/24", "2001:db8::/32"] });
    for (const gateway of [0, 1]) {
      for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::9", "192.0.2.1, 203.0.113.9"])
        expect([address, (await useFrom(key, address, gateway)).status]).toEqual([address, 200]);
      for (const address of ["192.0.2.1", "2001:db9::9", "203.0.113.9, 192.0.2.2"])
        expect([address, await useFrom(key, address, gateway)]).toMatchObject([
          address,
          { status: 403, code: "address_not_allowed" },
        ]);
    }
  });

  it("charges a rejected address, and not its user", async () => {
    const key = await aKey(stack.url, owner, { allowed_ips: ["203.0.113.0/24"] });
    const { headers } = await useFrom(key, "198.51.100.1");
    expect(headers.get("x-ratelimit-limit")).toBe("60");
    const statuses = await Promise.all(Array.from({ length: 40 }, () => useFrom(key, "198.51.100.1")));
    expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThan(15);
    expect(await useFrom(key, "203.0.113.9")).toMatchObject({ status: 200 });
  });

  it("reports how often it was rejected, and used, on a day", async () => {
    const account = await anAccount(stack.url);
    const key = await aKey(stack.url, account, { allowed_ips: ["203.0.113.0/24"] });
    for (const address of ["203.0.113.9", "192.0.2.1", "192.0.2.1"]) await useFrom(key, address);
    const today = async () => {
      const { days } = await account.session.data<{ days: object[] }>("get", `/api/v1/auth/keys/${key.id}/usage`);
      return days.at(-1);
    };
    const usage = { requests: 1, refusals: 2, addresses: ["203.0.113.9"] };
    await until(async () => JSON.stringify(await today()).includes(JSON.stringify(usage).slice(1)), 500);
  });

  it("follows a changed list at once, on every gateway that has it cached", async () => {
    const key = await aKey(stack.url, owner);
    const statuses = async () => [
      (await useFrom(key, "192.0.2.7", 0)).status,
      (await useFrom(key, "192.0.2.7", 1)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await change(key, { allowed_ips: ["203.0.113.7"] });
    expect(await statuses()).toEqual([403, 403]);
    await change(key, { allowed_ips: [] });
    expect(await statuses()).toEqual([200, 200]);
  });
});

describe("a key with a rate limit", () => {
  it("gets no more over all gateways, reports its own limit, and leaves the rest to its user", async () => {
    const key = await aKey(stack.url, owner, { rate_limit_per_minute: PER_MINUTE });
    const other = await aKey(stack.url, owner);
    const startedAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => useFrom(key, "192.0.2.8", n % 2)));
    const passed = responses.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(BURST);
    expect(passed.length).toBeLessThanOrEqual(
      BURST + Math.ceil(((performance.now() - startedAt) / 60_000) * PER_MINUTE),
    );
    expect(passed[0]?.headers.get("ratelimit")).toMatch(/^"user";r=\d+;t=\d+, "key";r=\d+;t=\d+$/);
    const refused = responses.filter(({ status }) => status !== 200);
    for (const { code, headers } of refused)
      expect([code, headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual([
        "rate_limited",
        "12",
        "0",
      ]);
    expect(await useFrom(other, "192.0.2.8")).toMatchObject({ status: 200 });
  });

  it("never gets more than its user, whatever its own limit", async () => {
    const key = await aKey(stack.url, owner, { rate_limit_per_minute: 100_000 });
    expect((await useFrom(key, "192.0.2.9")).headers.get("x-ratelimit-limit")).toBe("300");
  });
});
