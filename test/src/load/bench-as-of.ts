/**
 * `npm run bench -- as-of`: the cost of reads of the past in an organization of SERVICES (20,000), after no changes, a thousand
 * changes, and deleted networks. Each read alternates with the same one of the present in an organization that stays as it
 * was. Medians, and processor time of topology and of the database, in ms.
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
import { exactCpuMicrosOf } from "./measure.js";
import { row } from "./work.js";

const SERVICES = Number(process.env["SERVICES"] ?? 20_000);
const NETWORKS = 5;
const HOSTS = SERVICES / 50;
const CHANGED = 1_000;
const ROUNDS = Number(process.env["ROUNDS"] ?? 7);
/** Rounds before those that are measured, in which the code is compiled. */
const WARM_UP = 10;

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const client = new MongoClient(stack.servers.urls.mongodb);
const watched = [stack.topologies[0]!, stack.servers.mongodb!].map(({ name, pid }) => ({ name, pid: pid() }));
const processorMs = async (): Promise<number[]> =>
  (await Promise.all(watched.map(exactCpuMicrosOf))).map((micros) => micros / 1_000);
try {
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  const changing = await anOrganization();
  const unchanged = await anOrganization();
  const cursor = await waitForJournal();

  interface Organization {
    readonly tenancy: () => string;
    readonly networkIds: readonly string[];
    readonly serviceId: string;
  }

  async function anOrganization(): Promise<Organization> {
    const { organizationId, userId } = await anAccount(stack.url);
    const scope = { organizationId, networks: "all" } as const;
    const principal = { kind: "session", credentialId: newId(), userId, permission: "Owner", scope } as const;
    const { networkIds, serviceIds } = await seedTopology(client.db(stack.databases.topology), {
      ...{ organizationId, networks: NETWORKS },
      ...{ hostsPerNetwork: HOSTS / NETWORKS, servicesPerHost: SERVICES / HOSTS },
    });
    return { tenancy: () => sign(principal), networkIds, serviceId: serviceIds[0] ?? "" };
  }

  interface Answer {
    readonly text: string;
    readonly next: string | null;
  }

  async function ask({ tenancy }: Organization, method: string, path: string, body?: object): Promise<Answer> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await fetch(`${stack.topologies[0]?.url ?? ""}/api/v1/${path}`, {
      method,
      headers: { "x-tenancy": tenancy(), "content-type": type },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    const next = response.headers.get(INTERNAL.listNext);
    return { text, next: next === END_OF_LIST ? null : next };
  }

  /** Waits until the journal has recorded everything. @returns its cursor */
  async function waitForJournal(): Promise<string> {
    const { id } = JSON.parse((await ask(changing, "POST", "tags", { name: newId() })).text) as { id: string };
    for (;;) {
      const { text } = await ask(changing, "GET", `changes?order_direction=desc&limit=1&entity_id=${id}`);
      // The gateway adds the end of the response.
      const [found] = (JSON.parse(`{"data":${text}}}`) as { readonly data: readonly { readonly cursor: string }[] })
        .data;
      if (found !== undefined) return found.cursor;
      await sleep(200);
    }
  }

  /** Deletes a network, and waits until all of it is recorded and swept. */
  async function remove(id: string): Promise<void> {
    await ask(changing, "DELETE", `networks/${id}`);
    await waitForJournal();
    const deletions = client.db(stack.databases.topology).collection<{ _id: string }>("deletions");
    while ((await deletions.findOne({ _id: id, swept_at: { $exists: false } })) !== null) await sleep(200);
  }

  interface Cost {
    readonly ms: number[];
    /** Of topology and the database. */
    readonly processorMs: [number, number];
  }

  const noCost = (): Cost => ({ ms: [], processorMs: [0, 0] });

  /** Reads a list, or all pages of one. */
  async function read(of: Organization, path: string, isPaged: boolean, cost: Cost): Promise<void> {
    const before = await processorMs();
    const startedAt = performance.now();
    let { next } = await ask(of, "GET", path);
    while (isPaged && next !== null) ({ next } = await ask(of, "GET", `${path}&cursor=${next}`));
    cost.ms.push(performance.now() - startedAt);
    const after = await processorMs();
    for (const n of [0, 1] as const) cost.processorMs[n] += ((after[n] ?? 0) - (before[n] ?? 0)) / ROUNDS;
  }

  interface Read {
    readonly what: string;
    readonly pathOf: (of: Organization) => string;
    readonly isPaged?: boolean;
  }

  const READS: readonly Read[] = [
    { what: "all services", pathOf: () => "services?limit=0" },
    { what: "all services in pages of 50", pathOf: () => "services?limit=50", isPaged: true },
    { what: "a page of 50 services", pathOf: () => "services?order_by=name" },
    { what: "a page of 50 services by hosts", pathOf: () => "services?order_by=host" },
    { what: "a page of 50 hosts", pathOf: () => "hosts?order_by=name" },
    { what: "the topology", pathOf: () => "topology?" },
    { what: "one service", pathOf: ({ serviceId }) => `services/${serviceId}?` },
  ];

  /** Compares reads as of before an event with those of the present. */
  async function compare(since: string): Promise<void> {
    for (const { what, pathOf, isPaged = false } of READS) {
      const costs = [unchanged, changing].map((of) => ({ of, ...noCost() }));
      const readAll = async (cost: (typeof costs)[number]): Promise<void> => {
        const asOf = cost.of === changing ? `&as_of=${cursor}` : "";
        await read(cost.of, pathOf(cost.of) + asOf, isPaged, cost);
      };
      for (let n = 0; n < WARM_UP; n++) for (const { of } of costs) await readAll({ of, ...noCost() });
      for (let n = 0; n < ROUNDS; n++) for (const cost of costs) await readAll(cost);
      const medians = costs.map(({ ms }) => ms.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
      const sums = costs.map(({ processorMs: [topology, database] }) => topology + database);
      const processors = costs.map(({ processorMs }) => processorMs.map((ms) => ms.toFixed(1)).join(" + "));
      const ratios = [medians, sums].map(([present = 0, past = 0]) => `${(past / present).toFixed(1)} ×`);
      row(`${what}, as of before ${since}`, ...medians.map((ms) => ms.toFixed(1)), ...processors, ...ratios);
    }
  }

  row("read", "present ms", "past ms", "present processor ms", "past processor ms", "× ms", "× processor ms");
  row(...Array.from({ length: 7 }, () => "---"));
  await compare("nothing");
  const services = JSON.parse((await ask(changing, "GET", "services?limit=0")).text) as { id: string; name: string }[];
  for (const { id, name } of services.filter((_, n) => n % (SERVICES / CHANGED) === 0))
    await ask(changing, "PATCH", `services/${id}`, { name: `${name} changed` });
  await waitForJournal();
  await compare(`${CHANGED} changes`);
  const [network = "", ...others] = changing.networkIds;
  await remove(network);
  await compare(`the deletion of a network of ${SERVICES / NETWORKS}`);
  for (const id of others) await remove(id);
  await compare("the deletion of everything");
} finally {
  await client.close();
  await stack.stop();
}
