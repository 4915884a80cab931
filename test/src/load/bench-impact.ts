/**
 * `npm run bench -- impact`: what it takes to tell what stops with a service, in an inventory of SERVICES (5,000) and DEPENDENCIES
 * (20,000), most of which hang together, 10 steps deep; then with links of all hosts, and the maps of LINKED (5,000) linked hosts.
 * Medians and the slowest of ROUNDS (30), and processor time of topology and of the database, in ms; and the size of the answer.
 */
import { MongoClient } from "mongodb";
import type { Impact } from "@nts/shared/contract";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { seedDependencies } from "../support/seed-dependencies.js";
import { seedLinks } from "../support/seed-links.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { exactCpuMicrosOf } from "./measure.js";
import { row } from "./work.js";

const SERVICES = Number(process.env["SERVICES"] ?? 5_000);
const DEPENDENCIES = Number(process.env["DEPENDENCIES"] ?? 20_000);
const LINKED = Number(process.env["LINKED"] ?? 5_000);
const ROUNDS = Number(process.env["ROUNDS"] ?? 30);
const ON_HOST = 5;
/** Rounds before those that are measured, in which the code is compiled. */
const WARM_UP = 10;

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const client = new MongoClient(stack.servers.urls.mongodb);
const watched = [stack.topologies[0]!, stack.servers.mongodb!];
const processorMs = async (): Promise<number[]> =>
  (await Promise.all(watched.map(({ pid }) => exactCpuMicrosOf({ name: "", pid: pid() })))).map((one) => one / 1_000);
try {
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  const { organizationId, userId } = await anAccount(stack.url);
  const scope = { organizationId, networks: "all" } as const;
  const principal = { kind: "session", credentialId: newId(), userId, permission: "Owner", scope } as const;
  const db = client.db(stack.databases.topology);
  const { serviceIds } = await seedTopology(db, {
    ...{ organizationId, networks: 1, hostsPerNetwork: SERVICES / ON_HOST, servicesPerHost: ON_HOST },
  });
  await seedDependencies(db, organizationId, DEPENDENCIES);

  row("what", "reached", "median", "slowest", "topology", "database", "answer");
  const other = await anAccount(stack.url);
  await seedTopology(db, {
    ...{
      organizationId: other.organizationId,
      networks: 1,
      hostsPerNetwork: LINKED,
      servicesPerHost: 1,
      addressed: true,
    },
  });
  await seedLinks(db, other.organizationId, { switches: LINKED / 20, rings: LINKED / 50 });
  const owner = { organizationId: other.organizationId, networks: "all" } as const;
  const principals = { own: principal, other: { ...principal, userId: other.userId, scope: owner } } as const;

  interface Asked {
    readonly what: string;
    readonly of?: keyof typeof principals;
    readonly pathOf: (round: number) => string;
    readonly reached: (text: string) => number;
  }

  async function measure({ what, of = "own", pathOf, reached }: Asked): Promise<void> {
    const times: number[] = [];
    const processor = [0, 0];
    let text = "";
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const before = await processorMs();
      const startedAt = performance.now();
      const response = await fetch(`${stack.topologies[0]?.url ?? ""}${pathOf(round + WARM_UP)}`, {
        headers: { "x-tenancy": sign(principals[of]) },
      });
      text = await response.text();
      if (!response.ok) throw new Error(text);
      if (round < 0) continue;
      times.push(performance.now() - startedAt);
      for (const [n, after] of (await processorMs()).entries()) processor[n]! += after - (before[n] ?? 0);
    }
    times.sort((a, b) => a - b);
    const figures = [
      times[Math.floor(times.length / 2)] ?? 0,
      times.at(-1) ?? 0,
      ...processor.map((ms) => ms / ROUNDS),
    ];
    row(what, reached(text), ...figures.map((ms) => ms.toFixed(0)), `${(text.length / 1_024).toFixed(0)} KiB`);
  }

  /** The impact of one service or host after the other. */
  async function impacts(what: string, kind: "services" | "hosts", ids: readonly string[]): Promise<void> {
    for (const direction of ["dependents", "dependencies"])
      for (const depth of [1, 3, 10])
        await measure({
          what: `${what}${direction}, depth ${depth}`,
          pathOf: (round) =>
            `/api/v1/${kind}/${ids[round % ids.length] ?? ""}/impact?direction=${direction}&depth=${depth}&limit=1000`,
          reached: (text) => {
            const { counts } = JSON.parse(text) as Impact;
            return counts.hosts + counts.services + counts.processes;
          },
        });
  }

  await impacts("", "services", serviceIds);
  const switchIds = await seedLinks(db, organizationId, { switches: SERVICES / ON_HOST / 20, rings: 50 });
  await impacts("linked, ", "services", serviceIds);
  await impacts("of a switch, ", "hosts", switchIds);
  for (const layer of ["l3", "l2"])
    await measure({
      ...{ what: `map ${layer}`, of: "other", pathOf: () => `/api/v1/topology?layer=${layer}` },
      reached: (text) => (JSON.parse(text) as { nodes: unknown[] }).nodes.length,
    });
} finally {
  await client.close();
  await stack.stop();
}
