import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createBus, type Bus } from "@nts/shared/bus/bus";
import { keyApplied } from "@nts/shared/contract/messages";
import { createLog } from "@nts/shared/log";
import { type Servers, startServers } from "../support/stack.js";
import { until } from "../support/until.js";

let servers: Servers;
let buses: Bus[];
/** Numbers of the notices that each bus heard. */
let heard: number[][];

beforeAll(async () => {
  servers = await startServers();
  heard = Array.from({ length: 4 }, () => []);
  buses = heard.map((numbers, index) => {
    const bus = createBus(servers.urls.nats, `test ${index}`, createLog("test", "silent"));
    bus.subscribe(keyApplied, ({ number }) => numbers.push(number));
    return bus;
  });
});

afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await servers.stop();
});

let last = 0;

/** Waits until every bus is there, and answers how often each heard one more notice. */
async function timesHeard(): Promise<number[]> {
  // What is said right after a subscription may overtake it, so notices are sent until one has come everywhere.
  await until(async () => {
    last += 1;
    buses[0]?.publish(keyApplied, { gateway: "test", number: last });
    await sleep(50);
    return heard.every((numbers) => numbers.includes(last));
  });
  last += 1;
  buses[0]?.publish(keyApplied, { gateway: "test", number: last });
  await until(() => heard.every((numbers) => numbers.includes(last)));
  await sleep(100);
  return heard.map((numbers) => numbers.filter((number) => number === last).length);
}

describe("the bus", () => {
  it("carries a notice to everybody once", async () => {
    expect(await timesHeard()).toEqual([1, 1, 1, 1]);
  });

  it("does so after its server hung, also when connections to it are given up late", async () => {
    servers.nats.pause();
    await sleep(4_500);
    servers.nats.resume();
    for (const end = performance.now() + 3_000; performance.now() < end;)
      expect(await timesHeard()).toEqual([1, 1, 1, 1]);
  });

  it("does so after its server was killed, and is not connected meanwhile", async () => {
    await servers.nats.kill();
    await until(() => buses.every((bus) => !bus.isConnected()));
    for (const bus of buses) bus.publish(keyApplied, { gateway: "test", number: 0 });
    await servers.nats.restart();
    expect(await timesHeard()).toEqual([1, 1, 1, 1]);
    expect(heard.flat()).not.toContain(0);
  });

  it("can be closed while its server hangs", async () => {
    const bus = createBus(servers.urls.nats, "test", createLog("test", "silent"));
    await until(() => bus.isConnected());
    servers.nats.pause();
    try {
      const begun = performance.now();
      await bus.close();
      expect(performance.now() - begun).toBeLessThan(4_000);
    } finally {
      servers.nats.resume();
    }
  });
});
