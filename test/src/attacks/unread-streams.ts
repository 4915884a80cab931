import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, closeAll, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const TENANTS = 5;
/** The maximum per user. */
const STREAMS = 10;
const MORE = 5;
const WRITES = 60;

interface Attacker {
  readonly tenant: Tenant;
  readonly service: { readonly id: string };
}

/** Each change contains 16 KB before and 16 KB after. */
export const attack: Attack<readonly Attacker[]> = {
  name: "unread streams of large changes, as many as users may have and more",
  prepare: async (target) => {
    const attackers: Attacker[] = [];
    for (let n = 0; n < TENANTS; n++) {
      const tenant = await target.newTenant();
      const { networkId: network_id } = await createNetwork(tenant);
      const { id: host_id } = await tenant.data("POST", "/api/v1/hosts", { network_id, name: "told" });
      const service = await tenant.data("POST", "/api/v1/services", {
        ...{ network_id, host_id, name: "told", service_definition: "nginx" },
        virtualization: { type: "vm", details: { text: "x".repeat(16_000) } },
      });
      attackers.push({ tenant, service });
    }
    return attackers;
  },
  run: async (_target, attackers) => {
    // The second time, each stream begins with everything that the first one wrote.
    const got = [await streamAndWrite(attackers), await streamAndWrite(attackers)];
    return got.join("; again: ");
  },
};

async function streamAndWrite(attackers: readonly Attacker[]): Promise<string> {
  const opened = await Promise.all(attackers.map(({ tenant }) => openStreams(tenant)));
  await Promise.all(
    attackers.map(async ({ tenant, service }) => {
      for (let n = 0; n < WRITES; n++)
        await tenant.data("PUT", `/api/v1/services/${service.id}`, { ...service, name: `told ${n}` });
    }),
  );
  const statuses = opened.flatMap(({ more }) => statusesOf(more));
  closeAll(opened.flatMap(({ unread, more }) => [...unread, ...more]));
  const got = `${TENANTS * STREAMS} streams, then ${tally(statuses)}; ${TENANTS * WRITES} changes`;
  expectThat(
    statuses.every((status) => status === 429),
    got,
  );
  return got;
}

async function openStreams(tenant: Tenant) {
  const head = headOf("GET /api/v1/changes/stream", tenant.keyLine);
  const unread = await tenant.connect(STREAMS, { reads: false });
  for (const socket of unread) socket.write(head);
  // Its response shows that those before it have begun.
  await tenant.send("GET", "/api/v1/networks");
  const more = await tenant.connect(MORE);
  for (const socket of more) socket.write(head);
  await Promise.all(more.map((socket) => socket.receives(/^HTTP\/1\.1 \d/)));
  return { unread, more };
}
