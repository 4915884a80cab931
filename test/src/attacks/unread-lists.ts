import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, closeAll, headOf } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HELD_MS = 8_000;
const HOSTS = 20;
const SERVICES = 60;
const DETAILS = { text: "x".repeat(15_000) };

/** A list of 18 MB does not fit into the socket buffers. */
export const attack: Attack<Tenant> = {
  name: "200 readers of a list of 18 MB that read nothing",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const service = { name: "large", service_definition: "nginx", virtualization: { type: "vm", details: DETAILS } };
    await mapConcurrently(HOSTS, 2, (n) => {
      const services = Array.from({ length: SERVICES }, () => service);
      return tenant.data("POST", "/api/v1/hosts", { network_id: networkId, name: `host ${n}`, services });
    });
    return tenant;
  },
  run: async (_target, tenant) => {
    const sockets = await tenant.connect(200, { reads: false });
    for (const socket of sockets) socket.write(headOf("GET /api/v1/services?limit=0", tenant.keyLine));
    await sleep(HELD_MS);
    closeAll(sockets);
    return "nothing that it read";
  },
};
