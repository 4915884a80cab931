import { readdir, readFile } from "node:fs/promises";
import autocannon from "autocannon";

/** A process whose resources are measured. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
}

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly {
    readonly method: "GET" | "PUT" | "POST";
    readonly path: string;
    readonly body?: string;
  }[];
  readonly connections: number;
  readonly seconds: number;
}

export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses that were not a success. */
  readonly failed: number;
  /** Microseconds of processor time per request, by process. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  /** Resident memory at the end, in MB, by process. */
  readonly residentMb: Readonly<Record<string, number>>;
}

/** Sends requests sequentially on each connection for some seconds, after a second of warming up. */
export async function measure(load: Load, watched: readonly Watched[]): Promise<Figures> {
  const options = { ...load, requests: load.requests.map((one) => ({ ...one })), headers: { ...load.headers } };
  await autocannon({ ...options, duration: 1 });
  const before = await Promise.all(watched.map(cpuMicrosOf));
  const result = await autocannon({ ...options, duration: load.seconds });
  const after = await Promise.all(watched.map(cpuMicrosOf));
  const done = Math.max(1, result["2xx"] + result.non2xx);
  const resident = await Promise.all(watched.map(residentMbOf));
  return {
    perSecond: Math.round(done / result.duration),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.non2xx + result.errors,
    cpuMicros: perProcess(watched, (index) => Math.round(((after[index] ?? 0) - (before[index] ?? 0)) / done)),
    residentMb: perProcess(watched, (index) => resident[index] ?? 0),
  };
}

function perProcess(watched: readonly Watched[], valueOf: (index: number) => number): Record<string, number> {
  return Object.fromEntries(watched.map(({ name }, index) => [name, valueOf(index)]));
}

const TICK_MICROS = 10_000;

/** User and system time of a process so far. */
export async function cpuMicrosOf({ pid }: Watched): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}

/** The same by nanoseconds instead of ticks, for short work; without threads that have ended. */
export async function exactCpuMicrosOf({ pid }: Watched): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "")),
  );
  return times.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1_000, 0);
}

/** Resident memory of a process, in MB. */
export async function residentMbOf({ pid }: Watched): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** How often the threads of a process have waited so far: each wait ends with a wake-up. */
export async function wakeUpsOf({ pid }: Watched): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/status`, "utf8").catch(() => "")),
  );
  return texts.reduce((sum, text) => sum + Number(/\nvoluntary_ctxt_switches:\s+(\d+)/.exec(text)?.[1] ?? 0), 0);
}
