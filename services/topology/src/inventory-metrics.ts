import type { Db } from "mongodb";
import { Gauge, type Registry } from "prom-client";
import { INVENTORY_METRICS, SOON_MS } from "./exports/formats/metrics.rules.js";
import { type CountedNetwork, countInventories } from "./storage/inventory-counts.js";

// Gauges of the inventory of each network, for operators who ask for them. They are counted after a scrape, for the next one,
// so that no scrape waits, and nothing is counted that nobody reads.

const EVERY_MS = 5_000;
/** Pauses between counts, in durations of the last one: counting takes at most a twentieth of the time. */
const PAUSES = 20;

export function addInventoryMetrics(db: Db, registry: Registry): void {
  let networks: readonly CountedNetwork[] = [];
  let isCounting = false;
  let dueAt = -Infinity;

  async function count(): Promise<void> {
    const startedAt = performance.now();
    isCounting = true;
    // What cannot be counted is not told, rather than told as it was.
    networks = await countInventories(db, Date.now() + SOON_MS).catch(() => []);
    dueAt = performance.now() + Math.max(EVERY_MS, PAUSES * (performance.now() - startedAt));
    isCounting = false;
  }

  for (const [name, { metric, help }] of INVENTORY_METRICS)
    new Gauge({
      ...{ name: metric, help, labelNames: ["network", "network_id"], registers: [registry] },
      collect() {
        this.reset();
        for (const { id: network_id, name: network, counts } of networks)
          this.set({ network, network_id }, counts[name]);
        if (!isCounting && performance.now() > dueAt) void count();
      },
    });
}
