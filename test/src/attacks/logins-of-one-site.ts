import type { Attack, AttackResponse, Tenant } from "../support/attacks/attack.js";
import { alongside, expectThat, summaryOf } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const LOGINS = 300;
const AT_A_TIME = 72;
const FIRST_LOGINS = 80;
const PASSWORD = "correct horse battery staple";
/** Of the slowest login from another address: hashing has a lower priority than requests. */
const SIGNED_IN_MS = 3_000;

interface Prepared {
  readonly attacker: Tenant;
  readonly victim: Tenant;
  readonly email: string;
}

/** A site has 65,536 networks of its own, and each counts as an address. Passwords are hashed few at a time. */
export const attack: Attack<Prepared> = {
  name: `${LOGINS} logins, ${AT_A_TIME} at a time, from the networks of one IPv6 site, while another user logs in`,
  settings: { TRUST_PROXY_HOPS: "1" },
  prepare: async ({ newTenant }) => {
    const attacker = await newTenant();
    const victim = await newTenant();
    const { user } = await victim.data<{ user: { email: string } }>("GET", "/api/v1/auth/whoami");
    // The first logins of a process start its threads and open connections.
    await mapConcurrently(FIRST_LOGINS, 20, (n) => logIn(attacker, `first-${n}@example.com`, `192.0.2.${n + 1}`));
    return { attacker, victim, email: user.email };
  },
  run: async (_target, { attacker, victim, email }) => {
    const guessing = mapConcurrently(LOGINS, AT_A_TIME, (n) =>
      logIn(attacker, `somebody-${n}@example.com`, `2001:db8:1:${n.toString(16)}::1`),
    );
    const [guesses, own] = await alongside(guessing, () => logIn(victim, email, "198.51.100.7"));
    const { statuses, slowestMs } = summaryOf(own);
    const got = `${summaryOf(guesses).statuses}; another user's logins ${statuses}, slowest ${slowestMs.toFixed(0)} ms`;
    expectThat(own.every(({ status }) => status === 200) && slowestMs < SIGNED_IN_MS, got);
    return got;
  },
};

function logIn(tenant: Tenant, email: string, from: string): Promise<AttackResponse> {
  return tenant.send("POST", "/api/auth/login", { email, password: PASSWORD }, { "x-forwarded-for": from });
}
