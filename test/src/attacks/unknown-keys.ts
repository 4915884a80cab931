import { createApiKey } from "@nts/shared/api-key";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, readWith, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { until } from "../support/until.js";

const FLOOD = 1_000;
const KEYS = 20;

interface Prepared {
  readonly neighbour: Tenant;
  /** Keys of the neighbour that the gateway had cached and has evicted. */
  readonly forgotten: readonly string[];
  /** Keys of the neighbour that were never used. */
  readonly fresh: readonly string[];
}

/**
 * A key that was valid before is admitted, also after eviction. A new key cannot be distinguished from the flood before
 * its lookup, and lookups per address are limited: it is admitted, or gets Retry-After.
 */
export const attack: Attack<Prepared> = {
  name: "1,000 well-formed unknown keys, while a client at that address uses valid keys that are not cached",
  settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: undefined, ANONYMOUS_RATE_LIMIT_BURST: undefined },
  prepare: async (target) => {
    const neighbour = await target.newTenant();
    const fresh = await keysOf(neighbour);
    const forgotten = await keysOf(neighbour);
    for (const key of forgotten) await readWith(key, neighbour);
    // A change of everybody's permissions evicts all keys.
    for (const api_access_enabled of [false, true])
      await neighbour.bySession("PUT", `/api/v1/organizations/${neighbour.organizationId}`, {
        name: "x",
        api_access_enabled,
      });
    return { neighbour, forgotten, fresh };
  },
  run: async (_target, { neighbour, forgotten, fresh }) => {
    const flooding = { isOver: false };
    const flood = mapConcurrently(FLOOD, 16, () => readWith(createApiKey().secret, neighbour)).finally(
      () => (flooding.isOver = true),
    );
    const firstTime: number[] = [];
    for (let n = 0; n < KEYS && !flooding.isOver; n++) {
      const [known, unknown] = await Promise.all([
        readWith(forgotten[n] ?? "", neighbour),
        readWith(fresh[n] ?? "", neighbour),
      ]);
      firstTime.push(unknown.status);
      expectThat(known.status === 200, `a key that was good before got ${known.status} ${known.code}`);
      expectThat([200, 429].includes(unknown.status), `a new key got ${unknown.status} ${unknown.code}`);
    }
    const flooded = (await flood).map(({ status }) => status);
    const endedAt = performance.now();
    await until(async () => (await readWith(fresh.at(-1) ?? "", neighbour)).status === 200);
    const waited = (performance.now() - endedAt).toFixed(0);
    return `the flood ${tally(flooded)}; new keys of the neighbour ${tally(firstTime)}, and 200 ${waited} ms after it`;
  },
};

function keysOf(tenant: Tenant): Promise<string[]> {
  return mapConcurrently(KEYS, 4, () => tenant.newKey());
}
