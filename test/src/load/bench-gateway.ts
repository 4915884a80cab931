/**
 * `npm run bench -- gateway`: 2 kB of JSON through several gateways, interleaved, each alone on processor 0 with 64
 * connections from processor 1. `--quick` measures once and briefly. It needs wrk and h2load, and nginx for its row.
 */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa, type ResultPromise } from "execa";
import { freePort } from "@nts/local/processes/ports";
import { startIsolatedGateways } from "../support/isolated-gateways.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";
import { cpuMicrosOf, residentMbOf } from "./measure.js";
import { steadily } from "./h2load.js";
import { type Seen, wrk } from "./wrk.js";

const CONNECTIONS = 64;
const PATH = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const OF_IDENTITY = "/api/v1/users/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const quick = process.argv.includes("--quick");
const [ROUNDS, SECONDS, WARM_UP_SECONDS] = quick ? [1, 3, 2] : [3, 8, 3];
const MEASURED_CPU = 0;
const OTHER_CPU = 1;

/** A gateway, or none, in front of the upstream. */
interface Variant {
  readonly name: string;
  readonly url: string;
  readonly pids: readonly number[];
  readonly stop: () => Promise<unknown>;
}

interface Row extends Seen {
  readonly cpuMicros: number;
  readonly residentMb: number;
}

await pin(process.pid, OTHER_CPU);
const upstreamPort = await freePort();
const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
const upstream = await script("upstream", OTHER_CPU, [upstreamPort], upstreamUrl);
const env = { ...UNLIMITED, AT_SERVICES_PER_USER: "1000", AT_SERVICES_PER_ORGANIZATION: "1000", LOG_LEVEL: "info" };
const world = await startIsolatedGateways({ env, topologies: [upstreamUrl] });
await pin(world.servers.redis.pid(), OTHER_CPU);
await pin(world.gateways[0]?.pid(), MEASURED_CPU);
const key = world.stub.aKey();

const rows = new Map<string, Row[]>();
try {
  for (let round = 0; round < ROUNDS; round++)
    for (const start of [direct, ours, stock, nginx]) await measureOne(start);
  report();
  await atHalfLoad();
  await besideHanging();
} finally {
  await upstream.stop();
  await world.stop();
}

async function measureOne(start: () => Promise<Variant | null>): Promise<void> {
  const variant = await start();
  if (variant === null) return;
  const { name, url, pids } = variant;
  const load = { url: url + PATH, headers: key.headers, connections: CONNECTIONS, cpu: OTHER_CPU };
  await wrk({ ...load, seconds: WARM_UP_SECONDS });
  const usedMicros = async (): Promise<number> => sum(await Promise.all(pids.map((pid) => cpuMicrosOf({ name, pid }))));
  const before = await usedMicros();
  const seen = await wrk({ ...load, seconds: SECONDS });
  const cpuMicros = ((await usedMicros()) - before) / seen.requests;
  const residentMb = sum(await Promise.all(pids.map((pid) => residentMbOf({ name, pid }))));
  await variant.stop();
  rows.set(name, [...(rows.get(name) ?? []), { ...seen, cpuMicros, residentMb }]);
  console.log(`${name}: ${seen.perSecond.toFixed(0)} a second, ${cpuMicros.toFixed(0)} µs, ${seen.failed} failed`);
}

/** The upstream alone, on the processor of the gateways. */
async function direct(): Promise<Variant> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const alone = await script("upstream", MEASURED_CPU, [port], url);
  return { name: "the upstream alone", url, pids: [alone.pid], stop: alone.stop };
}

function ours(): Promise<Variant> {
  const pids = [world.gateways[0]?.pid() ?? 0];
  return Promise.resolve({ name: "our gateway", url: world.url, pids, stop: () => Promise.resolve() });
}

async function stock(): Promise<Variant> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const arguments_ = [port, upstreamUrl, world.servers.redisOperatorUrl, key.secret];
  const pair = await script("stock", MEASURED_CPU, arguments_, url);
  return { name: "express + http-proxy-middleware", url, pids: [pair.pid], stop: pair.stop };
}

/** nginx with one worker, which neither authenticates nor limits. */
async function nginx(): Promise<Variant | null> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "nts-nginx-"));
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit; events { worker_connections 1024; }
http { access_log off; proxy_temp_path ${folder}; client_body_temp_path ${folder};
upstream service { server 127.0.0.1:${upstreamPort}; keepalive 64; }
server { listen 127.0.0.1:${port}; keepalive_requests 100000000;
location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const running = execa("taskset", ["-c", `${MEASURED_CPU}`, "nginx", "-p", folder, "-c", file], { reject: false });
  const url = `http://127.0.0.1:${port}`;
  const isStarted = await Promise.race([until(() => responds(url)).then(() => true), running.then(() => false)]);
  if (!isStarted) {
    console.log(`SKIPPED: nginx does not run here (${(await running).stderr.trim()})`);
    return null;
  }
  const worker = await execa("pgrep", ["-P", `${running.pid ?? 0}`]);
  return { name: "nginx", url, pids: worker.stdout.split("\n").map(Number), stop: () => stopped(running) };
}

function report(): void {
  const medians = new Map([...rows].map(([name, measured]) => [name, medianOf(measured)]));
  const alone = medians.get("the upstream alone");
  const pair = medians.get("express + http-proxy-middleware");
  console.log("\n| through | per second | × upstream | × express pair | p50 ms | p99 ms | CPU µs | MB | failed |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [name, { perSecond, p50Ms, p99Ms, cpuMicros, residentMb, failed }] of medians) {
    const against = (other: Row | undefined): string => (other ? (perSecond / other.perSecond).toFixed(2) : "");
    const times = `${against(alone)} | ${against(pair)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)}`;
    console.log(
      `| ${name} | ${perSecond.toFixed(0)} | ${times} | ${cpuMicros.toFixed(0)} | ${residentMb} | ${failed} |`,
    );
  }
}

/** Latency at half of our gateway's maximum rate, of both at the same rate, by an open-loop load. */
async function atHalfLoad(): Promise<void> {
  const perSecond = Math.round(medianOf(rows.get("our gateway") ?? []).perSecond / 2);
  console.log(`\nat ${perSecond} requests a second:`);
  for (const start of [direct, ours]) {
    const { name, url, stop } = await start();
    const load = { url: url + PATH, headers: key.headers, connections: CONNECTIONS, cpu: OTHER_CPU, perSecond };
    await steadily({ ...load, seconds: WARM_UP_SECONDS });
    const { p50Ms, p99Ms, failed } = await steadily({ ...load, seconds: SECONDS });
    await stop();
    console.log(`${name}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${failed} failed`);
  }
}

/** The latency of an operation of identity while topology hangs under load, compared with the normal one. */
async function besideHanging(): Promise<void> {
  const load = { headers: key.headers, cpu: OTHER_CPU };
  const measure = (): Promise<Seen> =>
    wrk({ ...load, url: world.url + OF_IDENTITY, connections: 16, seconds: SECONDS });
  const before = await measure();
  process.kill(upstream.pid, "SIGSTOP");
  const hanging = wrk({ ...load, url: world.url + PATH, connections: CONNECTIONS, seconds: SECONDS + 2 });
  const during = await measure();
  process.kill(upstream.pid, "SIGCONT");
  await hanging;
  const times = (now: number, then: number): string => `${now.toFixed(2)} ms (${(now / then).toFixed(2)} ×)`;
  console.log(
    `\nan operation of identity, while topology hangs: p50 ${times(during.p50Ms, before.p50Ms)}, ` +
      `p99 ${times(during.p99Ms, before.p99Ms)}, ${during.failed} failed`,
  );
}

function medianOf(measured: readonly Row[]): Row {
  const sorted = [...measured].sort((a, b) => a.perSecond - b.perSecond);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) throw new Error("nothing was measured");
  return { ...median, failed: sum(measured.map(({ failed }) => failed)) };
}

/** Starts a script of the folder `gateway` on a processor, and waits until it answers. */
async function script(name: string, cpu: number, given: readonly (string | number)[], url: string) {
  const file = fileURLToPath(new URL(`./gateway/${name}.js`, import.meta.url));
  const options = { reject: false, stdout: "ignore", stderr: "inherit" } as const;
  const running = execa("taskset", ["-c", `${cpu}`, process.execPath, file, ...given.map(String)], options);
  await until(() => responds(url));
  return { pid: running.pid ?? 0, stop: () => stopped(running) };
}

async function stopped(running: ResultPromise): Promise<void> {
  running.kill();
  await running;
}

async function pin(pid: number | undefined, cpu: number): Promise<void> {
  await execa("taskset", ["-a", "-cp", `${cpu}`, `${pid ?? 0}`]);
}

async function responds(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
