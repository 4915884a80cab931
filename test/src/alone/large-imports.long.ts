import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createNetwork } from "@nts/shared/contract";
import { importScan, scanOfMany } from "../support/imports.js";
import { startTopology, type Topology } from "../support/topology.js";

// Alone, since the deadline of a request applies to the largest import, and suites running in parallel would take most of it.

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology({ importThreads: true });
});
afterAll(() => topology.stop());

describe("an import of 5,000 hosts", () => {
  it("is planned within the deadline", async () => {
    const owner = topology.aCaller();
    const { id } = await owner.call(createNetwork, { body: { name: "Office" } });
    const plan = await importScan(owner, id, scanOfMany(5_000), { dry_run: "true" });
    expect(plan.summary.hosts).toEqual({ create: 5_000, update: 0, unchanged: 0, failed: 0 });
    expect(plan.summary.ports.create).toBe(10_000);
  });
});
