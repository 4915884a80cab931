import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Webhook } from "@nts/shared/contract";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { type Account, aColleague, aKey, anAccount } from "../support/api.js";
import { startHammer } from "../support/hammer.js";
import { REVOCATIONS } from "../support/right-changes.js";
import { runPass } from "../support/revocation-pass.js";
import { startRevocableSystem, type RevocableSystem } from "../support/revocable.js";
import type { Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

// How credentials end while they are in use on two gateways: by a change of permissions, at their time, and by a rotation
// whose response was lost. `npm run long -- revocation` makes every change with every fault.

const PATH = "/api/v1/networks?limit=1";
/** How long a key may still be accepted after it has expired. */
const GRACE_MS = 1_000;

const changes = [...REVOCATIONS].flatMap(([name, prepare]) => (prepare === null ? [] : [[name, prepare] as const]));
/** Of concurrent rotations. */
const ROUNDS = Math.min(60, Number(process.env["RACE_ROUNDS"] ?? 3));
/** Between requests of a credential while it changes: more than the long run, and a burst after each change. */
const GAP_MS = 40;
/** Of the others: only what is in use soon before and after its change shows anything. */
const IDLE_GAP_MS = 4_000;
/** One of a key, one of a session, one of a user. */
const FEW: readonly string[] = ["disable", "end a session", "remove a user"];

let system: RevocableSystem;
let stack: Stack;
let account: Account;
let urls: string[];

beforeAll(async () => {
  system = await startRevocableSystem({ gateways: 2, identities: 2, env: UNLIMITED });
  stack = system.stack;
  account = await anAccount(stack.url);
  urls = stack.gateways.map(({ url }) => url);
});

afterAll(async () => {
  await system.stop();
});

/** Every change succeeds at once, and revokes what it should. */
async function expectRevoked(
  among: typeof changes,
  faults: { fault?: () => void; recover?: () => void } = {},
): Promise<void> {
  const kinds = among.map(([, prepare]) => prepare);
  const outcomes = await runPass({
    urls,
    kinds,
    ...{ gapMs: GAP_MS, idleGapMs: IDLE_GAP_MS },
    tools: system.tools,
    through: stack.url,
    ...faults,
  });
  expect(outcomes.filter(({ attempts }) => attempts > 1)).toEqual([]);
  expect(outcomes.filter(({ after, unanswered }) => after - unanswered < 8)).toEqual([]);
  expect(outcomes.filter(({ accepted }) => accepted > 0)).toEqual([]);
}

describe("a revocation is effective on every gateway when its response arrives", () => {
  it("while all components are available", async () => {
    await expectRevoked(changes);
  });

  it("while the bus hangs, and leases end instead", async () => {
    const { nats } = stack.servers;
    const few = changes.filter(([name]) => FEW.includes(name));
    expect(few).toHaveLength(FEW.length);
    await expectRevoked(few, { fault: nats.pause, recover: nats.resume });
  });

  it("also for the webhooks of removed users and revoked keys, while the bus hangs", async () => {
    const { url, servers } = stack;
    const owner = await anAccount(url);
    const path = "/api/v1/webhooks";
    const reasonAfter = async (by: "user" | "key"): Promise<string | undefined> => {
      const colleague = await aColleague(url, owner, { permissions: "Admin" });
      const key = await aKey(url, colleague, { permissions: "Admin" });
      const { id } = await key.caller.data<{ id: string }>("post", path, { url: "https://hooks.example.com/" });
      const removed = by === "user" ? `/api/v1/users/${colleague.userId}` : `/api/v1/organizations/keys/${key.id}`;
      await owner.session.data("delete", removed);
      return (await owner.session.data<Webhook>("get", `${path}/${id}`)).paused?.reason;
    };
    servers.nats.pause();
    try {
      expect(await reasonAfter("user")).toBe("The user who created it was removed.");
      expect(await reasonAfter("key")).toBe("The API key with which it was created was revoked.");
    } finally {
      servers.nats.resume();
    }
  });
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
    for (let round = 0; round < ROUNDS; round++) {
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
