import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const ORGANIZATIONS = 3;
const HOSTS = 16;
const AT_A_TIME = 2;
const SERVICES = 300;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkId: string;
}

/** One process records the changes of all organizations in the journal. */
export const attack: Attack<readonly Prepared[]> = {
  name: `${HOSTS} hosts of ${SERVICES} ports and services in each of ${ORGANIZATIONS} organizations, ${AT_A_TIME} at a time`,
  prepare: ({ newTenant }) =>
    mapConcurrently(ORGANIZATIONS, 1, async () => {
      const tenant = await newTenant();
      return { tenant, networkId: (await createNetwork(tenant)).networkId };
    }),
  run: async (_target, all) => {
    const startedAt = performance.now();
    await mapConcurrently(ORGANIZATIONS * HOSTS, ORGANIZATIONS * AT_A_TIME, async (n) => {
      const { tenant, networkId } = all[n % ORGANIZATIONS]!;
      await createHostWithServices(tenant, networkId, `host ${n}`, SERVICES);
    });
    const changes = ORGANIZATIONS * HOSTS * (2 * SERVICES + 1);
    return `${changes} changes within ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  },
};
