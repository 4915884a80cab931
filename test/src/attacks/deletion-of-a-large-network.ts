import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HOSTS = 68;
const SERVICES = 500;
const RESPONSE_MS = 1_000;

interface Large {
  readonly tenant: Tenant;
  readonly networkId: string;
}

export const attack: Attack<Large> = {
  name: "deletion of a network of 68 hosts with 500 ports, services and bindings each",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    await mapConcurrently(HOSTS, 1, (n) => createHostWithServices(tenant, networkId, `host ${n}`, SERVICES));
    return { tenant, networkId };
  },
  run: async (_target, { tenant, networkId }) => {
    const { status, code, tookMs } = await tenant.send("DELETE", `/api/v1/networks/${networkId}`);
    const took = `${status} ${code} after ${tookMs.toFixed(0)} ms`;
    expectThat(status === 200 && tookMs < RESPONSE_MS, `the deletion got ${took}`);
    for (const resource of ["networks", "subnets", "hosts", "ports", "services", "bindings"]) {
      const { text } = await tenant.send("GET", `/api/v1/${resource}?limit=1`);
      const { meta } = JSON.parse(text) as { meta: { pagination: { total_count: number } } };
      expectThat(meta.pagination.total_count === 0, `${meta.pagination.total_count} ${resource} are still counted`);
    }
    return took;
  },
};
