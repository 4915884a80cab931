/**
 * `npm run bench -- impact`: what it takes to tell what stops with a service, in an inventory of SERVICES (5,000) and DEPENDENCIES
 * (20,000), most of which hang together, 10 steps deep. Medians and the slowest of ROUNDS (30), and processor
 * time of topology and the database, in ms; and the size of the answer.
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

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const client = new MongoClient(stack.servers.urls.mongodb);
const watched = [stack.topologies[0]!, stack.servers.mongodb!];
const processorMs = async (): Promise<number> =>
  (await Promise.all(watched.map(({ pid }) => exactCpuMicrosOf({ name: "", pid: pid() })))).reduce((a, b) => a + b, 0) /
  1_000;
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

  row("what", "reached", "median", "slowest", "processor", "answer");
  for (const direction of ["dependents", "dependencies"])
    for (const depth of [1, 3, 10]) {
      const times: number[] = [];
      let bytes = 0;
      let cpu = 0;
      let impact: Impact | undefined;
      for (let round = -5; round < ROUNDS; round++) {
        const id = serviceIds[(round + 5) % serviceIds.length] ?? "";
        const before = await processorMs();
        const startedAt = performance.now();
        const response = await fetch(
          `${stack.topologies[0]?.url ?? ""}/api/v1/services/${id}/impact?direction=${direction}&depth=${depth}&limit=1000`,
          { headers: { "x-tenancy": sign(principal) } },
        );
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        if (round >= 0) {
          times.push(performance.now() - startedAt);
          cpu += (await processorMs()) - before;
        }
        bytes = text.length;
        impact = JSON.parse(text) as Impact;
      }
      times.sort((a, b) => a - b);
      const reached = Object.values(impact?.counts ?? {}).reduce((sum, count) => sum + count, 0);
      const figures = [times[Math.floor(times.length / 2)], times.at(-1), cpu / ROUNDS].map((ms) =>
        (ms ?? 0).toFixed(0),
      );
      row(`${direction}, depth ${depth}`, reached, ...figures, `${(bytes / 1_024).toFixed(0)} KiB`);
    }
} finally {
  await client.close();
  await stack.stop();
}
