import type { Db } from "mongodb";
import { Counter, type Registry } from "prom-client";
import { waitAtMost } from "@nts/shared/lifecycle";
import { addGauges } from "@nts/shared/metrics";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { createPace, repeat } from "@nts/shared/repeat";
import { createSweep, type SweepParts } from "./sweep.js";

/** How often deletions are looked for. */
const LOOKS = { oftenMs: 2_000, seldomMs: 5_000, forMs: 60_000 };
const STOP_MS = 7_000;

export interface Sweeper {
  /** Stops after the current batch; another process continues. */
  stop(): Promise<void>;
}

/** Sweeps hidden entities in the background, in one process at a time. */
export function startSweeper(
  db: Db,
  registry: Registry,
  parts: Pick<SweepParts, "storage" | "notices" | "log" | "times">,
  looks = LOOKS,
): Sweeper {
  const { storage, log } = parts;
  const stopping = new AbortController();
  const documents = new Counter({
    name: "nts_deleted_documents_total",
    help: "Documents that this process has deleted, or removed deleted tags from, after the response of a deletion.",
    registers: [registry],
  });
  const pace = createPace(looks);
  let pending = 0;
  addGauges(registry, [["nts_deletions_pending", "Deletions that were confirmed, but not swept yet.", () => pending]]);
  const { signal } = stopping;
  const count = (number: number): void => {
    documents.inc(number);
  };
  const sweep = createSweep({ ...parts, count, signal });
  const sweepWhatIsDue = async (): Promise<void> => {
    const { all, unswept } = await storage.deletions.count();
    pending = unswept;
    if (all === 0) return;
    pace.busy();
    await withFreeLock(db, "sweep", sweep.run);
  };
  const onFault = (error: unknown): void => {
    log.warn({ err: error }, "a sweep was interrupted; resuming");
  };

  const running = repeat(sweepWhatIsDue, { everyMs: pace.everyMs, signal, onFault });
  return {
    stop: async () => {
      stopping.abort();
      await waitAtMost(STOP_MS, running);
    },
  };
}
