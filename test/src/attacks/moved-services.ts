import { MERGE_PATCH_TYPE } from "@nts/shared/contract/upload";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const ORGANIZATIONS = 3;
const HOSTS = 2;
const SERVICES = 500;
const CHANGES = 12;

interface FullHost {
  readonly tenant: Tenant;
  readonly id: string;
  /** The service at the beginning of its list. */
  readonly serviceId: string;
}

/** Each request is small, and changes all services of a host. */
export const attack: Attack<readonly FullHost[]> = {
  name: `services moved from one end of ${SERVICES} to the other, and their host renamed, on ${HOSTS} hosts in each of ${ORGANIZATIONS} organizations`,
  prepare: async ({ newTenant }) => {
    const all: FullHost[] = [];
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const tenant = await newTenant();
      const { networkId } = await createNetwork(tenant);
      for (let host = 0; host < HOSTS; host++)
        await createHostWithServices(tenant, networkId, `host ${host}`, SERVICES);
      const hosts = await tenant.data<{ id: string; services: { id: string }[] }[]>("GET", "/api/v1/hosts?limit=0");
      all.push(...hosts.map(({ id, services }) => ({ tenant, id, serviceId: services[0]?.id ?? "" })));
    }
    return all;
  },
  run: async (_target, all) => {
    const headers = { "content-type": MERGE_PATCH_TYPE };
    const statuses = await mapConcurrently(all.length * CHANGES, all.length, async (n) => {
      const { tenant, id, serviceId } = all[n % all.length]!;
      const turn = Math.floor(n / all.length);
      const [path, body] =
        turn % 3 === 2
          ? [`/api/v1/hosts/${id}`, { name: `host ${turn}` }]
          : [`/api/v1/services/${serviceId}`, { position: turn % 3 === 0 ? SERVICES - 1 : 0 }];
      return (await tenant.send("PATCH", path, body, headers)).status;
    });
    return tally(statuses);
  },
};
