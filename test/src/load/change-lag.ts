/** The delay until followers receive a change of a quiet organization. */
import { setTimeout as sleep } from "node:timers/promises";
import { aKey, anAccount } from "../support/api.js";
import { until } from "../support/until.js";

const EVERY_MS = 200;
/** Time for existing entities before the first change, which may be very many. */
const CAUGHT_UP_MS = 180_000;

export interface ChangeLag {
  /** The slowest change since the last call, in milliseconds. */
  slowestMs(): number;
  stop(): Promise<void>;
}

/** Changes tags of an organization of its own sequentially. Resolves when the first change is received. */
export async function startChangeLag(url: string): Promise<ChangeLag> {
  const { caller } = await aKey(url, await anAccount(url));
  let after = "";
  let slowestMs = 0;
  const stopping = new AbortController();

  /** Polls once. @returns whether there is a change */
  async function hasChange(): Promise<boolean> {
    const { status, text } = await caller.send("get", `/api/v1/changes?wait=5&limit=1000&after=${after}`);
    if (status !== 200) return false;
    const { data, meta } = JSON.parse(text) as { data: readonly unknown[]; meta: { next: string } };
    if (data.length === 0) return false;
    after = meta.next;
    return true;
  }

  async function change(withinMs: number): Promise<void> {
    await caller.data("post", "/api/v1/tags", { name: `a change ${Math.random()}` });
    const startedAt = performance.now();
    await until(() => hasChange().catch(() => false), 1, withinMs);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }

  const { text } = await caller.send("get", "/api/v1/tags?limit=0");
  after = (JSON.parse(text) as { meta: { changes_cursor: string } }).meta.changes_cursor;
  await change(CAUGHT_UP_MS);
  slowestMs = 0;
  const changing = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await change(CAUGHT_UP_MS).catch(() => (slowestMs = Infinity));
      await sleep(EVERY_MS);
    }
  })();
  return {
    slowestMs: () => {
      const slowest = slowestMs;
      slowestMs = 0;
      return slowest;
    },
    stop: () => {
      stopping.abort();
      return changing;
    },
  };
}
