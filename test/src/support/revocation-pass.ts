/** Revokes permissions while they are used on every gateway, and counts what was accepted afterwards. */
import { setTimeout as sleep } from "node:timers/promises";
import { startHammer, type Hammer, type SentRequest } from "./hammer.js";
import { mapConcurrently } from "./map-concurrently.js";
import type { RevocationTools } from "./revocable.js";
import { send, type Prepare, type Revocation } from "./right-changes.js";
import { until } from "./until.js";

/** The result of one change. */
export interface Outcome {
  readonly kind: string;
  /** Milliseconds from the first request of the change to its successful response. */
  readonly responseMs: number;
  /** The number of attempts: more than one when the change could not be made. */
  readonly attempts: number;
  /** Requests sent after that response. */
  readonly after: number;
  /** Those that were accepted: none, or revocation is broken. */
  readonly accepted: number;
  /** Those without a response, or with a 5xx. */
  readonly unanswered: number;
}

export interface PassOptions {
  /** Base URLs of the gateways on which the credentials are used. */
  readonly urls: readonly string[];
  readonly kinds: readonly Prepare[];
  readonly tools: RevocationTools;
  /** The base URL through which changes are made; a gateway without a fault. */
  readonly through: string;
  readonly connections?: number;
  /** Milliseconds between uses of the changed credential; a few by default. */
  readonly gapMs?: number;
  /** Milliseconds between uses of the other credentials; a second by default. */
  readonly idleGapMs?: number;
  /** Injects a fault when the credentials are in use and nothing is changed yet. */
  readonly fault?: () => void | Promise<void>;
  /** Ends the fault, after the last change and while the credentials are still used. */
  readonly recover?: () => void | Promise<void>;
  /** How long credentials are used after the end of the fault. */
  readonly tailMs?: number;
}

// Only the changed credential is used continuously, since a busy machine would measure itself.
const IDLE_GAP_MS = 1_000;
const HOT_GAP_MS = 5;
const LEAD_MS = 30;
const AFTER_MS = 120;
const TAIL_MS = 100;
const BURST = 4;
const MAX_ATTEMPTS = 20;
/** Each is prepared with several accounts; concurrent preparation could exceed identity's limits. */
const PREPARE_CONCURRENCY = 4;

/** Makes one change of each kind, sequentially. */
export async function runPass(options: PassOptions): Promise<Outcome[]> {
  const { urls, kinds, tools, through, connections = 1, gapMs = HOT_GAP_MS, idleGapMs = IDLE_GAP_MS } = options;
  const revocations = await mapConcurrently(kinds.length, PREPARE_CONCURRENCY, (n) => kinds[n]!(through, tools));
  const targets = revocations.map((revocation) => ({
    revocation,
    hammer: hammerOf(revocation, urls, connections, idleGapMs),
  }));
  const changed: { revocation: Revocation; response: ChangeResponse }[] = [];
  try {
    await untilAccepted(targets, urls);
    await options.fault?.();
    for (const { revocation, hammer } of targets) {
      hammer.pace(gapMs);
      await sleep(LEAD_MS + Math.random() * LEAD_MS);
      const response = await retryUntilMade(() => send(through, revocation));
      hammer.burst(BURST);
      await sleep(AFTER_MS);
      hammer.pace(idleGapMs);
      changed.push({ revocation, response });
    }
    for (const { hammer } of targets) hammer.burst(BURST);
  } finally {
    await options.recover?.();
  }
  await sleep(options.tailMs ?? TAIL_MS);
  const shots = await Promise.all(targets.map(({ hammer }) => hammer.stop()));
  return changed.map(({ revocation: { kind }, response }, index) => ({
    kind,
    ...outcomeOf(response, shots[index] ?? []),
  }));
}

/** The successful response to a change. */
export interface ChangeResponse {
  readonly respondedAt: number;
  readonly responseMs: number;
  readonly attempts: number;
}

/**
 * Repeats a change until it succeeds, like a client. @param ask returns the status, or null without a response @throws
 * Error on a final rejection; 404 of a repeated removal is a success
 */
export async function retryUntilMade(sendChange: () => Promise<number | null>): Promise<ChangeResponse> {
  const startedAt = performance.now();
  for (let attempts = 1; ; attempts++) {
    const status = await sendChange();
    const respondedAt = performance.now();
    if (status === 200 || (status === 404 && attempts > 1))
      return { respondedAt, responseMs: respondedAt - startedAt, attempts };
    if (status !== null && status !== 409 && status < 500) throw new Error(`a change was answered ${status}`);
    if (attempts === MAX_ATTEMPTS) throw new Error(`a change could not be made, at last with ${status}`);
  }
}

export function hammerOf(
  { path, headers }: Revocation,
  urls: readonly string[],
  connections: number,
  gapMs = IDLE_GAP_MS,
): Hammer {
  return startHammer({ urls, path, headers, connections, gapMs });
}

/** Waits until each credential has been accepted on each gateway, and is therefore cached. */
export async function untilAccepted(targets: readonly { hammer: Hammer }[], urls: readonly string[]): Promise<void> {
  await until(() => targets.every(({ hammer }) => urls.every((url) => hammer.accepted(url) > 0)));
}

/** The outcome of the requests that were sent after the response to a change. */
export function outcomeOf(
  { respondedAt, responseMs, attempts }: ChangeResponse,
  shots: readonly SentRequest[],
): Omit<Outcome, "kind"> {
  const after = shots.filter(({ sentAt }) => sentAt > respondedAt);
  return {
    responseMs,
    attempts,
    after: after.length,
    accepted: after.filter(({ status }) => status === 200).length,
    unanswered: after.filter(({ status }) => status === 0 || status >= 500).length,
  };
}
