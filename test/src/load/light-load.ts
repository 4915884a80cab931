/**
 * A load generator that leaves the processors to what is measured: undici's dispatch, without streams or timers, takes
 * a fraction of the processor time of autocannon with a different request each time.
 */
import { createHistogram } from "node:perf_hooks";
import { type Dispatcher, Pool } from "undici";
import type { NextRequest, Work } from "./path-work.js";

export interface LightLoad {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** When it ends: after some seconds, or a number of requests. */
  readonly until: { readonly seconds: number } | { readonly requests: number };
}

export interface Seen {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses that were not a success, and those that did not arrive. */
  readonly failed: number;
}

const NANOS_PER_MS = 1_000_000;

/** Sends requests one after another on each connection. */
export async function lightLoad(load: LightLoad, work: Pick<Work, "next" | "onResponse">): Promise<Seen> {
  const pool = new Pool(load.url, { connections: load.connections, pipelining: 1 });
  const latencies = createHistogram();
  let [begun, failed] = [0, 0];
  const start = performance.now();
  const isOver = (): boolean =>
    "requests" in load.until ? begun >= load.until.requests : performance.now() - start >= load.until.seconds * 1_000;
  const connection = async (): Promise<void> => {
    while (!isOver()) {
      begun += 1;
      const at = process.hrtime.bigint();
      if (!(await send(pool, load.headers, work.next(), work.onResponse))) failed += 1;
      latencies.record(process.hrtime.bigint() - at);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
  const seconds = (performance.now() - start) / 1_000;
  await pool.close();
  return {
    ...{ requests: begun, perSecond: begun / seconds, failed },
    p50Ms: latencies.percentile(50) / NANOS_PER_MS,
    p99Ms: latencies.percentile(99) / NANOS_PER_MS,
  };
}

/** @returns whether the response arrived completely, and is a success */
function send(
  pool: Pool,
  headers: LightLoad["headers"],
  { method, path, body }: NextRequest,
  onResponse: Work["onResponse"],
): Promise<boolean> {
  return new Promise((resolve) => {
    let isSuccess = false;
    const pieces: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status) => {
        isSuccess = status >= 200 && status < 300;
      },
      onResponseData: (_controller, piece) => {
        if (onResponse !== undefined) pieces.push(piece);
      },
      onResponseEnd: () => {
        onResponse?.(String(Buffer.concat(pieces)));
        resolve(isSuccess);
      },
      onResponseError: () => {
        resolve(false);
      },
    };
    pool.dispatch({ method, path, headers, ...(body !== undefined && { body }) }, handler);
  });
}
