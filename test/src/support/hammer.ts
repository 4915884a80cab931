/**
 * Sends requests with one credential to several gateways concurrently and continuously, and records when each was sent.
 */
import { setMaxListeners } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** A request: `status` is 0 without a response. Times are those of `performance.now()`. */
export interface SentRequest {
  readonly url: string;
  readonly sentAt: number;
  readonly status: number;
}

export interface Hammer {
  /** Milliseconds that each connection waits between a response and its next request. */
  pace(gapMs: number): void;
  /** Sends this many more requests to each gateway at once, whatever is pending. */
  burst(count: number): void;
  /** The number of 200 responses from a gateway so far. */
  accepted(url: string): number;
  /** Stops sending, waits for pending requests, and returns all requests. */
  stop(): Promise<readonly SentRequest[]>;
}

export interface HammerOptions {
  readonly urls: readonly string[];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Connections to each gateway that always carry a request. */
  readonly connections: number;
  readonly gapMs: number;
}

/** A suspended gateway does not respond; its pending requests are aborted. */
const TIMEOUT_MS = 4_000;

export function startHammer({ urls, path, headers, connections, gapMs }: HammerOptions): Hammer {
  const agent = new Agent({ keepAlive: true });
  const sent: SentRequest[] = [];
  const accepted = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let isStopping = false;
  let gap = gapMs;
  let pauses = newPauses();

  function sendOne(url: string): Promise<void> {
    const sentAt = performance.now();
    const shot = new Promise<void>((resolve) => {
      let status = 0;
      const done = (): void => {
        sent.push({ url, sentAt, status });
        if (status === 200) accepted.set(url, (accepted.get(url) ?? 0) + 1);
        resolve();
      };
      const request = get(url + path, { agent, headers }, (response) => {
        // The head of the response decides, whatever happens to its body.
        status = response.statusCode ?? 0;
        response.resume();
      });
      request.on("error", () => undefined).once("close", done);
    });
    open.add(shot);
    return shot.finally(() => open.delete(shot));
  }

  async function sendContinuously(url: string): Promise<void> {
    while (!isStopping) {
      await sendOne(url);
      await sleep(gap, undefined, { signal: pauses.signal }).catch(() => undefined);
    }
  }

  for (const url of urls) for (let i = 0; i < connections; i++) void sendContinuously(url);
  return {
    pace: (gapMs) => {
      gap = gapMs;
      pauses.abort();
      pauses = newPauses();
    },
    burst: (count) => {
      for (const url of urls) for (let i = 0; i < count; i++) void sendOne(url);
    },
    accepted: (url) => accepted.get(url) ?? 0,
    stop: async () => {
      isStopping = true;
      pauses.abort();
      const patience = new AbortController();
      await Promise.race([
        Promise.all([...open]),
        sleep(TIMEOUT_MS, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
      agent.destroy();
      await Promise.all([...open]);
      return sent;
    },
  };
}

/** Ends the pauses of all connections at once. */
function newPauses(): AbortController {
  const pauses = new AbortController();
  setMaxListeners(0, pauses.signal);
  return pauses;
}
