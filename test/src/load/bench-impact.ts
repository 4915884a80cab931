/**
 * `npm run bench -- impact`: what it takes to tell what stops with a service, in an inventory of SERVICES (5,000) and DEPENDENCIES
 * (20,000), most of which hang together, 10 steps deep. Medians and the slowest of ROUNDS (30), and processor
 * time of topology and of the database, in ms; and the size of the answer.
 */
import { MongoClient } from "mongodb";
import type { Impact } from "@nts/shared/contract";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { seedDependencies } from "../support/seed-dependencies.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { exactCpuMicrosOf } from "./measure.js";
import { row } from "./work.js";

const SERVICES = Number(process.env["SERVICES"] ?? 5_000);
const DEPENDENCIES = Number(process.env["DEPENDENCIES"] ?? 20_000);
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
  /** Asks for the impact of one service after the other. */
  async function measure(direction: string, depth: number): Promise<void> {
    const times: number[] = [];
    const processor = [0, 0];
    let text = "";
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const id = serviceIds[(round + WARM_UP) % serviceIds.length] ?? "";
      const query = `direction=${direction}&depth=${depth}&limit=1000`;
      const before = await processorMs();
      const startedAt = performance.now();
      const response = await fetch(`${stack.topologies[0]?.url ?? ""}/api/v1/services/${id}/impact?${query}`, {
        headers: { "x-tenancy": sign(principal) },
      });
      text = await response.text();
      if (!response.ok) throw new Error(text);
      if (round < 0) continue;
      times.push(performance.now() - startedAt);
      for (const [n, after] of (await processorMs()).entries()) processor[n]! += after - (before[n] ?? 0);
    }
    times.sort((a, b) => a - b);
    const { counts } = JSON.parse(text) as Impact;
    const reached = counts.hosts + counts.services + counts.processes;
    const figures = [
      times[Math.floor(times.length / 2)] ?? 0,
      times.at(-1) ?? 0,
      ...processor.map((ms) => ms / ROUNDS),
    ];
    const size = `${(text.length / 1_024).toFixed(0)} KiB`;
    row(`${direction}, depth ${depth}`, reached, ...figures.map((ms) => ms.toFixed(0)), size);
  }

  for (const direction of ["dependents", "dependencies"])
    for (const depth of [1, 3, 10]) await measure(direction, depth);
} finally {
  await client.close();
  await stack.stop();
}
