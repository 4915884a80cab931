import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { createAcknowledgements } from "./acknowledgements.js";
import type { LiveGateway } from "../storage/gateways.js";

// Cached credentials are invalid after this long; a busy machine only makes waits longer.
const LEASE_MS = 1_000;
/** Enough time for a wait that ends too early. */
const STILL_WAITING_MS = 120;

async function durationOf(task: Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await task;
  return performance.now() - startedAt;
}

const registryOf = (...gateways: LiveGateway[]) => ({ live: () => Promise.resolve(gateways) });

describe("key-changes.acknowledgements: waiting for a change to be applied", () => {
  it("ends at once without gateways", async () => {
    expect(await durationOf(createAcknowledgements(registryOf()).wait(5))).toBeLessThan(LEASE_MS);
  });

  it("ends at once when every gateway has applied it or a later one", async () => {
    const acknowledgements = createAcknowledgements(registryOf({ id: "a", applied: 6 }, { id: "b", applied: 0 }));
    acknowledgements.note("b", 5);
    expect(await durationOf(acknowledgements.wait(5))).toBeLessThan(LEASE_MS);
  });

  it("ends when the last gateway has acknowledged it", async () => {
    const acknowledgements = createAcknowledgements(registryOf({ id: "a", applied: 4 }, { id: "b", applied: 4 }));
    let isOver = false;
    const waiting = acknowledgements.wait(5).then(() => (isOver = true));
    acknowledgements.note("a", 5);
    await sleep(STILL_WAITING_MS);
    expect(isOver).toBe(false);
    acknowledgements.note("b", 5);
    await waiting;
  });

  it("ends when the registry shows that a gateway acknowledged it to another replica", async () => {
    let applied = 4;
    const acknowledgements = createAcknowledgements({ live: () => Promise.resolve([{ id: "a", applied }]) });
    setTimeout(() => (applied = 5), 100);
    expect(await durationOf(acknowledgements.wait(5))).toBeLessThan(LEASE_MS);
  });

  it("ends when a gateway deregisters", async () => {
    const gateways = [{ id: "a", applied: 4 }];
    const acknowledgements = createAcknowledgements({ live: () => Promise.resolve([...gateways]) });
    setTimeout(() => gateways.pop(), 100);
    expect(await durationOf(acknowledgements.wait(5))).toBeLessThan(LEASE_MS);
  });

  it("lasts as long as a lease when a gateway is silent, or when the registry cannot be read", async () => {
    const silent = createAcknowledgements(registryOf({ id: "a", applied: 4 }));
    const unknown = createAcknowledgements({ live: () => Promise.reject(new Error("unavailable")) });
    const hanging = createAcknowledgements({ live: () => new Promise(() => undefined) });
    for (const waited of await Promise.all([silent, unknown, hanging].map((one) => durationOf(one.wait(5))))) {
      expect(waited).toBeGreaterThan(LEASE_MS);
    }
  });

  it("is not shortened by a gateway that has applied less", async () => {
    const acknowledgements = createAcknowledgements(registryOf({ id: "a", applied: 4 }));
    acknowledgements.note("a", 3);
    setTimeout(() => {
      acknowledgements.note("a", 4);
    }, 50);
    expect(await durationOf(acknowledgements.wait(5))).toBeGreaterThan(LEASE_MS);
  });
});
