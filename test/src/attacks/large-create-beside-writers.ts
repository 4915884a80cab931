import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat, tally } from "../support/attacks/parts.js";

const WRITERS = 12;
const CREATES = 5;
const RESPONSE_MS = 2_000;
/** The maximum number of interfaces, ports and services of a host. */
const MAX_CHILDREN = 1_000;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkId: string;
  readonly subnetId: string;
  readonly hostIds: readonly string[];
}

/** Writers of one subnet, each on a host of its own, and large transactions that reference the same subnet. */
export const attack: Attack<Prepared> = {
  name: "hosts with 50 interfaces, and one of the largest, alongside 12 writers of interfaces in the same subnet",
  topologies: 2,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const made = await createNetwork(tenant);
    const hostIds: string[] = [];
    for (let n = 0; n < WRITERS; n++) {
      const host = { network_id: made.networkId, name: `host ${n}` };
      hostIds.push((await tenant.data("POST", "/api/v1/hosts", host)).id);
    }
    return { tenant, ...made, hostIds };
  },
  run: async (_target, { tenant, networkId, subnetId, hostIds }) => {
    let isOver = false;
    const statuses: number[] = [];
    const write = async (hostId: string, at: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const place = { network_id: networkId, host_id: hostId, subnet_id: subnetId };
        const made = await tenant.send("POST", "/api/v1/interfaces", {
          ...place,
          ip_address: `10.1.${at}.${(n % 250) + 1}`,
        });
        statuses.push(made.status);
        if (made.status !== 200) continue;
        const { data } = JSON.parse(made.text) as { data: { id: string } };
        statuses.push((await tenant.send("DELETE", `/api/v1/interfaces/${data.id}`)).status);
      }
    };
    const writing = hostIds.map(write);
    const creates: number[] = [];
    let slowest = 0;
    const slow: string[] = [];
    const create = async (body: object): Promise<void> => {
      const { status, tookMs } = await tenant.send("POST", "/api/v1/hosts", body);
      creates.push(status);
      slowest = Math.max(slowest, tookMs);
      if (status !== 200 || tookMs > RESPONSE_MS) slow.push(`${status} after ${tookMs.toFixed(0)} ms`);
    };
    for (let n = 0; n < CREATES; n++) {
      const interfaces = Array.from({ length: 50 }, (_, i) => ({
        ip_address: `10.2.${n}.${i + 1}`,
        subnet_id: subnetId,
      }));
      await create({ network_id: networkId, name: `large ${n}`, interfaces });
    }
    await create(aLargestHost(networkId, subnetId));
    isOver = true;
    await Promise.all(writing);
    const got = `creates ${tally(creates)}, the slowest ${slowest.toFixed(0)} ms; writers ${tally(statuses)}`;
    expectThat(slow.length === 0, `large creates: ${slow.join(", ")}; writers ${tally(statuses)}`);
    expectThat(
      statuses.every((status) => status === 200),
      got,
    );
    return got;
  },
};

/** A host with the maximum number of interfaces, ports and services, each service bound to a port. */
function aLargestHost(networkId: string, subnetId: string): object {
  const numbers = Array.from({ length: MAX_CHILDREN }, (_, n) => n);
  const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  return {
    network_id: networkId,
    name: "largest",
    interfaces: numbers.map((n) => ({
      ip_address: `10.3.${Math.floor(n / 250)}.${(n % 250) + 1}`,
      subnet_id: subnetId,
    })),
    ports: numbers.map((n) => ({ id: idOf(n), number: n + 1, protocol: "Tcp" })),
    services: numbers.map((n) => ({
      name: `service ${n}`,
      service_definition: "nginx",
      bindings: [{ type: "Port", port_id: idOf(n) }],
    })),
  };
}
