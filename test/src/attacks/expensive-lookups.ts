import { MongoClient } from "mongodb";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, inTurns, tally } from "../support/attacks/parts.js";
import { seedTopology } from "../support/seed.js";

/** Just as many as one search by port looks up. */
const HOSTS = 1_000;
const SERVICES_PER_HOST = 36;
const LOOKUPS = 200;
const PATHS = [
  "services?q=:1",
  "hosts?q=:1",
  "services?q=443/tcp",
  "reports/gone?days=0",
  "stats",
  "services?missed=true",
];

/** What is read is not what is answered; everything is missed for long. */
export const attack: Attack<Tenant> = {
  name: "200 searches by port, reports of what is gone and counts of 36,000 services, 32 at a time",
  cheap: false,
  prepare: async ({ stack, newTenant }) => {
    const tenant = await newTenant();
    const client = new MongoClient(stack.servers.urls.mongodb);
    try {
      const db = client.db(stack.databases.topology);
      const { organizationId } = tenant;
      const size = { networks: 1, hostsPerNetwork: HOSTS, servicesPerHost: SERVICES_PER_HOST, bound: true };
      await seedTopology(db, { organizationId, ...size });
      const missed = { $set: { sighted: true, missed: Date.UTC(2026, 0, 1) } };
      for (const kind of ["hosts", "ports", "services"])
        await db.collection(kind).updateMany({ organization_id: organizationId }, missed);
    } finally {
      await client.close();
    }
    return tenant;
  },
  run: async (_target, tenant) => {
    const answers = await inTurns(LOOKUPS, 32, (n) => tenant.send("GET", `/api/v1/${PATHS[n % PATHS.length]}`));
    const got = tally(answers.map(({ status }) => status));
    // Whoever asks for more than their share waits for themselves.
    expectThat(
      answers.every(({ status }) => [200, 429, 504].includes(status)),
      got,
    );
    return got;
  },
};
