import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetworks, readWith, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const NETWORKS = 1_000;
const KEYS = 1_000;
const AT_A_TIME = 8;

interface Prepared {
  readonly tenant: Tenant;
  readonly keys: readonly string[];
}

/** Every process that is asked with a key may remember what it may access. */
export const attack: Attack<Prepared> = {
  name: `${KEYS} keys, each restricted to ${NETWORKS} networks, used once at both services`,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const network_ids = await createNetworks(tenant, NETWORKS);
    const keys = await mapConcurrently(KEYS - 1, AT_A_TIME, () => tenant.newKey({ network_ids }));
    return { tenant, keys };
  },
  run: async (_target, { tenant, keys }) => {
    const statuses = await mapConcurrently(keys.length, AT_A_TIME, async (n) => {
      const { status } = await readWith(keys[n] ?? "", tenant, "/api/v1/networks?limit=1");
      return [status, (await readWith(keys[n] ?? "", tenant, "/api/v1/auth/whoami")).status];
    });
    return tally(statuses.flat());
  },
};
