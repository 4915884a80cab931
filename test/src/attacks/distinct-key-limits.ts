import type { Attack } from "../support/attacks/attack.js";
import { readWith, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const KEYS = 120;

/** A gateway keeps what it needs for a rate limit, and keys can have any. */
export const attack: Attack = {
  name: `${KEYS} keys, each with another rate limit, used once`,
  run: async (target) => {
    const tenant = await target.newTenant();
    const statuses = await mapConcurrently(KEYS, 4, async (n) => {
      const key = await tenant.newKey({ rate_limit_per_minute: n + 1 });
      return (await readWith(key, tenant)).status;
    });
    return tally(statuses);
  },
};
