/**
 * `npm run bench -- exports`: duration and memory of every export of 20,000 hosts with 40,000 services, read and unread,
 * each format on a system of its own. `2000 ansible` takes fewer hosts, or one format.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { EXPORT_FORMATS, type ExportFormat } from "@nts/shared/contract";
import { type Account, aKey, anAccount } from "../support/api.js";
import { openRawSocket } from "../support/raw-socket.js";
import { seedTopology } from "../support/seed.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { residentMbOf, type Watched } from "./measure.js";
import { row } from "./work.js";

const NETWORKS = 10;
const UNREAD = 4;
const UNREAD_MS = 5_000;
const [, hosts = "20000", only] = process.argv.slice(2);
const formats = EXPORT_FORMATS.filter((format) => only === undefined || format === only);

console.log(`\n## ${hosts} hosts, ${2 * Number(hosts)} services\n`);
row(
  "format",
  "MB",
  "seconds",
  "topology MB before, most",
  "gateway MB before, most",
  `topology MB more, ${UNREAD} unread`,
);
row(...Array.from({ length: 6 }, () => "---"));
for (const format of formats) await measured(format);

async function measured(format: ExportFormat): Promise<void> {
  const env = { ...UNLIMITED, LOG_LEVEL: "warn" };
  const stack = await startStack({ ownMongod: true, env });
  try {
    const account = await anAccount(stack.url);
    await fill(stack, account);
    const key = await aKey(stack.url, account);
    const path = `/api/v1/exports/${format}${format === "dns" ? "?zone=home.example" : ""}${format === "csv" ? "?resource=services" : ""}`;
    const headers = { authorization: `Bearer ${key.secret}` };
    // The first requests of a process load code.
    await fetch(`${stack.url}/api/v1/hosts?limit=5`, { headers }).then((response) => response.text());
    const read = await watching(stack, () => readAll(stack.url + path, headers));
    const unread = await watching(stack, () => keepUnread(stack.url, path, key.secret));
    const [topology, gateway] = read.memory.map(({ before, most }) => `${before}, ${most}`);
    const unreadMemory = unread.memory[0];
    row(
      format,
      (read.result.bytes / 1e6).toFixed(1),
      read.result.seconds.toFixed(1),
      topology,
      gateway,
      (unreadMemory?.most ?? 0) - (unreadMemory?.before ?? 0),
    );
  } finally {
    await stack.stop();
  }
}

async function fill(stack: Stack, { organizationId }: Account): Promise<void> {
  const client = new MongoClient(stack.servers.urls.mongodb);
  const size = { networks: NETWORKS, hostsPerNetwork: Number(hosts) / NETWORKS, servicesPerHost: 2 };
  await seedTopology(client.db(stack.databases.topology), { organizationId, ...size, bound: true, addressed: true });
  await client.close();
}

async function readAll(url: string, headers: Record<string, string>): Promise<{ bytes: number; seconds: number }> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
  return { bytes, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Sends the maximum number of concurrent requests of an organization, and reads nothing for a while. */
async function keepUnread(url: string, path: string, secret: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: UNREAD }, () => openRawSocket(url, { reads: false })));
  for (const socket of sockets)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: service.example\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
  await sleep(UNREAD_MS);
  for (const socket of sockets) socket.close();
}

interface Seen {
  readonly before: number;
  most: number;
}

/** The memory of topology and gateway before and during a task. */
async function watching<T>(stack: Stack, work: () => Promise<T>): Promise<{ result: T; memory: readonly Seen[] }> {
  const all = { topology: stack.topologies[0], gateway: stack.gateways[0] };
  const watched: Watched[] = Object.entries(all).map(([name, handle]) => ({ name, pid: handle?.pid() ?? 0 }));
  const memory = (await Promise.all(watched.map(residentMbOf))).map((before): Seen => ({ before, most: before }));
  const sampling = setInterval(() => {
    for (const [n, one] of memory.entries())
      void residentMbOf(watched[n]!).then((mb) => (one.most = Math.max(one.most, mb)));
  }, 20);
  const result = await work();
  clearInterval(sampling);
  return { result, memory };
}
