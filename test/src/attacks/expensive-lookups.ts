import type { Attack, Tenant } from "../support/attacks/attack.js";
import { largeInventory } from "../support/attacks/large-inventory.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const LOOKUPS = 200;
const PATHS = [
  "services?q=:1",
  "hosts?q=:1",
  "services?q=443/tcp",
  "reports/gone?days=0",
  "reports/certificates?days=3650",
  "reports/duplicates",
  "stats",
  "services?missed=true",
];

/** Much more is read than returned; everything has been missed for long. */
export const attack: Attack<Tenant> = {
  name: "200 searches by port, reports of stale entities and counts of 36,000 services, 32 at a time",
  prepare: largeInventory,
  run: async (_target, tenant) => {
    const responses = await mapConcurrently(LOOKUPS, 32, (n) =>
      tenant.send("GET", `/api/v1/${PATHS[n % PATHS.length]}`),
    );
    const got = tally(responses.map(({ status }) => status));
    // An organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 429, 504].includes(status)),
      got,
    );
    return got;
  },
};
