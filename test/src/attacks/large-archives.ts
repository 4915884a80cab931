import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { AttackResponse, Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { seedTopology } from "../support/seed.js";

const SIZE = { networks: 1, hostsPerNetwork: 2_000, servicesPerHost: 5, bound: true, addressed: true } as const;
const PATH = "/api/v1/organizations/archive";
const NDJSON = { "content-type": "application/x-ndjson" };

interface Prepared {
  readonly tenant: Tenant;
  readonly archive: string;
}

const MAX_ATTEMPTS = 20;

/** An organization may have two archives in progress: a third one is retried. */
async function retryUntilAccepted(send: () => Promise<AttackResponse>): Promise<AttackResponse> {
  for (let attempt = 1; ; attempt++) {
    const response = await send();
    if (response.status !== 429 || attempt === MAX_ATTEMPTS) return response;
    await sleep(1_000);
  }
}

/** The archive of one organization is imported into another one: six concurrent dry runs, then for real. */
export const attack: Attack<Prepared> = {
  name: "archives of 36,000 entities: six downloads, six dry runs and an import at a time",
  prepare: async ({ stack, newTenant }) => {
    const source = await newTenant();
    const tenant = await newTenant();
    const client = new MongoClient(stack.servers.urls.mongodb);
    try {
      await seedTopology(client.db(stack.databases.topology), { organizationId: source.organizationId, ...SIZE });
    } finally {
      await client.close();
    }
    const { status, text } = await source.send("GET", PATH);
    expectThat(status === 200, `the archive got ${status}`);
    return { tenant, archive: text };
  },
  run: async (_target, { tenant, archive }) => {
    const imported = retryUntilAccepted(() => tenant.send("POST", PATH, archive, NDJSON));
    const others = Array.from({ length: 6 }, () => [
      tenant.send("POST", `${PATH}?dry_run=true`, archive, NDJSON),
      tenant.send("GET", PATH),
    ]).flat();
    const responses = await Promise.all([imported, ...others]);
    const got = tally(responses.map(({ status }) => status));
    // An organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 429, 503].includes(status)),
      got,
    );
    expectThat((await imported).status === 200, `the import got ${(await imported).status}`);
    return got;
  },
};
