import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const NETWORKS = 2;
const HOSTS = 3;
const SERVICES = 500;
const READS = 60;
/** The maximum number of streams of an organization; a rejected one is retried. */
const AT_A_TIME = 6;
const TRIES = 100;
const PAUSE_MS = 50;
const PATHS = ["services?limit=0", "hosts?limit=0", "services?order_by=host&q=service", "topology?format=dot"];

/** Each reconstructs what was deleted since, or omits what was created since. */
export const attack: Attack<Tenant> = {
  name: "60 lists and topologies as of before and behind a large deletion, 6 at a time, each until it is answered",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    for (let network = 0; network < NETWORKS; network++) {
      const { networkId } = await createNetwork(tenant);
      for (let n = 0; n < HOSTS; n++) await createHostWithServices(tenant, networkId, `host ${n}`, SERVICES);
      if (network === 0) await tenant.send("DELETE", `/api/v1/networks/${networkId}`);
    }
    return tenant;
  },
  run: async (_target, tenant) => {
    const first = await tenant.send(
      "GET",
      "/api/v1/changes?order_direction=desc&limit=1&action=created&entity=Network",
    );
    const { cursor } = (JSON.parse(first.text) as { data: [{ cursor: string }] }).data[0];
    const moments = [cursor, "2020-01-01T00:00:00Z"];
    const responses = await mapConcurrently(READS, AT_A_TIME, async (n) => {
      const path = `/api/v1/${PATHS[n % PATHS.length] ?? ""}&as_of=${moments[n % 3 === 0 ? 1 : 0] ?? ""}`;
      let status = 429;
      for (let tried = 0; status === 429 && tried < TRIES; tried++) {
        if (tried > 0) await sleep(PAUSE_MS);
        ({ status } = await tenant.send("GET", path));
      }
      return status;
    });
    const got = tally(responses);
    // The journal may be behind after many changes.
    expectThat(
      responses.every((status) => [200, 429, 503].includes(status)),
      got,
    );
    return got;
  },
};
