import type { Attack } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const REGISTRATIONS = 101;
const AT_A_TIME = 8;
const PER_SITE = 20;

/** Each account has limits of its own. */
export const attack: Attack = {
  name: `${REGISTRATIONS} registrations from the networks of one IPv6 site`,
  settings: { TRUST_PROXY_HOPS: "1", REGISTRATIONS_PER_SITE: String(PER_SITE) },
  run: async (target) => {
    const attacker = await target.newTenant();
    const statuses = await mapConcurrently(REGISTRATIONS, AT_A_TIME, async (n) => {
      const body = { email: `many-${n}@example.com`, password: "correct horse battery staple" };
      const from = { "x-forwarded-for": `2001:db8:2:${n.toString(16)}::1` };
      return (await attacker.send("POST", "/api/auth/register", body, from)).status;
    });
    const made = statuses.filter((status) => status === 200).length;
    expectThat(made <= PER_SITE, `${made} accounts`);
    return tally(statuses);
  },
};
