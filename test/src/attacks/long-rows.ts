import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const NETWORKS = 1_000;
const KEYS = 200;
const LISTS = 64;
/** As many as the gateway forwards for a user. */
const AT_A_TIME = 32;
/** Of the slowest of another organization's requests to identity. */
const ANSWERED_MS = 500;

interface Prepared {
  readonly tenant: Tenant;
  readonly other: Tenant;
}

/** Each row of the list takes 40 KB, because it names all networks of its key. */
export const attack: Attack<Prepared> = {
  name: `${LISTS} lists, ${AT_A_TIME} at a time, of ${KEYS} keys with ${NETWORKS} networks each, alongside a user of identity`,
  cheap: false,
  prepare: async (target) => {
    const [tenant, other] = [await target.newTenant(), await target.newTenant()];
    const network_ids = await mapConcurrently(NETWORKS, 8, async (n) => {
      const { id } = await tenant.data("POST", "/api/v1/networks", { name: `network ${n}` });
      return id;
    });
    await mapConcurrently(KEYS, 8, () => tenant.newKey({ network_ids }));
    return { tenant, other };
  },
  run: async (_target, { tenant, other }) => {
    const over = new AbortController();
    const lists = mapConcurrently(LISTS, AT_A_TIME, () => tenant.sendBySession("GET", "/api/v1/auth/keys?limit=1000"));
    const ended = lists.finally(() => {
      over.abort();
    });
    const taken: number[] = [];
    while (!over.signal.aborted) {
      const { status, tookMs } = await other.send("GET", "/api/v1/auth/whoami");
      expectThat(status === 200, `whoami of another organization returned ${status}`);
      taken.push(tookMs);
    }
    const slowest = Math.max(...taken);
    const got = `${tally((await ended).map(({ status }) => status))}; ${taken.length} × whoami, slowest ${slowest.toFixed(0)} ms`;
    expectThat(slowest < ANSWERED_MS, got);
    return got;
  },
};
