/** What may happen to a collector: it is killed, cut off from the server, doubled, beside another one, and its clock is wrong. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../support/api.js";
import { until } from "../support/until.js";
import {
  aCollector,
  type Job,
  type RunningAgent,
  startAgent,
  type StoredCollector,
  type Uplink,
  type Way,
} from "./agent-runs.js";
import type { Laboratory } from "./laboratory.js";
import { FAR } from "./laboratory-hosts.js";
import type { Comparison, StoredHost } from "./laboratory-scores.js";

/** How long the server is away; less than a job takes at most. */
const AWAY_SECONDS = Number(process.env["LAB_AWAY_SECONDS"] ?? 600);
/** Between a look and the time that is written down for it. */
const MOST_OFF_MS = 30_000;

export interface Faults {
  readonly laboratory: Laboratory;
  readonly uplink: Uplink;
  readonly session: Caller;
  readonly networkId: string;
  readonly collector: StoredCollector;
  /** Its agent, which is ended. */
  readonly agent: RunningAgent;
  /** Its options, without a token. */
  readonly words: readonly string[];
  readonly senses: string;
  /** With what the inventory has now. */
  compare(): Promise<Comparison>;
  readHosts(): Promise<StoredHost[]>;
}

/** @returns what is wrong afterwards */
export async function collectorFaults(given: Faults): Promise<string[]> {
  const found: string[] = [];
  const check = async (name: string, act: () => Promise<string | null>): Promise<void> => {
    const startedAt = performance.now();
    const fault = await act().catch((error: unknown) => (error as Error).message);
    const compared = await given.compare();
    const wrong = [...compared.duplicates, ...compared.falseJoins];
    if (compared.found !== compared.machines) wrong.push(`${compared.found} of ${compared.machines} are known`);
    for (const reason of [...(fault === null ? [] : [fault]), ...wrong]) found.push(`${name}: ${reason}`);
    const isRight = fault === null && wrong.length === 0;
    console.log(`  ${isRight ? "✓" : "✕"} ${name} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
  };
  await check("two machines with one token", () => sameToken(given));
  await check(`a server that is away for ${AWAY_SECONDS} s`, () => serverAway(given, given.agent));
  let agent = given.agent;
  const killed = async (way: Exclude<Way, "open">): Promise<string | null> => {
    const { fault, next } = await killedWhile(given, agent, way);
    agent = next;
    return fault;
  };
  await check("killed when the server had the report, and the response was lost", () => killed("deaf"));
  await check("killed with a report that the server does not have", () => killed("closed"));
  await check("killed when the server had a part of the report", () => killed("cut"));
  for (const hours of [1, -1])
    await check(`a clock that is ${hours > 0 ? "an hour ahead" : "an hour behind"}`, async () => {
      await agent.end("SIGTERM");
      agent = startAgent(given.laboratory, "eye", given.words, hours);
      return wrongClock(given);
    });
  await check("another collector that sees the same machines", () => overlapping(given));
  await check("a collector that is deleted", () => deleted(given, agent));
  return found;
}

async function sameToken({ laboratory, uplink, collector: { token } }: Faults): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), "nts-lab-agent-"));
  const second = startAgent(laboratory, "router", ["--server", uplink.url, "--token", token, "--state", folder]);
  const exitCode = await second.ended();
  await rm(folder, { recursive: true });
  const isSaid = second.said().includes("has been used, by this machine or by another one");
  return exitCode === 3 && isSaid ? null : `it ended with ${exitCode} and said: ${second.said()}`;
}

/** The report waits on the disk, and counts for the time of the look. */
async function serverAway({ uplink, collector, readHosts }: Faults, agent: RunningAgent): Promise<string | null> {
  const before = await readHosts();
  agent.listen();
  const job = await collector.request();
  await agent.says("Looks around");
  uplink.set("closed");
  await agent.says("Found ");
  const lookedAt = Date.now();
  await agent.says("is asked again");
  await sleep(AWAY_SECONDS * 1_000);
  uplink.set("open");
  await agent.says("responds again");
  return reportsOf(await collector.done(job), 1) ?? timesOf(before, await readHosts(), lookedAt);
}

/** The server's clock decides when machines were seen, and what the collector's says is of no consequence. */
async function wrongClock({ collector, readHosts }: Faults): Promise<string | null> {
  const before = await readHosts();
  const fault = reportsOf(await collector.run(), 1);
  return fault ?? timesOf(before, await readHosts(), Date.now());
}

/** What is wrong with the times of hosts after a look. */
function timesOf(before: readonly StoredHost[], after: readonly StoredHost[], lookedAt: number): string | null {
  const known = new Map(before.map((host) => [host.id, host]));
  let seenAgain = 0;
  for (const { id, name, created_at, seen, missed_since: missedSince } of after) {
    const then = known.get(id);
    if (then === undefined) return `${name} is new`;
    if (then.missed_since !== missedSince) return `${name} is missed since ${missedSince ?? "never"}`;
    if (then.created_at !== created_at || then.seen?.first_at !== seen?.first_at)
      return `${name} was first seen at ${seen?.first_at ?? "no time"}, not ${then.seen?.first_at ?? "at no time"}`;
    if (then.seen?.last_at === seen?.last_at) continue;
    seenAgain++;
    if (Math.abs(Date.parse(seen?.last_at ?? "") - lookedAt) > MOST_OFF_MS)
      return `${name} was last seen at ${seen?.last_at ?? "no time"}, not ${new Date(lookedAt).toISOString()}`;
  }
  return seenAgain > after.length / 2 ? null : `only ${seenAgain} of ${after.length} were seen again`;
}

/** Kills the agent before it knows that its report has arrived, and starts it again without a token. */
async function killedWhile(
  { laboratory, uplink, collector, words }: Faults,
  agent: RunningAgent,
  way: Exclude<Way, "open">,
): Promise<{ fault: string | null; next: RunningAgent }> {
  agent.listen();
  const job = await collector.request();
  await agent.says("Looks around");
  uplink.set(way);
  await agent.says("Found ");
  if (way === "deaf") await collector.done(job);
  if (way === "cut") await until(() => uplink.isCutOff());
  await agent.end("SIGKILL");
  uplink.set("open");
  const next = startAgent(laboratory, "eye", words);
  await next.says("Reported.");
  return { fault: reportsOf(await collector.done(job), 1), next };
}

function reportsOf({ reports, covered }: Job, count: number): string | null {
  return reports === count && covered.length > 0
    ? null
    : `${reports} reports have arrived, which cover ${covered.join()}`;
}

/** From the router, which sees far machines on its link. */
async function overlapping({
  laboratory,
  uplink,
  session,
  networkId,
  collector,
  senses,
}: Faults): Promise<string | null> {
  const other = await aCollector(session, {
    ...{ network_id: networkId, name: "Router", packets_per_second: 500 },
    targets: { cidrs: ["10.77.0.0/24", `10.77.${FAR}.0/24`], exclude: [] },
  });
  const words = ["--state", other.folder, "--settings", senses];
  const agent = startAgent(laboratory, "router", [...words, "--server", uplink.url, "--token", other.token]);
  try {
    await other.done();
    await Promise.all([collector.run(), other.run()]);
    const exitCode = await agent.end("SIGTERM");
    return exitCode === 0 ? null : `it ended with ${exitCode} when it was asked to: ${agent.said()}`;
  } finally {
    await agent.end("SIGKILL");
    await other.remove();
  }
}

async function deleted({ session, collector }: Faults, agent: RunningAgent): Promise<string | null> {
  await session.data("delete", `/api/v1/collectors/${collector.id}`);
  const exitCode = await agent.ended();
  const isSaid = agent.said().includes("refuses the key of this collector");
  return exitCode === 3 && isSaid ? null : `it ended with ${exitCode} and said: ${agent.said()}`;
}
