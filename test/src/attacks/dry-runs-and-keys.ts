import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const DRY_RUNS = 200;
const KEYS = 400;
const WRITES = 60;
/** Of the slowest of the organization's own writers on another host. */
const WRITTEN_MS = 2_000;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkId: string;
  readonly full: string;
  readonly other: string;
}

/** Each dry run deletes a host of the maximum size; each key is kept for a day. */
export const attack: Attack<Prepared> = {
  name: "dry runs of deletions of a full host, 16 at a time, and hundreds of idempotency keys, alongside a writer of another host",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    await createHostWithServices(tenant, networkId, "full", 160);
    const [full] = await tenant.data<{ id: string }[]>("GET", "/api/v1/hosts");
    const { id: other } = await tenant.data("POST", "/api/v1/hosts", { network_id: networkId, name: "other" });
    return { tenant, networkId, full: full?.id ?? "", other };
  },
  run: async (_target, { tenant, networkId, full, other }) => {
    const tried = mapConcurrently(DRY_RUNS, 16, () => tenant.send("DELETE", `/api/v1/hosts/${full}?dry_run=true`));
    const keyed = mapConcurrently(KEYS, 4, (n) =>
      tenant.send("POST", "/api/v1/tags", { name: `tag ${n}` }, { "idempotency-key": `key-${n}` }),
    );
    const written = await mapConcurrently(WRITES, 1, (n) => {
      const body = { network_id: networkId, host_id: other, number: n + 1, protocol: "Tcp" };
      return tenant.send("POST", "/api/v1/ports", body);
    });
    const slowest = Math.max(...written.map(({ tookMs }) => tookMs));
    const [dry, kept] = [await tried, await keyed].map((responses) => tally(responses.map(({ status }) => status)));
    const got = `dry runs ${dry ?? ""}; keys ${kept ?? ""}; writer ${tally(written.map(({ status }) => status))}, slowest ${slowest.toFixed(0)} ms`;
    expectThat(written.every(({ status }) => status === 200) && slowest < WRITTEN_MS, got);
    expectThat((await tenant.send("GET", `/api/v1/hosts/${full}`)).status === 200, "the host is gone");
    return got;
  },
};
