/** The process of {@link startScheduledWriters}. */
import { setTimeout as sleep } from "node:timers/promises";
import { callerOf } from "../support/api.js";
import { aNetworkWithAHost } from "../support/world.js";
import type { WriterFigures, WritersOptions } from "./scheduled-writers.js";
import { valueAt } from "./shares.js";

const { url, keys, everyMs } = JSON.parse(process.argv[2] ?? "") as WritersOptions;
let latenciesMs: number[] = [];
let refused = 0;
let isStopping = false;

async function startWriter(key: string): Promise<{ writing: Promise<string[]> }> {
  const caller = callerOf(url, "a writer", { authorization: `Bearer ${key}` });
  const { service } = await aNetworkWithAHost(caller);
  const path = `/api/v1/services/${service.id}`;

  async function write(): Promise<string[]> {
    let acknowledged = 0;
    const first = performance.now();
    for (let round = 1; !isStopping; round++) {
      // Measured from its scheduled time: a delayed writer does not write less often.
      const due = first + round * everyMs;
      await sleep(Math.max(0, due - performance.now()));
      const status = await caller.send("put", path, { ...service, name: `round ${round}` }).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) acknowledged = round;
      else refused += 1;
      latenciesMs.push(performance.now() - due);
    }
    const { name } = await caller.data<{ name: string }>("get", path);
    const isKept = acknowledged === 0 || Number(name.split(" ")[1]) >= acknowledged;
    return isKept ? [] : [`round ${acknowledged} was acknowledged, and ${name} is read`];
  }

  return { writing: write() };
}

function report(): WriterFigures {
  const sorted = latenciesMs.sort((a, b) => a - b);
  const figures = { responses: sorted.length, refused, p50Ms: valueAt(0.5, sorted), p99Ms: valueAt(0.99, sorted) };
  latenciesMs = [];
  refused = 0;
  return figures;
}

// It ends with its parent.
process.on("disconnect", () => process.exit());
const writers = await Promise.all(keys.map(startWriter));
process.on("message", (question: "report" | "stop") => {
  if (question === "report") process.send?.(report());
  else {
    isStopping = true;
    void Promise.all(writers.map(({ writing }) => writing)).then((faults) => process.send?.(faults.flat()));
  }
});
process.send?.("writing");
