/** The number of streams of a user, over two gateways and one Redis. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type EventStream, openEventStream } from "../support/event-stream.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { metricOf } from "../support/metrics.js";
import type { StubCredential } from "../support/service-stub.js";
import { until } from "../support/until.js";

const MAX_STREAMS = 10;

let world: IsolatedGateways;
const opened: EventStream[] = [];

beforeAll(async () => {
  // On a busy machine even a healthy Redis may be slow.
  world = await startIsolatedGateways({ gateways: 2, env: { REDIS_PATIENCE_MS: "500" } });
  world.stub.respondWith((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 500\n\n");
  });
});
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});
afterAll(async () => {
  await world.stop();
});

async function follow(gateway: number, { headers }: StubCredential): Promise<EventStream> {
  const stream = await openEventStream(`${world.gateways[gateway]!.url}/api/v1/changes/stream`, headers);
  opened.push(stream);
  return stream;
}

const statusOf = async (gateway: number, key: StubCredential): Promise<number> => (await follow(gateway, key)).status;

/** Opens streams concurrently, at both gateways in turn. @returns how many were rejected */
async function refusedOf(count: number, keys: readonly StubCredential[]): Promise<number> {
  const all = await Promise.all(Array.from({ length: count }, (_, n) => follow(n % 2, keys[n % keys.length]!)));
  const refused = all.filter(({ status }) => status !== 200);
  for (const { text } of refused)
    expect(JSON.parse(text)).toMatchObject({ code: "too_many_streams", params: { of: "user" } });
  return refused.length;
}

describe("the streams of a user", () => {
  it("are ten over all gateways, also when they are opened concurrently and with several credentials", async () => {
    const key = world.stub.aKey();
    const session = world.stub.aSession({ user_id: key.userId });
    expect(await refusedOf(MAX_STREAMS + 6, [key, session])).toBe(6);
    expect(await statusOf(0, world.stub.aKey())).toBe(200);
  });

  it("can be opened at one gateway after one is closed at the other", async () => {
    const key = world.stub.aKey();
    expect(await refusedOf(MAX_STREAMS, [key])).toBe(0);
    expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([429, 429]);
    opened[0]!.close();
    await until(async () => (await statusOf(1, key)) === 200, 50);
    expect(await statusOf(0, key)).toBe(429);
  });

  it("are counted by each gateway alone while Redis is unavailable, and globally when it is available again", async () => {
    const key = world.stub.aKey();
    await world.servers.redis.kill();
    try {
      expect(await refusedOf(MAX_STREAMS, [key])).toBe(0);
      expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([200, 200]);
    } finally {
      await world.servers.redis.restart();
    }
    for (const gateway of world.gateways)
      await until(async () => (await metricOf(gateway, "nts_rate_limit_local")) === 0);
    // Open streams are reported to Redis within two seconds; excess ones opened until then are closed again.
    await until(async () => {
      const next = await follow(0, key);
      next.close();
      return next.status === 429;
    }, 200);
  });

  it("can be opened again after their gateway has died, as reports of streams expire within seconds", async () => {
    const key = world.stub.aKey();
    expect(await refusedOf(MAX_STREAMS, [key])).toBe(0);
    expect(await statusOf(0, key)).toBe(429);
    await world.gateways[1]!.kill();
    await until(async () => (await statusOf(0, key)) === 200, 200, 20_000);
  });
});
