/** The history of the demo, read with its key. */
import { setTimeout as delay } from "node:timers/promises";
import type { Change } from "@nts/shared/contract";
import { readDemoRecord } from "@nts/local/demo/access";
import { callerOf, type Caller } from "./api.js";
import { type Get, startReplay } from "./replay.js";

export interface DemoWeek {
  readonly caller: Caller;
  /** All changes, from the first one. */
  changes(): Promise<Change[]>;
  /** Where a replay of the changes differs from the lists, as of a moment or now. */
  differences(changes: readonly Change[], asOf?: string): Promise<readonly string[]>;
}

export function demoWeek(url: string, dataDir: string): DemoWeek {
  const key = readDemoRecord(dataDir)?.apiKey ?? "";
  const caller = callerOf(url, "demo", { authorization: `Bearer ${key}` });
  const get: Get = async (path) => {
    const { status, text, body } = await caller.send("get", path);
    if (status === 429) return delay(1_000).then(() => get(path));
    if (status !== 200) throw new Error(`${path} answered ${text}`);
    return { data: body.data, meta: body.meta };
  };
  return {
    caller,
    changes: () => startReplay(get).follow(),
    differences: async (changes, asOf) => {
      const replay = startReplay((path) => get(asOf === undefined ? path : `${path}&as_of=${asOf}`));
      replay.take(changes);
      return [...replay.faults, ...(await replay.differences())];
    },
  };
}
