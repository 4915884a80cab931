import { MongoClient } from "mongodb";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { seedLinks } from "../support/seed-links.js";
import { seedTopology } from "../support/seed.js";

const HOSTS = 5_000;
const SWITCHES = 500;
const RINGS = 15_000;
const READS = 120;

interface Prepared {
  readonly tenant: Tenant;
  readonly switchIds: readonly string[];
}

/** The map of links, what a switch cuts off, and what it hangs on: each reads nearly all links. */
export const attack: Attack<Prepared> = {
  name: "120 reads of a graph with 20,000 links: its map, what switches cut off, and on what they hang, 16 at a time",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { organizationId } = tenant;
    const client = new MongoClient(target.stack.servers.urls.mongodb);
    try {
      const db = client.db(target.stack.databases.topology);
      await seedTopology(db, { organizationId, networks: 1, hostsPerNetwork: HOSTS, servicesPerHost: 1 });
      return { tenant, switchIds: await seedLinks(db, organizationId, { switches: SWITCHES, rings: RINGS }) };
    } finally {
      await client.close();
    }
  },
  run: async (_target, { tenant, switchIds }) => {
    const pathOf = (n: number): string => {
      const impact = `/api/v1/hosts/${switchIds[n % SWITCHES] ?? ""}/impact?limit=1000&direction=`;
      const paths = ["/api/v1/topology?layer=l2", `${impact}dependents`, `${impact}dependencies`];
      return paths[n % paths.length] ?? "";
    };
    const responses = await mapConcurrently(READS, 16, (n) => tenant.send("GET", pathOf(n)));
    const got = tally(responses.map(({ status }) => status));
    // An organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 429, 504].includes(status)) &&
        responses.some(({ status }) => status === 200),
      got,
    );
    return got;
  },
};
