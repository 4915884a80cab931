import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const ROUNDS = 4;
const SERVICES = 500;
const DIFFS = 200;

/** Each reads all changes of the organization. */
export const attack: Attack<Tenant> = {
  name: "200 diffs of everything that has ever happened, 32 at a time",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    for (let n = 0; n < ROUNDS; n++) await createHostWithServices(tenant, networkId, `host ${n}`, SERVICES);
    return tenant;
  },
  run: async (_target, tenant) => {
    const path = "/api/v1/changes/diff?from=2020-01-01T00:00:00Z";
    const responses = await mapConcurrently(DIFFS, 32, (n) =>
      tenant.send("GET", path + (n % 2 === 0 ? "" : "&format=markdown")),
    );
    const got = tally(responses.map(({ status }) => status));
    expectThat(
      responses.every(({ status }) => status === 200 || status === 429),
      got,
    );
    return got;
  },
};
