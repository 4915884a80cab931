import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const ORGANIZATIONS = 3;
const SERVICES = 500;
const MERGES = 12;

/** Two hosts of an organization. */
interface Pair {
  readonly tenant: Tenant;
  readonly hostId: string;
  readonly otherId: string;
}

/** Each request is small, and joins or moves all that is on two hosts; as it is not kept, it can be repeated. */
export const attack: Attack<readonly Pair[]> = {
  name: `merges of two hosts with ${SERVICES} services each, as dry runs, in ${ORGANIZATIONS} organizations`,
  prepare: async ({ newTenant }) => {
    const pairs: Pair[] = [];
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const tenant = await newTenant();
      const { networkId } = await createNetwork(tenant);
      for (const name of ["host", "other"]) await createHostWithServices(tenant, networkId, name, SERVICES);
      const hosts = await tenant.data<{ id: string }[]>("GET", "/api/v1/hosts?limit=0");
      pairs.push({ tenant, hostId: hosts[0]?.id ?? "", otherId: hosts[1]?.id ?? "" });
    }
    return pairs;
  },
  run: async (_target, pairs) => {
    const statuses = await mapConcurrently(pairs.length * MERGES, pairs.length, async (n) => {
      const { tenant, hostId, otherId } = pairs[n % pairs.length]!;
      const path = `/api/v1/hosts/${hostId}/merge?dry_run=true`;
      return (await tenant.send("POST", path, { host_id: otherId })).status;
    });
    return tally(statuses);
  },
};
