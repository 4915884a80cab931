import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { scanOfServices } from "../support/imports.js";

const HOSTS = 3_000;
const WRITERS = 4;
const RESPONSE_MS = 2_000;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkIds: readonly string[];
}

/** Scans of two networks, and writers of hosts in one of them, who are not held up. */
export const attack: Attack<Prepared> = {
  name: "imports of 3,000 hosts with three services each into two networks, alongside 4 writers of hosts in one of them",
  topologies: 2,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const networks = [await createNetwork(tenant), await createNetwork(tenant)];
    return { tenant, networkIds: networks.map(({ networkId }) => networkId) };
  },
  run: async (_target, { tenant, networkIds }) => {
    let isOver = false;
    const statuses: number[] = [];
    let slowest = 0;
    const write = async (at: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const host = { network_id: networkIds[0], name: `host ${at} ${n}` };
        const made = await tenant.send("POST", "/api/v1/hosts", host);
        statuses.push(made.status);
        slowest = Math.max(slowest, made.tookMs);
        if (made.status !== 200) continue;
        const { data } = JSON.parse(made.text) as { data: { id: string } };
        statuses.push((await tenant.send("DELETE", `/api/v1/hosts/${data.id}`)).status);
      }
    };
    const writing = Array.from({ length: WRITERS }, (_, at) => write(at));
    const file = scanOfServices(HOSTS);
    const imported = await Promise.all(networkIds.map((id) => importedInto(tenant, id, file)));
    isOver = true;
    await Promise.all(writing);
    const got = `imported ${imported.join(" and ")}; writers ${tally(statuses)}, the slowest ${slowest.toFixed(0)} ms`;
    expectThat(
      imported.every((count) => count === HOSTS),
      got,
    );
    expectThat(statuses.every((status) => status === 200) && slowest < RESPONSE_MS, got);
    return got;
  },
};

/** Imports a file as a job. @returns the number of created hosts */
async function importedInto(tenant: Tenant, networkId: string, file: string): Promise<number> {
  const headers = { "content-type": "application/xml", prefer: "respond-async" };
  const path = `/api/v1/imports/nmap?network_id=${networkId}`;
  const { status, text } = await tenant.send("POST", path, file, headers);
  if (status !== 202) return -status;
  const { id } = (JSON.parse(text) as { data: { id: string } }).data;
  for (;;) {
    const job = await tenant.data<Job>("GET", `/api/v1/imports/jobs/${id}?wait=5`);
    if (job.ended_at !== null) return job.plan?.summary.hosts.create ?? -1;
  }
}

interface Job {
  readonly ended_at: string | null;
  readonly plan: { readonly summary: { readonly hosts: { readonly create: number } } } | null;
}
