import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HOSTS = 20;
const SERVICES = 500;
const RESPONSE_MS = 1_000;

interface Tagged {
  readonly tenant: Tenant;
  readonly tagId: string;
}

export const attack: Attack<Tagged> = {
  name: "deletion of a tag that 10,000 services carry",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const { id: tagId } = await tenant.data("POST", "/api/v1/tags", { name: "common" });
    const service = { name: "service", service_definition: "nginx", tags: [tagId] };
    const host = { network_id: networkId, name: "host", services: Array.from({ length: SERVICES }, () => service) };
    await mapConcurrently(HOSTS, 1, () => tenant.data("POST", "/api/v1/hosts", host));
    return { tenant, tagId };
  },
  run: async (_target, { tenant, tagId }) => {
    const { status, code, tookMs } = await tenant.send("DELETE", `/api/v1/tags/${tagId}`);
    const took = `${status} ${code} after ${tookMs.toFixed(0)} ms`;
    expectThat(status === 200 && tookMs < RESPONSE_MS, `the deletion got ${took}`);
    const { text } = await tenant.send("GET", "/api/v1/services?limit=1000");
    expectThat(!text.includes(tagId), "services are still answered with the tag");
    return took;
  },
};
