import type { Attack, Tenant } from "../support/attacks/attack.js";
import { alongside, createNetworks, expectThat, summaryOf } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const NETWORKS = 1_000;
const KEYS = 200;
const LISTS = 64;
/** As many as the gateway forwards for a user. */
const AT_A_TIME = 32;
/** Of the slowest of another organization's requests to identity. */
const ANSWERED_MS = 500;

interface Prepared {
  readonly tenant: Tenant;
  readonly other: Tenant;
}

/** Each row of the list takes 40 KB, because it names all networks of its key. */
export const attack: Attack<Prepared> = {
  name: `${LISTS} lists, ${AT_A_TIME} at a time, of ${KEYS} keys with ${NETWORKS} networks each, alongside a user of identity`,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const other = await target.newTenant();
    const network_ids = await createNetworks(tenant, NETWORKS);
    await mapConcurrently(KEYS, 8, () => tenant.newKey({ network_ids }));
    return { tenant, other };
  },
  run: async (_target, { tenant, other }) => {
    const listing = mapConcurrently(LISTS, AT_A_TIME, () =>
      tenant.sendBySession("GET", "/api/v1/auth/keys?limit=1000"),
    );
    const [lists, own] = await alongside(listing, () => other.send("GET", "/api/v1/auth/whoami"));
    const { statuses, slowestMs } = summaryOf(own);
    const got = `${summaryOf(lists).statuses}; whoami of another organization ${statuses}, slowest ${slowestMs.toFixed(0)} ms`;
    expectThat(own.every(({ status }) => status === 200) && slowestMs < ANSWERED_MS, got);
    return got;
  },
};
