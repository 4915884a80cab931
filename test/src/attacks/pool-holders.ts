import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import {
  createHostWithServices,
  createNetwork,
  closeAll,
  headOf,
  statusesOf,
  tally,
} from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HOSTS = 20;
const HELD_MS = 5_000;
const SEARCHES = 64;

/** Streams, searches and graphs over 20,000 services, and clients that disconnect in the middle of a list. */
export const attack: Attack<Tenant> = {
  name: "150 streams, searches and graphs at once over 20,000 services, of which many are left in the middle",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    await mapConcurrently(HOSTS, 1, (n) => createHostWithServices(tenant, networkId, `host ${n}`, 1_000));
    return tenant;
  },
  run: async (_target, tenant) => {
    const sockets = await tenant.connect(150);
    const paths = [
      "/api/v1/services?limit=0",
      "/api/v1/services?q=ser%20no&limit=1000&order_by=name",
      "/api/v1/topology?format=json",
      "/api/v1/hosts?limit=0",
    ];
    sockets.forEach((socket, n) => {
      socket.write(headOf(`GET ${paths[n % paths.length] ?? ""}`, tenant.keyLine));
    });
    await sleep(HELD_MS / 2);
    closeAll(sockets.filter((_socket, n) => n % 2 === 0));
    const searches = await mapConcurrently(SEARCHES, SEARCHES, () =>
      tenant.send("GET", "/api/v1/services?q=vice%209&limit=1000&order_by=host"),
    );
    await sleep(HELD_MS / 2);
    const got = `streams ${tally(statusesOf(sockets))}; searches ${tally(searches.map(({ status }) => status))}`;
    closeAll(sockets);
    return got;
  },
};
