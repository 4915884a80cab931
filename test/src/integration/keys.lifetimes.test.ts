import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { type Account, aKey, anAccount } from "../support/api.js";
import { startHammer } from "../support/hammer.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";

// How keys expire while they are in use on two gateways: at their time, and by a rotation whose response was lost.

const PATH = "/api/v1/networks?limit=1";
/** How long a key may still be accepted after it has expired. */
const GRACE_MS = 1_000;
const UNLIMITED = { RATE_LIMIT_BURST: "1000000", ANONYMOUS_RATE_LIMIT_BURST: "1000000" };

let stack: Stack;
let account: Account;
let urls: string[];

beforeAll(async () => {
  stack = await startStack({ gateways: 2, identities: 2, env: UNLIMITED });
  account = await anAccount(stack.url);
  urls = stack.gateways.map(({ url }) => url);
});

afterAll(async () => {
  await stack.stop();
});

async function statusesOf(secret: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${secret}` };
  return Promise.all(urls.map(async (url) => (await fetch(url + PATH, { headers })).status));
}

describe("a key that expires while gateways remember it", () => {
  it("is valid until then, and rejected within a second after", async () => {
    const lifeMs = 2_000;
    const expiresAt = Date.now() + lifeMs;
    const { secret, id } = await aKey(stack.url, account, { expires_at: new Date(expiresAt).toISOString() });
    const headers = { authorization: `Bearer ${secret}` };
    const hammer = startHammer({ urls, path: PATH, headers, connections: 2, gapMs: 10 });
    const endsAt = performance.now() + (expiresAt - Date.now());
    await sleep(lifeMs + GRACE_MS + 200);
    const shots = await hammer.stop();
    const accepted = shots.filter(({ status }) => status === 200);
    for (const url of urls) expect(accepted.filter((shot) => shot.url === url).length).toBeGreaterThan(10);
    expect(shots.filter(({ sentAt, status }) => sentAt > endsAt + GRACE_MS && status !== 401)).toEqual([]);
    // A request sent before the expiry may reach its gateway after it.
    expect(shots.filter(({ sentAt, status }) => sentAt < endsAt - 200 && status !== 200)).toEqual([]);
    expect((await fetch(stack.url + PATH, { headers }).then((response) => response.json())) as object).toMatchObject({
      code: "api_key_expired",
    });

    const body = { name: "a key", organization_id: account.organizationId, user_id: account.userId, tags: [] };
    await account.session.data("put", `/api/v1/auth/keys/${id}`, { ...body, expires_at: null });
    expect(await statusesOf(secret)).toEqual([200, 200]);
  });

  it("is rejected within a second of an expiry that was set later", async () => {
    const { secret, id } = await aKey(stack.url, account);
    expect(await statusesOf(secret)).toEqual([200, 200]);
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    const body = { name: "a key", organization_id: account.organizationId, user_id: account.userId, tags: [] };
    await account.session.data("put", `/api/v1/auth/keys/${id}`, { ...body, expires_at });
    await sleep(Math.max(0, Date.parse(expires_at) - Date.now()) + GRACE_MS);
    expect(await statusesOf(secret)).toEqual([401, 401]);
  });
});

describe("a rotation whose response is lost", () => {
  it("is visible in the record, and the next one returns a secret that works", async () => {
    const { secret, id } = await aKey(stack.url, account);
    expect(await statusesOf(secret)).toEqual([200, 200]);
    const record = (): Promise<UserApiKey> => account.session.data("get", `/api/v1/auth/keys/${id}`);
    const before = await record();

    // A hanging gateway delays the response for a second, though the rotation is done.
    const [, hanging] = stack.gateways;
    hanging?.pause();
    try {
      const rotation = new AbortController();
      const response = fetch(`${stack.url}/api/v1/auth/keys/${id}/rotate`, {
        method: "POST",
        headers: { cookie: account.cookie },
        signal: rotation.signal,
      });
      await until(async () => (await record()).key !== before.key);
      rotation.abort();
      await expect(response).rejects.toThrow("aborted");
    } finally {
      hanging?.resume();
    }
    const after = await record();
    expect(after).toEqual({
      ...before,
      key: after.key,
      updated_at: after.updated_at,
      last_used: after.last_used,
    });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    await until(async () => (await statusesOf(secret)).every((status) => status === 401));

    const fresh = await account.session.data<string>("post", `/api/v1/auth/keys/${id}/rotate`);
    expect(await statusesOf(fresh)).toEqual([200, 200]);
    expect(await statusesOf(secret)).toEqual([401, 401]);
  });
});

describe("two concurrent rotations through two gateways", () => {
  it("leave one secret, which works on both", async () => {
    for (let round = 0; round < 5; round++) {
      const { secret, id } = await aKey(stack.url, account);
      expect(await statusesOf(secret)).toEqual([200, 200]);
      const rotations = await Promise.all(
        urls.map(async (url) => {
          const headers = { cookie: account.cookie };
          const response = await fetch(`${url}/api/v1/auth/keys/${id}/rotate`, { method: "POST", headers });
          return (await response.json()) as { data: string };
        }),
      );
      const alive = await Promise.all(rotations.map(({ data }) => statusesOf(data)));
      expect(alive.map(String).sort()).toEqual(["200,200", "401,401"]);
      expect(await statusesOf(secret)).toEqual([401, 401]);
    }
  });
});
