import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, closeAll, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HELD_MS = 8_000;
const HOSTS = 40;
const SERVICES = 1_000;
const UNREAD = 100;
const MORE = 10;
/** The maximum number of streams of an organization. */
const AT_A_TIME = 4;
const FORMATS = ["drawio", "ansible", "csv?resource=services"];

/** A drawing of 25 MB does not fit into the socket buffers. */
export const attack: Attack<Tenant> = {
  name: "100 unread exports of 40,000 services, and more",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId: network_id } = await createNetwork(tenant);
    const services = Array.from({ length: SERVICES }, (_, n) => ({
      name: `${n} ${"&".repeat(90)}`,
      service_definition: "nginx",
    }));
    await mapConcurrently(HOSTS, 2, (n) =>
      tenant.data("POST", "/api/v1/hosts", { network_id, name: `host ${n}`, services }),
    );
    return tenant;
  },
  run: async (_target, tenant) => {
    const unread = await tenant.connect(UNREAD, { reads: false });
    for (const [n, socket] of unread.entries())
      socket.write(headOf(`GET /api/v1/exports/${FORMATS[n % FORMATS.length]}`, tenant.keyLine));
    await sleep(HELD_MS);
    const more = await tenant.connect(MORE);
    for (const socket of more) socket.write(headOf("GET /api/v1/exports/drawio", tenant.keyLine));
    await Promise.all(more.map((socket) => socket.receives(/^HTTP\/1\.1 \d/)));
    const statuses = statusesOf(more);
    closeAll([...unread, ...more]);
    const got = `${UNREAD} unread, then ${tally(statuses)}`;
    // Those that fit into the socket buffers have ended, and released their slots.
    expectThat(statuses.filter((status) => status === 429).length >= MORE - AT_A_TIME, got);
    return got;
  },
};
