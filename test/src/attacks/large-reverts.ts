import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const SERVICES = 160;
const REVERTS = 200;

interface Prepared {
  readonly tenant: Tenant;
  readonly request: string;
}

/** Each restores a full host, and reverts that again. */
export const attack: Attack<Prepared> = {
  name: "200 dry runs of reverts of the deletion of a full host, 16 at a time",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    await createHostWithServices(tenant, networkId, "full", SERVICES);
    const [host] = await tenant.data<{ id: string }[]>("GET", "/api/v1/hosts");
    await tenant.data("DELETE", `/api/v1/hosts/${host?.id ?? ""}`);
    const path = `/api/v1/changes?entity_id=${host?.id ?? ""}&action=deleted&wait=10`;
    const [deleted] = await tenant.data<{ request_id: string }[]>("GET", path);
    return { tenant, request: deleted?.request_id ?? "" };
  },
  run: async (_target, { tenant, request }) => {
    const body = { request_id: request };
    const tried = await mapConcurrently(REVERTS, 16, () =>
      tenant.send("POST", "/api/v1/changes/revert?dry_run=true", body),
    );
    const got = tally(tried.map(({ status }) => status));
    expectThat(
      tried.some(({ status }) => status === 200),
      got,
    );
    expectThat((await tenant.data<unknown[]>("GET", "/api/v1/hosts")).length === 0, "the host is there");
    return got;
  },
};
