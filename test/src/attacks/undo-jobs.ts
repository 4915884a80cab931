import type { Attack, AttackResponse, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { scanOfServices } from "../support/imports.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HOSTS = 3_000;
const UNDOS = 120;
/** Which run at the same time. */
const MOST_RUNNING = 2;

interface Prepared {
  readonly tenant: Tenant;
  readonly request: string;
}

/** Each checks everything that the import has made; every third one is ended at once. */
export const attack: Attack<Prepared> = {
  name: `${UNDOS} dry runs, as jobs, of the undo of an import of 3,000 hosts, 16 at a time, some of which are cancelled`,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const headers = { "content-type": "application/xml", prefer: "respond-async" };
    const path = `/api/v1/imports/nmap?network_id=${networkId}`;
    const { text } = await tenant.send("POST", path, scanOfServices(HOSTS), headers);
    const { id, request_id } = (JSON.parse(text) as { data: { id: string; request_id: string } }).data;
    await endOf(tenant, `/api/v1/imports/jobs/${id}`);
    return { tenant, request: request_id };
  },
  run: async (_target, { tenant, request }) => {
    const started: string[] = [];
    const undo = (): Promise<AttackResponse> =>
      tenant.send("POST", "/api/v1/changes/revert?dry_run=true", { request_id: request }, { prefer: "respond-async" });
    const tried = await mapConcurrently(UNDOS, 16, async (n) => {
      const response = await undo();
      if (response.status !== 202) return response;
      const { id } = (JSON.parse(response.text) as { data: { id: string } }).data;
      started.push(id);
      if (n % 3 === 0) await tenant.data("DELETE", `/api/v1/changes/reverts/${id}`);
      else await tenant.data("GET", "/api/v1/changes/reverts");
      return response;
    });
    const states = await Promise.all(started.map((id) => endOf(tenant, `/api/v1/changes/reverts/${id}`)));
    const got = `${tally(tried.map(({ status }) => status))}; jobs ${[...new Set(states)].sort().join(", ")}`;
    expectThat(started.length >= MOST_RUNNING && tried.every(({ status }) => [202, 429, 503].includes(status)), got);
    expectThat(
      states.every((state) => state === "done" || state === "cancelled"),
      got,
    );
    const hosts = await tenant.send("GET", "/api/v1/hosts?limit=1");
    expectThat(hosts.text.includes(`"total_count":${HOSTS}`), "a dry run has changed something");
    return got;
  },
};

/** @returns the state in which a job has ended */
async function endOf(tenant: Tenant, path: string): Promise<string> {
  for (;;) {
    const job = await tenant.data<{ state: string; ended_at: string | null }>("GET", `${path}?wait=5`);
    if (job.ended_at !== null) return job.state;
  }
}
