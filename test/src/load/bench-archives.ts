/**
 * `npm run bench -- archives`: exports 20,000 hosts with 40,000 services, imports them into new organizations, once with a
 * killed topology, and again unchanged; prints seconds and memory. `2000` takes fewer hosts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { type Account, aKey, anAccount } from "../support/api.js";
import { ARCHIVE_PATH, normalForm, parsed } from "../support/archives.js";
import { seedTopology } from "../support/seed.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { residentMbOf } from "./measure.js";
import { row } from "./work.js";

const [, hosts = "20000"] = process.argv.slice(2);
const env = { ...UNLIMITED, LOG_LEVEL: "warn" };
const stack = await startStack({ ownMongod: true, env });
try {
  const full = await anAccount(stack.url);
  const second = await anAccount(stack.url);
  const third = await anAccount(stack.url);
  await fill(stack, full);
  const from = await headersOf(full);
  console.log(`\n## The archive of ${hosts} hosts\n`);
  row("what", "MB", "seconds", "topology MB before, most", "answer");
  row(...Array.from({ length: 5 }, () => "---"));
  await exported(from);
  const text = await measured("out", () => exported(from));
  const to = await headersOf(second);
  await measured("into an empty organization", () => sent(to, text));
  await measured("again, unchanged", () => sent(to, text));
  const last = await headersOf(third);
  const killed = sent(last, text).catch(() => "broken off");
  await sleep(6_000);
  await stack.topologies[0]?.kill();
  console.log(await killed);
  await stack.topologies[0]?.restart();
  const there = (await exported(last)).split("\n").length - 3;
  console.log(`killed with ${there} entities written`);
  await measured("the rest", () => sent(last, text));
  const [one, other] = [await exported(to), await exported(last)].map((file) =>
    JSON.stringify(normalForm(parsed(file))),
  );
  console.log(
    `equal up to ids: ${one === other}, also to the first: ${one === JSON.stringify(normalForm(parsed(text)))}`,
  );
} finally {
  await stack.stop();
}

async function fill({ servers, databases }: Stack, { organizationId }: Account): Promise<void> {
  const client = new MongoClient(servers.urls.mongodb);
  const size = { networks: 10, hostsPerNetwork: Number(hosts) / 10, servicesPerHost: 2 };
  await seedTopology(client.db(databases.topology), { organizationId, ...size, bound: true, addressed: true });
  await client.close();
}

async function headersOf(account: Account): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await aKey(stack.url, account)).secret}` };
}

async function exported(headers: Record<string, string>): Promise<string> {
  const response = await fetch(stack.url + ARCHIVE_PATH, { headers });
  if (!response.ok) throw new Error(`the archive returned ${response.status}: ${await response.text()}`);
  return response.text();
}

async function sent(headers: Record<string, string>, body: string): Promise<string> {
  const type = { "content-type": "application/x-ndjson" };
  const response = await fetch(stack.url + ARCHIVE_PATH, { method: "POST", headers: { ...headers, ...type }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`the import returned ${response.status}: ${text.slice(0, 1_000)}`);
  const { failed, summary } = (JSON.parse(text) as { data: { failed: object[]; summary: object } }).data;
  return `${failed.length} failed ${JSON.stringify(failed.slice(0, 2))}, ${JSON.stringify(summary)}`;
}

/** The duration of a task, and the memory of topology meanwhile. */
async function measured(what: string, work: () => Promise<string>): Promise<string> {
  const watched = { name: "topology", pid: stack.topologies[0]?.pid() ?? 0 };
  const before = await residentMbOf(watched);
  let most = before;
  const sampling = setInterval(() => void residentMbOf(watched).then((mb) => (most = Math.max(most, mb))), 50);
  const startedAt = performance.now();
  const result = await work();
  clearInterval(sampling);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  row(what, (result.length / 1e6).toFixed(1), seconds, `${before}, ${most}`, result.startsWith("{") ? "" : result);
  return result;
}
