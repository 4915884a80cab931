import { type Db, MongoClient } from "mongodb";
import { newId } from "@nts/shared/ids";
import { tagKind } from "@nts/topology/kinds/tag";
import { DEFAULT_QUOTAS } from "@nts/topology/storage/quota";
import { createStorage } from "@nts/topology/storage/storage";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { seedTopology } from "../support/seed.js";

const BATCH = 500;
const REQUESTS = 400;
const PATHS = [
  "hosts?limit=1",
  "services?limit=1",
  "stats",
  "networks?limit=1000&order_by=name",
  "tags?limit=1000",
  "networks?limit=0",
  "exports/hosts",
  "topology",
];

/** Totals are sums over all networks, and names of networks and tags are read completely. */
export const attack: Attack<Tenant> = {
  name: `${REQUESTS} lists, counts, exports and creates where there are as many networks and tags as an organization may have, 32 at a time`,
  prepare: async ({ stack, newTenant }) => {
    const tenant = await newTenant();
    const client = new MongoClient(stack.servers.urls.mongodb);
    try {
      const db = client.db(stack.databases.topology);
      const { organizationId } = tenant;
      const { networks } = DEFAULT_QUOTAS;
      await seedTopology(db, { organizationId, networks, hostsPerNetwork: 1, servicesPerHost: 1 });
      await seedTags(db, organizationId);
    } finally {
      await client.close();
    }
    return tenant;
  },
  run: async (_target, tenant) => {
    for (const path of PATHS) {
      const { status, text } = await tenant.send("GET", `/api/v1/${path}`);
      expectThat(status === 200, `${path}: ${status} ${text.slice(0, 200)}`);
    }
    const responses = await mapConcurrently(REQUESTS, 32, (n) =>
      n % 9 === 8
        ? tenant.send("POST", "/api/v1/networks", { name: `late ${n}` })
        : tenant.send("GET", `/api/v1/${PATHS[n % PATHS.length]}`),
    );
    const got = tally(responses.map(({ status }) => status));
    // One network more is rejected, and an organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 403, 429, 503, 504].includes(status)),
      got,
    );
    return got;
  },
};

async function seedTags(db: Db, organization_id: string): Promise<void> {
  const { tags, guards } = createStorage(db, () => Promise.reject(new Error("nothing runs in a transaction here")));
  const at = new Date().toISOString();
  for (let from = 0; from < DEFAULT_QUOTAS.tags; from += BATCH) {
    const some = Array.from({ length: BATCH }, (_, n) =>
      tagKind.make({ name: `tag ${from + n}` }, { id: newId(), created_at: at, updated_at: at, organization_id }),
    );
    const documents = some.map((entity) => tags.documentOf(organization_id, { entity, revision: 1 }));
    await tags.collection.insertMany(documents);
    const targets = some.map(({ id: target }) => ({
      target,
      kind: "tag" as const,
      organization_id,
      network_id: null,
    }));
    await db.client.withSession((session) => guards.create(session, targets));
  }
}
