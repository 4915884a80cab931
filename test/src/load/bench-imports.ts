/**
 * `npm run bench -- imports`: previews and imports generated scans (`nmap -sV` with scripts) of 600 and 5,000 hosts with
 * three services each, imports them again, with other versions, and takes that back, while another organization reads a page every 50 ms; prints seconds,
 * entities per second and memory. `600 20000` takes other sizes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, aKey, anAccount } from "../support/api.js";
import { scanOfServices } from "../support/imports.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { cpuMicrosOf, residentMbOf } from "./measure.js";
import { row } from "./work.js";

interface Plan {
  readonly summary: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const ENTITIES = ["subnets", "hosts", "interfaces", "ports", "services"] as const;
const READ_EVERY_MS = 50;
const SETTLED_MS = 12_000;

const sizes = process.argv.slice(2).filter((text) => /^\d+$/.test(text));
const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const watched = [
  { name: "gateway", pid: stack.gateways[0]?.pid() ?? 0 },
  { name: "topology", pid: stack.topologies[0]?.pid() ?? 0 },
  { name: "MongoDB", pid: stack.servers.mongodb?.pid() ?? 0 },
];
try {
  // By then, the thread of the first import stands by.
  await sleep(SETTLED_MS);
  const other = await headersOf(await anAccount(stack.url));
  console.log("\n## Imports of hosts with three services\n");
  row(
    "hosts",
    "MB",
    "what",
    "seconds",
    "entities per second",
    "processor seconds",
    "most MB",
    "the other's reads: slowest ms of",
    "answer",
  );
  row(...Array.from({ length: 9 }, () => "---"));
  for (const hosts of sizes.length > 0 ? sizes.map(Number) : [600, 5_000]) {
    const headers = await headersOf(await anAccount(stack.url));
    const network = await aNetwork(headers);
    const file = scanOfServices(hosts);
    await measured(hosts, file, "preview", () => sent(headers, network, file, true));
    await measured(hosts, file, "import", () => sent(headers, network, file, false));
    await measured(hosts, file, "again", () => sent(headers, network, file, false));
    const upgraded = scanOfServices(hosts, 2);
    await measured(hosts, upgraded, "new versions", () => sent(headers, network, upgraded, false));
    await undone(headers, hosts);
  }

  /** Reverts the last import and the first one. */
  async function undone(headers: Record<string, string>, hosts: number): Promise<void> {
    const found = await fetch(`${stack.url}/api/v1/imports/jobs`, { headers });
    const jobs = ((await found.json()) as { data: { request_id: string; dry_run: boolean }[] }).data;
    for (const { request_id } of jobs.filter(({ dry_run }) => !dry_run)) {
      const startedAt = performance.now();
      const response = await fetch(`${stack.url}/api/v1/changes/revert`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", prefer: "respond-async" },
        body: JSON.stringify({ request_id }),
      });
      // The import in the middle changed nothing.
      if (response.status === 404) continue;
      const text = await textOf(response);
      const job = response.status === 202 ? await jobEnd(headers, response.headers.get("location") ?? "") : null;
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      row(hosts, "", "undo", seconds, "", "", "", "", JSON.stringify(job?.result ?? JSON.parse(text)));
    }
  }

  async function measured(hosts: number, file: string, what: string, work: () => Promise<Plan>): Promise<void> {
    const cpuBefore = await Promise.all(watched.map(cpuMicrosOf));
    const most = watched.map(() => 0);
    const ended = new AbortController();
    const reads = { count: 0, slowestMs: 0 };
    const sampling = (async () => {
      while (!ended.signal.aborted) {
        for (const [at, one] of watched.entries()) most[at] = Math.max(most[at] ?? 0, await residentMbOf(one));
        const startedAt = performance.now();
        const response = await fetch(`${stack.url}/api/v1/hosts`, { headers: other });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`a read returned ${response.status}`);
        reads.count++;
        reads.slowestMs = Math.max(reads.slowestMs, performance.now() - startedAt);
        await sleep(READ_EVERY_MS);
      }
    })();
    const startedAt = performance.now();
    const working = work();
    await working.catch(() => undefined);
    const seconds = (performance.now() - startedAt) / 1_000;
    ended.abort();
    await sampling;
    const { summary } = await working;
    const cpu = await Promise.all(watched.map(cpuMicrosOf));
    const entities = ENTITIES.reduce((sum, kind) => sum + (summary[kind]?.["create"] ?? 0), 0);
    row(
      hosts,
      (file.length / 1e6).toFixed(1),
      what,
      seconds.toFixed(seconds < 1 ? 2 : 1),
      Math.round(entities / seconds),
      watched.map(({ name }, at) => `${name} ${(((cpu[at] ?? 0) - (cpuBefore[at] ?? 0)) / 1e6).toFixed(1)}`).join(", "),
      watched.map(({ name }, at) => `${name} ${most[at]}`).join(", "),
      `${reads.slowestMs.toFixed(0)} of ${reads.count}`,
      JSON.stringify(summary["hosts"]),
    );
  }
} finally {
  await stack.stop();
}

async function headersOf(account: Account): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await aKey(stack.url, account)).secret}` };
}

async function aNetwork(headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ name: "Office" });
  const response = await fetch(`${stack.url}/api/v1/networks`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

async function sent(headers: Record<string, string>, network: string, body: string, isDry: boolean): Promise<Plan> {
  const url = `${stack.url}/api/v1/imports/nmap?network_id=${network}&dry_run=${isDry}`;
  const type = { "content-type": "application/xml", prefer: "respond-async" };
  const response = await fetch(url, { method: "POST", headers: { ...headers, ...type }, body });
  await textOf(response);
  const { plan, error } = await jobEnd(headers, response.headers.get("location") ?? "");
  if (plan === undefined || plan === null) throw new Error(`the import ended with ${JSON.stringify(error)}`);
  return plan;
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${text.slice(0, 1_000)}`);
  return text;
}

interface EndedJob {
  readonly ended_at: string | null;
  readonly error: unknown;
  readonly plan?: Plan | null;
  readonly result?: unknown;
}

async function jobEnd(headers: Record<string, string>, path: string): Promise<EndedJob> {
  for (;;) {
    const read = await fetch(`${stack.url}${path}?wait=25`, { headers });
    const { data } = JSON.parse(await textOf(read)) as { data: EndedJob };
    if (data.ended_at !== null) return data;
  }
}
