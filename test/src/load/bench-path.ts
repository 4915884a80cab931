/**
 * `npm run bench -- path`: rate, latency and processor time of a request from the gateway to MongoDB and back.
 * `--against <git ref>` alternates with another build; `--seconds`, `--connections 1,16`, `--services`, `--only PUT`.
 */
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { type Build, buildHere, buildOfRef } from "../support/build-of-ref.js";
import { UNLIMITED } from "../support/unlimited.js";
import type { Stack } from "../support/stack.js";
import { cpuMicrosOf, residentMbOf, type Watched } from "./measure.js";
import { type Inventory, MAX_STREAMS, seedInventory, type Work } from "./path-work.js";
import { row } from "./work.js";

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "2" },
    connections: { type: "string", default: "1,16,64" },
    services: { type: "string", default: "5000" },
    only: { type: "string", default: "" },
  },
});
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
const CONNECTIONS = values.connections.split(",").map(Number);
const WARM_UP_SECONDS = 2;

/** All connections belong to one user, whose requests would otherwise be queued. */
const ALL_AT_SERVICES = {
  AT_SERVICES_PER_USER: "1000",
  AT_SERVICES_PER_ORGANIZATION: "1000",
  // Lists that the measurement before aborted at its end may still be counted.
  ORGANIZATION_STREAMS: String(2 * MAX_STREAMS),
};

/** A running system, with its measurements. */
interface Side {
  readonly name: string;
  readonly stack: Stack;
  readonly inventory: Inventory;
  readonly watched: readonly Watched[];
}

interface Measuring {
  readonly connections: number;
  /** Of the same work, including this one; limited work is divided among them. */
  readonly measurementsLeft: number;
}

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  readonly cpuMicros: readonly number[];
}

const builds = [...(values.against === undefined ? [] : [await buildOfRef(values.against)]), await buildHere()];
const sides: Side[] = [];
try {
  for (const build of builds) sides.push(await startSide(build));
  await compare(sides);
} finally {
  await Promise.all(sides.map(({ stack }) => stack.stop()));
}

async function startSide({ name, startStack }: Build): Promise<Side> {
  const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, ...ALL_AT_SERVICES } });
  const { gateways, topologies, servers } = stack;
  const processes = { gateway: gateways[0], topology: topologies[0], mongod: servers.mongodb, redis: servers.redis };
  const watched = Object.entries(processes).flatMap(([name, handle]) => (handle ? [{ name, pid: handle.pid() }] : []));
  return { name, stack, watched, inventory: await seedInventory(stack, Number(values.services)) };
}

async function compare(sides: readonly Side[]): Promise<void> {
  const names = sides[0]?.watched.map(({ name }) => name) ?? [];
  row("work", "conn.", "build", "req/s", "p50 ms", "p99 ms", "failed", `CPU µs/request: ${names.join(" / ")}`);
  row(...Array.from({ length: 8 }, () => "---"));
  const works = sides[0]?.inventory.works ?? [];
  for (const [index, { name, maxConnections = Infinity }] of works.entries()) {
    if (!name.includes(values.only)) continue;
    const levels = CONNECTIONS.filter((one) => one <= maxConnections);
    for (const [done, connections] of levels.entries()) {
      const samples = await samplesOf(sides, index, { connections, measurementsLeft: (levels.length - done) * ROUNDS });
      print(
        name,
        connections,
        [...samples].map(([side, of]) => [side, meanOf(of)]),
      );
    }
  }
  for (const { name, watched } of sides) {
    const resident = await Promise.all(watched.map(residentMbOf));
    console.log(`\nresident MB of ${name}: ${watched.map((one, n) => `${one.name} ${resident[n] ?? 0}`).join(", ")}`);
  }
}

/** Measures the sides alternately, in both orders. */
async function samplesOf(
  sides: readonly Side[],
  index: number,
  { connections, measurementsLeft }: Measuring,
): Promise<Map<Side, Sample[]>> {
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (const { inventory } of sides) await warmUp(inventory, inventory.works[index], connections);
  for (let round = 0; round < ROUNDS; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const work = side.inventory.works[index];
      const how = { connections, measurementsLeft: measurementsLeft - round };
      const sample = work && (await measure(side, work, how));
      if (sample) samples.get(side)?.push(sample);
    }
  return samples;
}

/** Without it, the first work would pay for compiling what all others use. */
async function warmUp(inventory: Inventory, work: Work | undefined, connections: number): Promise<void> {
  if (work !== undefined && work.maxCount === undefined)
    await autocannon({ ...loadOf(inventory, work), connections, duration: WARM_UP_SECONDS });
}

function loadOf({ url, key }: Inventory, work: Work): autocannon.Options {
  return {
    url,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    requests: [
      {
        setupRequest: (request) => ({ ...request, ...work.next() }),
        ...(work.onResponse === undefined
          ? {}
          : { onResponse: (_status: number, body: string) => work.onResponse?.(body) }),
      },
    ],
  };
}

/** Sends one kind of work, sequentially on each connection; null when no work is left. */
async function measure({ inventory, watched }: Side, work: Work, how: Measuring): Promise<Sample | null> {
  const amount = Math.floor((work.maxCount?.() ?? Infinity) / how.measurementsLeft);
  if (amount === 0) return null;
  const before = await Promise.all(watched.map(cpuMicrosOf));
  const result = await autocannon({
    ...loadOf(inventory, work),
    connections: Math.min(how.connections, amount),
    ...(amount === Infinity ? { duration: SECONDS / ROUNDS } : { amount }),
  });
  const after = await Promise.all(watched.map(cpuMicrosOf));
  const done = Math.max(1, result["2xx"] + result.non2xx);
  return {
    perSecond: done / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors,
    cpuMicros: watched.map((_, n) => ((after[n] ?? 0) - (before[n] ?? 0)) / done),
  };
}

function meanOf(samples: readonly Sample[]): Sample {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    p50Ms: mean(({ p50Ms }) => p50Ms),
    p99Ms: mean(({ p99Ms }) => p99Ms),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
    cpuMicros: (samples[0]?.cpuMicros ?? []).map((_, n) => mean(({ cpuMicros }) => cpuMicros[n] ?? 0)),
  };
}

function print(work: string, connections: number, measured: readonly (readonly [Side, Sample])[]): void {
  for (const [{ name }, { perSecond, p50Ms, p99Ms, failed, cpuMicros }] of measured) {
    const cpu = cpuMicros.map((micros) => Math.round(micros)).join(" / ");
    row(work, connections, name, Math.round(perSecond), p50Ms.toFixed(1), p99Ms.toFixed(1), failed, cpu);
  }
  const [before, now] = measured.map(([, sample]) => sample);
  if (before === undefined || now === undefined) return;
  const total = ({ cpuMicros }: Sample): number => cpuMicros.reduce((sum, micros) => sum + micros, 0);
  const rate = (now.perSecond / before.perSecond).toFixed(2);
  row(work, connections, "ratio", `${rate} ×`, "", "", "", `${(total(now) / total(before)).toFixed(2)} of it`);
}
