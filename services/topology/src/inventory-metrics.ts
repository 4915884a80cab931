import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "mongodb";
import { Gauge, type Registry } from "prom-client";
import { INVENTORY_METRICS, SOON_MS } from "./exports/formats/metrics.rules.js";
import { type CountedNetwork, countInventories } from "./storage/inventory-counts.js";

// Gauges of the inventory of each network, for operators who ask for them. A scrape counts, so that nothing is counted that
// nobody reads; what takes longer than a scrape should wait is told by the next one.

const EVERY_MS = 5_000;
/** The other metrics of the process are in the same scrape. */
const LONGEST_WAIT_MS = 2_000;
/** Pauses between counts, in durations of the last one: counting takes at most a twentieth of the time. */
const PAUSES = 20;

export function addInventoryMetrics(db: Db, registry: Registry): void {
  let networks: readonly CountedNetwork[] = [];
  let counting: Promise<void> | null = null;
  let dueAt = -Infinity;

  async function count(): Promise<void> {
    const startedAt = performance.now();
    // What cannot be counted is not told, rather than told as it was.
    networks = await countInventories(db, Date.now() + SOON_MS).catch(() => []);
    dueAt = performance.now() + Math.max(EVERY_MS, PAUSES * (performance.now() - startedAt));
    counting = null;
  }

  async function countIfDue(): Promise<void> {
    if (performance.now() < dueAt) return;
    counting ??= count();
    await Promise.race([counting, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
  }

  for (const [name, { metric, help }] of INVENTORY_METRICS)
    new Gauge({
      ...{ name: metric, help, labelNames: ["network", "network_id"], registers: [registry] },
      async collect() {
        await countIfDue();
        this.reset();
        for (const { id: network_id, name: network, counts } of networks)
          this.set({ network, network_id }, counts[name]);
      },
    });
}
