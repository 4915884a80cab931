import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../processes/child.js";
import {
  type Component,
  endedHow,
  logFileOf,
  spawnComponent,
  STOP_GRACE_MS,
  untilReady,
} from "../processes/component.js";
import { type Tier, TIERS } from "../processes/run-records.js";

/** Keeps components running: starts, restarts, and stops them in order. */
export interface Supervisor {
  /**
   * Starts components concurrently and waits until all are ready; from then on each is kept running.
   *
   * @throws StartProblem if one does not become ready; `stop` stops the others
   */
  start(components: readonly Component[]): Promise<void>;
  /** Stops gateways, then services, which may be started again; servers keep running. */
  stopProcesses(): Promise<void>;
  /** Stops everything: gateways, then services, then servers. Nothing is started any more. */
  stop(): Promise<void>;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
/** After this long without a failure, the restart delay is reset. */
const STEADY_MS = 60_000;

interface Running {
  readonly tier: Tier;
  readonly child: Child;
  /** Stopped on purpose, and not to be restarted. */
  isLeaving?: boolean;
}

export function createSupervisor(dataDir: string, report: (line: string) => void): Supervisor {
  const running = new Map<string, Running>();
  const stopping = new AbortController();

  /** Synchronous up to the entry in `running`, so that `stop` sees every started process. */
  function spawn(component: Component): Child {
    stopping.signal.throwIfAborted();
    const child = spawnComponent(component, dataDir);
    running.set(component.name, { tier: component.tier, child });
    return child;
  }

  async function startOne(component: Component): Promise<void> {
    const startedAt = Date.now();
    const child = spawn(component);
    await untilReady(component, child, { report });
    report(`  ${component.name} is ready (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    void keepRunning(component, child);
  }

  function isCurrent({ name }: Component, child: Child): boolean {
    const entry = running.get(name);
    return entry?.child === child && entry.isLeaving !== true;
  }

  async function keepRunning(component: Component, first: Child): Promise<void> {
    let child = first;
    let delayMs = FIRST_DELAY_MS;
    for (;;) {
      const startedAt = Date.now();
      const exit = await child.exited;
      if (stopping.signal.aborted || !isCurrent(component, child)) return;
      if (Date.now() - startedAt > STEADY_MS) delayMs = FIRST_DELAY_MS;
      report(
        `${component.name} ${endedHow(exit)}; starting it again in ${delayMs / 1000} s (log: ${logFileOf(dataDir, component.name)}.1)`,
      );
      try {
        await sleep(delayMs, undefined, { signal: stopping.signal });
        if (!isCurrent(component, child)) return;
        child = spawn(component);
      } catch {
        return; // stopped in the meantime
      }
      delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
      void untilReady(component, child, { report }).then(
        () => {
          report(`${component.name} is ready again`);
        },
        () => undefined, // it died or hangs: the next turn of the loop says so
      );
    }
  }

  return {
    async start(components) {
      await Promise.all(components.map(startOne));
    },
    async stopProcesses() {
      for (const tier of ["gateway", "service"] as const) await stopTier(running, tier);
    },
    async stop() {
      stopping.abort();
      for (const tier of TIERS.toReversed()) await stopTier(running, tier);
    },
  };
}

async function stopTier(running: ReadonlyMap<string, Running>, tier: Tier): Promise<void> {
  const leaving = [...running.values()].filter((entry) => entry.tier === tier);
  for (const entry of leaving) entry.isLeaving = true;
  await Promise.all(leaving.map(({ child }) => child.stop(STOP_GRACE_MS)));
}
