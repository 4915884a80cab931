import { hostname } from "node:os";
import type { CollectorAssignment, CollectorSense } from "@nts/shared/contract";
import { discover, type DiscoverOptions, faultIn } from "../discover/discover.js";
import { ALL_SENSES, type Sense, SENSES } from "../discover/senses.js";
import { type SenseSettings, whyOff } from "../discover/settings.js";
import { EXIT, Problem, type Surroundings } from "../terminal.js";
import { partsOf } from "./parts.js";
import { insist, isDisabled, isRefused } from "./patience.js";
import { type About, createServer, type Server } from "./server.js";
import type { Spool, Waiting } from "./spool.js";
import { type Identity, readExpected, writeExpected, writeIdentity } from "./state.js";

// Waits for jobs, looks around, and reports. What the server cannot take now waits on the disk.

export interface AgentOptions {
  /** The folder of its key. */
  readonly folder: string;
  readonly spool: Spool;
  readonly settings: SenseSettings;
  /** Program and version. */
  readonly version: string;
  /** Ends after one job, or if there is none. */
  readonly isOnce: boolean;
}

const HEARTBEAT_MS = 60_000;
const ANNOUNCE_EVERY_MS = 86_400_000;
/** Left for the report, before the deadline of a job. */
const REPORTING_MS = 30_000;

/** Runs until it is stopped. @throws Problem if the key is refused */
export async function runAgent(identity: Identity, options: AgentOptions, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const { signal } = terminal;
  const agent = createAgent(identity, options, surroundings);
  terminal.say(`Reports to ${identity.server}. Stop it with Ctrl-C, or by the service manager.`);
  try {
    await agent.announce();
    for (let isOver = false; !isOver; isOver = options.isOnce) {
      await agent.sendAll();
      const job = await agent.nextJob();
      if (job !== null) await agent.work(job);
      else if (options.isOnce) terminal.say("There is no job.");
      await agent.sendAll();
    }
  } catch (error) {
    if (signal.aborted) {
      terminal.say("Stopped.");
      return;
    }
    if (!isRefused(error)) throw error;
    throw new Problem(
      EXIT.forbidden,
      `The server refuses the key of this collector: ${error.message} (${error.code}). It was deleted or disabled, or another machine has ` +
        "enrolled in its place. To go on, enable it, or start this program with a new token.",
    );
  }
}

function createAgent(
  identity: Identity,
  { folder, spool, settings, version }: AgentOptions,
  { terminal, run }: Surroundings,
) {
  const { signal } = terminal;
  let server: Server = createServer(identity, signal);
  let senses: readonly CollectorSense[] = initialSenses(settings);
  let announcedMs = 0;
  let rotateAtMs = Infinity;

  const about = (): About => ({ hostname: hostname(), version, senses });

  async function announce(): Promise<void> {
    const seconds = await insist(terminal, () => server.announce(about()));
    announcedMs = performance.now();
    rotateAtMs = announcedMs + seconds * 1_000;
    if (seconds <= 0) await rotate();
  }

  /** The old key is good until the new one is used, so that a loss of power in between does no harm. */
  async function rotate(): Promise<void> {
    const key = await insist(terminal, () => server.rotateKey());
    await writeIdentity(folder, { ...identity, key });
    server = createServer({ ...identity, key }, signal);
    rotateAtMs = Infinity;
    terminal.say("Replaced the key.");
  }

  async function nextJob(): Promise<CollectorAssignment | null> {
    const now = performance.now();
    if (now > announcedMs + ANNOUNCE_EVERY_MS || now > rotateAtMs) await announce();
    return insist(terminal, () => server.nextJob());
  }

  async function work(job: CollectorAssignment): Promise<void> {
    const { cidrs, exclude } = job.targets;
    const options: DiscoverOptions = {
      blocks: cidrs,
      excluded: exclude,
      packetsPerSecond: job.packets_per_second,
      senses: wantedIn(job, senses),
      settings,
    };
    const fault = faultIn(options);
    if (fault !== null) {
      terminal.say(`The job ${job.id} is not done: ${fault}`);
      return;
    }
    const cancelled = new AbortController();
    const stopping = AbortSignal.any([signal, cancelled.signal]);
    const heartbeat = setInterval(() => {
      server.isWanted(job.id).then(
        (isWanted) => {
          if (!isWanted) cancelled.abort(new Error("it is not wanted any more"));
        },
        (error: unknown) => {
          if (isRefused(error)) cancelled.abort(error);
          if (isDisabled(error)) cancelled.abort(new Error("this collector is disabled"));
        },
      );
    }, HEARTBEAT_MS);
    try {
      await look(job, options, stopping);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefused(cancelled.signal.reason)) throw cancelled.signal.reason;
      if (!cancelled.signal.aborted) throw error;
      terminal.say(`Stopped looking: ${(cancelled.signal.reason as Error).message}.`);
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function look(job: CollectorAssignment, options: DiscoverOptions, stopping: AbortSignal): Promise<void> {
    terminal.say(
      `Looks around: ${options.blocks.length === 0 ? "the links of this machine" : options.blocks.join(", ")}.`,
    );
    const startedMs = performance.now();
    const timeMs = Math.max(1_000, job.seconds_left * 1_000 - REPORTING_MS);
    const before = await readExpected(folder);
    const {
      lines,
      expected,
      senses: results,
      fault,
    } = await discover(
      { ...options, ...(before !== undefined && { expected: before }), timeMs },
      { run, signal: stopping, onProgress: (text) => terminal.progress(text) },
    );
    terminal.progress("");
    senses = results.map((one) => ({ ...one, reason: one.reason?.slice(0, 300) ?? null }));
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    if (fault !== null) terminal.say(`Nothing was looked at: ${fault}`);
    if (expected !== undefined) await writeExpected(folder, expected);
    const machines = lines.filter((line) => "host" in line).length;
    const { bodies, leftOut } = partsOf(lines);
    if (leftOut !== null) terminal.say(leftOut);
    for (const dropped of await spool.keep(job.id, bodies)) terminal.say(dropped);
    const bytes = bodies.reduce((sum, { length }) => sum + length, 0);
    if (bodies.length > 0) terminal.say(`Found ${machines} machines in ${seconds} s: ${bytes} bytes to report.`);
  }

  /** Sends what waits, oldest first. */
  async function sendAll(): Promise<void> {
    for (let next = await spool.oldest(); next !== null; next = await spool.oldest()) await send(next);
  }

  async function send(waiting: Waiting): Promise<void> {
    for (const part of waiting.parts) {
      const body = await waiting.body(part);
      const isFinal = part === waiting.count;
      const refusal = await insist(terminal, () =>
        server.report({ jobId: waiting.jobId, part, isFinal, ageSeconds: waiting.ageSeconds(), body }),
      );
      if (refusal !== null) {
        terminal.say(`The server does not take this report, which is dropped: ${refusal}`);
        await waiting.drop();
        return;
      }
      await waiting.sent(part);
    }
    await waiting.drop();
    terminal.say("Reported.");
    await announce();
  }

  return { announce, nextJob, work, sendAll };
}

/** Before it has looked around, everything that is not switched off is hoped to work. */
export function initialSenses(settings: SenseSettings): CollectorSense[] {
  const off = whyOff(settings);
  return SENSES.map((name) => ({ name, state: off.has(name) ? "off" : "ready", reason: off.get(name) ?? null }));
}

/** Those that the job names, and those that did not work before, which it cannot name: they may work now. */
function wantedIn({ senses: named }: CollectorAssignment, announced: readonly CollectorSense[]): ReadonlySet<Sense> {
  const ready = new Set(announced.filter(({ state }) => state === "ready").map(({ name }) => name));
  return new Set([...ALL_SENSES].filter((name) => !ready.has(name) || named.includes(name)));
}
