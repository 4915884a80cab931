import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const WRITERS = 12;
const DELETED = 200;
const RESPONSE_MS = 2_000;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkId: string;
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

export const attack: Attack<Prepared> = {
  name: "deletion of 200 hosts at once alongside 12 writers of ports in the same network",
  topologies: 2,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const ids = await mapConcurrently(WRITERS + DELETED, 4, async (n) => {
      const ports = [{ number: 1, protocol: "Tcp" }];
      return (await tenant.data("POST", "/api/v1/hosts", { network_id: networkId, name: `host ${n}`, ports })).id;
    });
    return { tenant, networkId, written: ids.slice(0, WRITERS), deleted: ids.slice(WRITERS) };
  },
  run: async (_target, { tenant, networkId, written, deleted }) => {
    let isOver = false;
    const statuses: number[] = [];
    const write = async (hostId: string): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const body = { network_id: networkId, host_id: hostId, number: 100 + (n % 800), protocol: "Tcp" };
        const made = await tenant.send("POST", "/api/v1/ports", body);
        statuses.push(made.status);
        if (made.status !== 200) continue;
        const { data } = JSON.parse(made.text) as { data: { id: string } };
        statuses.push((await tenant.send("DELETE", `/api/v1/ports/${data.id}`)).status);
      }
    };
    const writing = written.map(write);
    const { status, code, tookMs } = await tenant.send("POST", "/api/v1/hosts/bulk-delete", deleted);
    isOver = true;
    await Promise.all(writing);
    const got = `deletion ${status} ${code} after ${tookMs.toFixed(0)} ms; writers ${tally(statuses)}`;
    expectThat(status === 200 && tookMs < RESPONSE_MS && statuses.every((one) => one === 200), got);
    return got;
  },
};
