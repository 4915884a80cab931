import { createApiKey } from "@nts/shared/api-key";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const REPORTS = 600;
const AT_A_TIME = 40;
const KEYS = 10;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

/** Each report is one read of ten hashes; none of them takes a number of the change log. */
export const attack: Attack<Tenant> = {
  name: `${REPORTS} reports of ${KEYS} nonexistent keys each, each from another address, while a key is rotated`,
  settings: { TRUST_PROXY_HOPS: "1" },
  prepare: (target) => target.newTenant(),
  run: async (target, neighbour) => {
    const attacker = await target.newTenant();
    const reports = mapConcurrently(REPORTS, AT_A_TIME, async (n) => {
      const body = { keys: Array.from({ length: KEYS }, () => createApiKey().secret) };
      return (await attacker.send("POST", "/api/auth/keys/revoke", body, forwardedFor(n))).status;
    });
    const startedAt = performance.now();
    await neighbour.newKey();
    const tookMs = performance.now() - startedAt;
    const statuses = await reports;
    const refused = statuses.filter((status) => status !== 200 && status !== 429 && status !== 503).length;
    expectThat(refused === 0, `${refused} reports failed`);
    expectThat((await neighbour.send("GET", "/api/v1/networks")).status === 200, "the neighbour's key has ended");
    return `${tally(statuses)}; a key was made in ${Math.round(tookMs)} ms meanwhile`;
  },
};
