import type { Attack } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const LONGEST_MS = 8_000;

/** Passwords in which the strength estimator finds very many dates, sequences and repetitions. */
const PASSWORDS = ["1/1/2001".repeat(16), "1234567890".repeat(12), "2001-1-1 ".repeat(14)];

/** Another user registers meanwhile. */
export const attack: Attack = {
  name: "10 registrations with passwords that take long to judge",
  run: async (target) => {
    const attacker = await target.newTenant();
    const registering = mapConcurrently(10, 10, async (n) => {
      const body = { email: `slow-${n}-${attacker.userId}@example.com`, password: PASSWORDS[n % PASSWORDS.length] };
      const { status, tookMs } = await attacker.send("POST", "/api/auth/register", body);
      expectThat(tookMs < LONGEST_MS, `a registration got ${status} after ${tookMs.toFixed(0)} ms`);
      return status;
    });
    const [statuses] = await Promise.all([registering, target.newTenant()]);
    expectThat(new Set(statuses).size === 1 && statuses[0] === 400, `registrations got ${tally(statuses)}`);
    return tally(statuses);
  },
};
