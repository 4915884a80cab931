/**
 * `npm run bench:as-of`: the cost of reads of the past compared with current ones, in an organization of SERVICES (20,000),
 * after no changes, a thousand changes, and deleted networks. Median and maximum, and processor time, in ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { cpuMicrosOf } from "./measure.js";
import { row } from "./work.js";

const SERVICES = Number(process.env["SERVICES"] ?? 20_000);
const NETWORKS = 5;
const HOSTS = SERVICES / 50;
const CHANGED = 1_000;
const ROUNDS = Number(process.env["ROUNDS"] ?? 7);

const ALL_PAGES = "all services in pages of 50";

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const client = new MongoClient(stack.servers.urls.mongodb);
const watched = [stack.topologies[0]!, stack.servers.mongodb!];
const processorMs = async (): Promise<number> =>
  (await Promise.all(watched.map(({ name, pid }) => cpuMicrosOf({ name, pid: pid() })))).reduce(
    (sum, micros) => sum + micros / 1_000,
    0,
  );
try {
  const { organizationId, userId } = await anAccount(stack.url);
  const scope = { organizationId, networks: "all" } as const;
  const principal = { kind: "session", credentialId: newId(), userId, permission: "Owner", scope } as const;
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  const ask = async (method: string, path: string, body?: object): Promise<{ text: string; next: string | null }> => {
    const headers = { "x-tenancy": sign(principal), "content-type": "application/json" };
    const url = (stack.topologies[0]?.url ?? "") + path;
    const response = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    const next = response.headers.get(INTERNAL.listNext);
    return { text, next: next === END_OF_LIST ? null : next };
  };
  const send = async (method: string, path: string, body?: object): Promise<string> =>
    (await ask(method, path, body)).text;

  /** Waits until the journal has recorded everything. @returns its cursor */
  async function waitForJournal(): Promise<string> {
    const newest = "/api/v1/changes?order_direction=desc&limit=1";
    const { id } = JSON.parse(await send("POST", "/api/v1/tags", { name: newId() })) as { id: string };
    for (;;) {
      // The gateway adds the end of the response.
      const response = `{"data":${await send("GET", `${newest}&entity_id=${id}`)}}}`;
      const [found] = (JSON.parse(response) as { readonly data: readonly { readonly cursor: string }[] }).data;
      if (found !== undefined) return found.cursor;
      await sleep(200);
    }
  }

  /** Deletes a network, and waits until all of it is recorded and swept. */
  async function remove(id: string): Promise<void> {
    await send("DELETE", `/api/v1/networks/${id}`);
    await waitForJournal();
    const deletions = client.db(stack.databases.topology).collection<{ _id: string }>("deletions");
    while ((await deletions.findOne({ _id: id })) !== null) await sleep(200);
  }

  /** Reads a list, or all pages of one. */
  async function readAll(path: string, isPaged: boolean): Promise<void> {
    let { next } = await ask("GET", `/api/v1/${path}`);
    while (isPaged && next !== null) ({ next } = await ask("GET", `/api/v1/${path}&cursor=${next}`));
  }

  async function measured(work: string, path: string, rounds = ROUNDS): Promise<void> {
    const times: number[] = [];
    let outcome = "";
    const before = await processorMs();
    for (let n = 0; n < rounds; n++) {
      const startedAt = performance.now();
      await readAll(path, work.startsWith(ALL_PAGES)).catch(
        (error: unknown) => (outcome = ` (${String(error).slice(0, 80)})`),
      );
      times.push(performance.now() - startedAt);
    }
    const processor = ((await processorMs()) - before) / rounds;
    times.sort((a, b) => a - b);
    const [median, slowest] = [times[Math.floor(rounds / 2)] ?? 0, times.at(-1) ?? 0];
    row(work + outcome, ...[median, slowest, processor].map((ms) => ms.toFixed(0)));
  }

  const seeded = await seedTopology(client.db(stack.databases.topology), { organizationId, networks: NETWORKS, hostsPerNetwork: HOSTS / NETWORKS, servicesPerHost: SERVICES / HOSTS }); // prettier-ignore
  const cursor = await waitForJournal();
  const [first] = JSON.parse(await send("GET", "/api/v1/services?limit=1000&order_by=name")) as [{ id: string }];
  const lists = {
    "all services": "services?limit=0",
    [ALL_PAGES]: "services?limit=50",
    "a page of 50 services": "services?order_by=name",
    "a page of 50 services by hosts": "services?order_by=host",
    "a page of 50 hosts": "hosts?order_by=name",
    "the topology": "topology",
    "one service": `services/${first.id}?`,
  };
  const past = async (since: string, networkId = ""): Promise<void> => {
    for (const [what, path] of Object.entries(lists))
      await measured(`${what}, as of before ${since}`, `${path}${path.includes("?") ? "&" : "?"}as_of=${cursor}${networkId}`); // prettier-ignore
  };
  row("read", "median ms", "slowest ms", "processor ms");
  row("---", "---", "---", "---");
  for (const [what, path] of Object.entries(lists)) await measured(what, path);
  await past("nothing");
  const services = JSON.parse(await send("GET", `/api/v1/services?limit=${CHANGED}&order_by=name`)) as { id: string }[];
  for (const { id } of services)
    await fetch(`${stack.topologies[0]?.url ?? ""}/api/v1/services/${id}`, {
      method: "PATCH",
      headers: { "x-tenancy": sign(principal), "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ name: `changed ${id}` }),
    });
  await waitForJournal();
  await past(`${CHANGED} changes`);
  const [network, ...others] = seeded.networkIds;
  await remove(network ?? "");
  await past(`the deletion of a network of ${SERVICES / NETWORKS}`);
  for (const id of others) await remove(id);
  await past("the deletion of everything");
} finally {
  await client.close();
  await stack.stop();
}
