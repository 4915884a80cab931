/**
 * `npm run bench -- lists`: the cost of reading and writing services, directly and through a gateway, compared with the bare
 * driver. Compare ratios of one run, not figures of two machines. `--quick` uses a small database.
 */
import { execa } from "execa";
import { type Db, MongoClient } from "mongodb";
import type { EntityDocument } from "@nts/topology/storage/entities";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { aKey, anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { UNLIMITED } from "../support/unlimited.js";
import { startStack, type Stack } from "../support/stack.js";
import { cpuMicrosOf, measure, residentMbOf, type Load, type Watched } from "./measure.js";
import { listed, readsOf, row, updatesOf } from "./work.js";

/** Where requests are sent, and their headers. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: () => Record<string, string>;
}

const quick = process.argv.includes("--quick");
const SIZES = quick
  ? [[1_000, 5]]
  : [
      [1_000, 5],
      [20_000, 5],
    ];
const CONNECTIONS = quick ? [16] : [1, 16, 64];
const SECONDS = quick ? 2 : 4;

for (const [hosts = 0, perHost = 0] of SIZES) {
  const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
  try {
    await benchmark(stack, hosts, perHost);
  } finally {
    await stack.stop();
  }
}

async function benchmark(stack: Stack, hosts: number, servicesPerHost: number): Promise<void> {
  const account = await anAccount(stack.url);
  const { organizationId } = account;
  const client = new MongoClient(stack.servers.urls.mongodb);
  const db = client.db(stack.databases.topology);
  const seeded = await seedTopology(db, {
    organizationId,
    networks: 10,
    hostsPerNetwork: hosts / 10,
    servicesPerHost,
    bindingsPerService: 2,
  });
  await makePlain(db);
  console.log(`\n## ${hosts} hosts, ${hosts * servicesPerHost} services, 2 bindings each\n`);

  const key = await aKey(stack.url, account);
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  const scope = { organizationId, networks: "all" } as const;
  const as = { credentialId: key.id, userId: account.userId } as const;
  const principal = { kind: "session", ...as, permission: "Owner", scope } as const;
  const watched = watchedOf(stack);
  const targets: readonly Target[] = [
    // Signed anew for each run, because a tenancy header is valid for a minute.
    { name: "topology", url: stack.topologies[0]?.url ?? "", headers: () => ({ "x-tenancy": sign(principal) }) },
    { name: "gateway", url: stack.url, headers: () => ({ authorization: `Bearer ${key.secret}` }) },
  ];

  row("work", "target", "conn.", "req/s", "p50 ms", "p99 ms", "failed", "CPU µs/request", "resident MB");
  row(...Array.from({ length: 9 }, () => "---"));
  const bare = new Map<string, number>();
  const updates = await updatesOf(key.caller);
  for (const connections of CONNECTIONS) {
    for (const work of ["page", "one"])
      bare.set(`${work} ${connections}`, await measureBareDriver(stack, { work, organizationId, connections }));
    for (const [work, requests] of Object.entries({ ...readsOf(seeded), "update with 3 bindings": updates })) {
      for (const target of targets) {
        const headers = { ...target.headers(), "content-type": "application/json" };
        const load: Load = { url: target.url, headers, requests, connections, seconds: SECONDS };
        const { perSecond, p50Ms, p99Ms, failed, cpuMicros, residentMb } = await measure(load, watched);
        const baseline = bare.get(`${work} ${connections}`);
        const ratio =
          baseline === undefined || target.name !== "topology"
            ? ""
            : ` = ${((cpuMicros["topology"] ?? 0) / baseline).toFixed(2)} × bare`;
        row(
          work,
          target.name,
          connections,
          perSecond,
          p50Ms,
          p99Ms,
          failed,
          listed(cpuMicros) + ratio,
          listed(residentMb),
        );
      }
    }
  }
  for (const target of targets) await streamed(target, watched);
  await client.close();
}

/** @returns microseconds of processor time of the driver alone per request */
async function measureBareDriver(
  { servers, databases }: Stack,
  { work, organizationId, connections }: { work: string; organizationId: string; connections: number },
): Promise<number> {
  const script = new URL("./bare-driver.js", import.meta.url).pathname;
  const args = [servers.urls.mongodb, databases.topology, work, organizationId, String(connections), String(SECONDS)];
  const { stdout } = await execa(process.execPath, [script, ...args]);
  const { perSecond, p50Ms, p99Ms, cpuMicros = 0 } = JSON.parse(stdout) as Record<string, number>;
  row(work, "bare driver", connections, perSecond, p50Ms, p99Ms, "", cpuMicros, "");
  return cpuMicros;
}

/** The whole list at once: time to the first byte, rate, and the memory increase of each process. */
async function streamed({ name, url, headers }: Target, watched: readonly Watched[]): Promise<void> {
  const before = await Promise.all(watched.map(residentMbOf));
  const cpuBefore = await Promise.all(watched.map(cpuMicrosOf));
  const most = [...before];
  const sampling = setInterval(() => {
    watched.forEach(
      (process, index) => void residentMbOf(process).then((mb) => (most[index] = Math.max(most[index] ?? 0, mb))),
    );
  }, 20);
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1/services?limit=0`, { headers: headers() });
  if (!response.ok) throw new Error(`limit=0 from ${name} returned ${response.status}`);
  let firstMs = 0;
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    firstMs ||= performance.now() - startedAt;
    bytes += chunk.length;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  const cpu = await Promise.all(watched.map(cpuMicrosOf));
  const grown = watched.map(
    ({ name }, index) =>
      `${name} +${(most[index] ?? 0) - (before[index] ?? 0)} MB, ${Math.round(((cpu[index] ?? 0) - (cpuBefore[index] ?? 0)) / 1000)} ms CPU`,
  );
  console.log(
    `\nlimit=0 from ${name}: ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(2)} s, first byte after ${firstMs.toFixed(0)} ms; ${grown.join("; ")}`,
  );
}

/** The services as plain documents, with the index for their order. */
async function makePlain(db: Db): Promise<void> {
  const plain = db.collection<{ _id: string }>("plain_services");
  await plain.createIndexes([{ key: { organization_id: 1, created_at: 1, _id: 1 } }]);
  const batch: { _id: string }[] = [];
  for await (const { wire, organization_id } of db.collection<EntityDocument>("services").find({})) {
    const { id, ...fields } = JSON.parse(wire) as { id: string };
    const document = { _id: id, organization_id, ...fields };
    if (batch.push(document) === 2_000) await plain.insertMany(batch.splice(0));
  }
  if (batch.length > 0) await plain.insertMany(batch);
}

function watchedOf({ topologies, gateways, servers }: Stack): Watched[] {
  const all = { topology: topologies[0], gateway: gateways[0], mongod: servers.mongodb };
  return Object.entries(all).flatMap(([name, handle]) => (handle ? [{ name, pid: handle.pid() }] : []));
}
