import { afterEach, describe, expect, it } from "@jest/globals";
import { createNetwork } from "@nts/shared/contract";
import { importScan, scanOfMany } from "../support/imports.js";
import { startTopology, type Topology } from "../support/topology.js";
import { UNGUARDED, type Unguarded } from "../support/topology-unguarded.js";
import { until } from "../support/until.js";

// The concurrent imports of `topology.imports.interrupted.test.ts` with their guard disabled: they must create duplicates, or the guarded
// ones would prove nothing.

const nothing = (): Promise<void> => Promise.resolve();
let topology: Topology;
afterEach(() => topology.stop());

describe("two concurrent imports of one file, through two processes", () => {
  it("would create duplicates without their shards", async () => {
    topology = await startTopology({ instances: 2, storage: sideBySide(UNGUARDED.inShard) });
    const owner = topology.aCaller();
    const { id } = await owner.call(createNetwork, { body: { name: "Office" } });
    await Promise.all([0, 1].map((instance) => importScan(owner.via(instance), id, scanOfMany(60))));
    expect(await topology.db.collection("hosts").countDocuments()).toBeGreaterThan(60);
  });
});

/** Transactions of both processes begin before either continues, so that neither sees the other's writes. */
function sideBySide(unguarded: Unguarded): Unguarded {
  const started: number[] = [];
  return (storage, db) => {
    const own = started.push(0) - 1;
    const { guards, ...others } = unguarded(storage, db);
    const lockShards: typeof guards.lockShards = async (...given) => {
      const isThere = await guards.lockShards(...given);
      const count = (started[own] = (started[own] ?? 0) + 1);
      // A retried one may have no counterpart to wait for.
      if (count <= 10) await until(() => Math.min(...started) >= count, 5, 300).catch(nothing);
      return isThere;
    };
    return { ...others, guards: { ...guards, lockShards } };
  };
}
