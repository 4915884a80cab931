import { expect } from "@jest/globals";
import type { Caller } from "./api.js";
import { until } from "./until.js";

const WRITERS = 6;
const BEFORE = 100;
const AFTER = 200;
const TIMEOUT_MS = 60_000;

/**
 * Creates hosts continuously during a fault; each must be created, rejected with 503 and Retry-After, or get
 * 502. @returns the names of the rejected ones, of which nothing may have been sent
 */
export async function rejectedDuring(caller: Caller, network_id: string, harm: () => Promise<void>): Promise<string[]> {
  const refused: string[] = [];
  let made = 0;
  let isOver = false;
  const write = async (worker: number): Promise<void> => {
    for (let round = 0; !isOver; round += 1) {
      const name = `host ${worker}-${round}`;
      const { status, headers, body } = await caller.send("post", "/api/v1/hosts", { network_id, name });
      if (status === 200) made += 1;
      else if (status === 503) {
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        refused.push(name);
      } else expect([status, body.code]).toEqual([502, "upstream_failed"]);
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, worker) => write(worker)));
  try {
    await until(() => made > BEFORE, 50, TIMEOUT_MS);
    await harm();
    const before = made;
    await until(() => made > before + AFTER, 50, TIMEOUT_MS);
  } finally {
    isOver = true;
    await writing;
  }
  return refused;
}
