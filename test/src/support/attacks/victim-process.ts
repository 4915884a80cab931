/**
 * The process of a victim: sends two small reads every 20 ms whether or not earlier responses have come, does its other
 * work, and records the memory of processes. It is separate because an attack keeps its own process busy.
 */
import { readFileSync } from "node:fs";
import { Agent, type ClientRequest, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { starvedMsOf, usedByOthersMs } from "./processors.js";
import type { Measurements, Timings, VictimOptions } from "./victim.js";
import { createSender } from "./victim-http.js";
import { type Job, prepareJobs } from "./victim-work.js";

const PATHS = ["/api/v1/networks", "/api/v1/auth/whoami"];
const EVERY_MS = 20;
const SAMPLE_EVERY_MS = 50;
const TIMEOUT_MS = 10_000;
const TIMEOUT_ROUNDS = TIMEOUT_MS / EVERY_MS;
/** A waiting victim must not become an attacker. */
const MAX_UNANSWERED = 100;
const PAGE_BYTES = 4_096;

interface Done {
  readonly times: number[];
  readonly failures: string[];
}

interface Period extends Done {
  readonly work: Map<string, Done>;
  readonly before: readonly number[];
  readonly most: number[];
  readonly starvedBeforeMs: readonly number[];
  readonly othersBeforeMs: number;
  readonly startedAt: number;
  unanswered: number;
}

const { url, key, address, account, processes } = JSON.parse(process.argv[2] ?? "") as VictimOptions;
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${key}` };
let period = newPeriod();
let hasStarted = false;
// Timeouts are counted in rounds of reading: while the whole machine stands still, they do not advance.
let round = 0;
const lastRoundOf = new Map<ClientRequest, number>();

function newPeriod(): Period {
  const before = processes.map(({ pid }) => residentBytesOf(pid));
  const starvedBeforeMs = processes.map(({ pid }) => starvedMsOf(pid));
  const now = { othersBeforeMs: usedByOthersMs(), startedAt: performance.now() };
  return {
    times: [],
    failures: [],
    work: new Map(),
    before,
    most: [...before],
    starvedBeforeMs,
    ...now,
    unanswered: 0,
  };
}

/** Resident memory; 0 when the process has ended. */
function residentBytesOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function read(path: string): void {
  const own = period;
  const startedAt = performance.now();
  let failure: string | null = "no response";
  own.unanswered++;
  const request = get(url + path, { agent, headers, localAddress: address }, (response) => {
    failure = response.statusCode === 200 ? null : `${response.statusCode ?? 0}`;
    response.resume();
  });
  lastRoundOf.set(request, round + TIMEOUT_ROUNDS);
  request.on("error", ({ message }) => (failure = message));
  request.once("close", () => {
    lastRoundOf.delete(request);
    own.unanswered--;
    if (failure === null) own.times.push(performance.now() - startedAt);
    else own.failures.push(`${path}: ${failure}`);
    if (hasStarted) return;
    hasStarted = true;
    process.send?.("begun");
  });
}

/** Does a job again and again, one at a time. */
async function repeat(name: string, { everyMs, run }: Job): Promise<void> {
  // Not all kinds at the same moment.
  await sleep(Math.random() * everyMs);
  for (;;) {
    const own = period;
    const startedAt = performance.now();
    const done = own.work.get(name) ?? { times: [], failures: [] };
    own.work.set(name, done);
    own.unanswered++;
    try {
      await run();
      done.times.push(performance.now() - startedAt);
    } catch (error) {
      done.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    own.unanswered--;
    await sleep(Math.max(0, startedAt + everyMs - performance.now()));
  }
}

for (const [name, job] of await prepareJobs(createSender(url, { key, address }), account)) void repeat(name, job);

setInterval(() => {
  round++;
  for (const [request, last] of lastRoundOf)
    if (round > last) request.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`));
  if (period.unanswered < MAX_UNANSWERED) for (const path of PATHS) read(path);
}, EVERY_MS);

setInterval(() => {
  processes.forEach(({ pid }, index) => {
    period.most[index] = Math.max(period.most[index] ?? 0, residentBytesOf(pid));
  });
}, SAMPLE_EVERY_MS);

// It ends with its parent.
process.on("disconnect", () => process.exit());

/** A report waits until all requests of the period have responses or have timed out. */
process.on("message", () => {
  const ended = period;
  period = newPeriod();
  const waiting = setInterval(() => {
    if (ended.unanswered > 0) return;
    clearInterval(waiting);
    process.send?.(seenIn(ended));
  }, SAMPLE_EVERY_MS);
});

function timingsOf({ times, failures }: Done): Timings {
  const sorted = times.sort((a, b) => a - b);
  return {
    responses: sorted.length,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    slowestMs: sorted.at(-1) ?? 0,
    failures,
  };
}

function seenIn(ended: Period): Measurements {
  const { work, before, most, starvedBeforeMs, othersBeforeMs, startedAt } = ended;
  const grown = processes.map(({ name }, index) => [name, (most[index] ?? 0) - (before[index] ?? 0)] as const);
  const starved = processes.map(({ name, pid }, n) => [name, starvedMsOf(pid) - (starvedBeforeMs[n] ?? 0)] as const);
  return {
    ...timingsOf(ended),
    work: Object.fromEntries([...work].map(([name, done]) => [name, timingsOf(done)])),
    grownBytes: Object.fromEntries(grown),
    starvedMs: Object.fromEntries(starved),
    othersShare: (usedByOthersMs() - othersBeforeMs) / (performance.now() - startedAt),
  };
}
