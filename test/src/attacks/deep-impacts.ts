import { MongoClient } from "mongodb";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { largeInventory } from "../support/attacks/large-inventory.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { seedDependencies } from "../support/seed-dependencies.js";

const LOOKUPS = 100;
const DEPENDENCIES = 50_000;

interface Prepared {
  readonly tenant: Tenant;
  readonly ids: readonly string[];
}

/** Nearly everything hangs on everything, so that each of them follows as much as one may. */
export const attack: Attack<Prepared> = {
  name: "100 times what stops with a service, 10 steps deep among 50,000 dependencies, 16 at a time",
  prepare: async (target) => {
    const tenant = await largeInventory(target);
    const client = new MongoClient(target.stack.servers.urls.mongodb);
    try {
      const db = client.db(target.stack.databases.topology);
      const { organizationId: organization_id } = tenant;
      await seedDependencies(db, organization_id, DEPENDENCIES);
      const services = db.collection<{ _id: string }>("services");
      const found = await services.find({ organization_id }, { projection: { _id: 1 }, limit: LOOKUPS }).toArray();
      return { tenant, ids: found.map(({ _id }) => _id) };
    } finally {
      await client.close();
    }
  },
  run: async (_target, { tenant, ids }) => {
    const responses = await mapConcurrently(LOOKUPS, 16, (n) =>
      tenant.send(
        "GET",
        `/api/v1/services/${ids[n] ?? ""}/impact?limit=1000&direction=${n % 2 ? "dependents" : "dependencies"}`,
      ),
    );
    const got = tally(responses.map(({ status }) => status));
    // An organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 429, 504].includes(status)),
      got,
    );
    return got;
  },
};
