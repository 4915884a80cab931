import type { Attack } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const GUESSES = 400;
const AT_A_TIME = 20;
/** The maximum number of failed logins in the audit log per organization and hour; an hour may end meanwhile. */
const MAX_ENTRIES = 2 * 100;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

export const attack: Attack = {
  name: `${GUESSES} failed logins and uses of a key, each from another address, while the owner reads the audit log`,
  settings: { TRUST_PROXY_HOPS: "1" },
  run: async (target) => {
    const owner = await target.newTenant();
    const { user } = await owner.data<{ user: { email: string } }>("GET", "/api/v1/auth/whoami");
    const statuses = await mapConcurrently(GUESSES, AT_A_TIME, async (n) => {
      await owner.send("GET", "/api/v1/organizations", undefined, forwardedFor(n));
      const body = { email: user.email, password: `guess ${n}` };
      return (await owner.send("POST", "/api/auth/login", body, forwardedFor(n))).status;
    });
    const auditEntries = await owner.data<{ action: string }[]>("GET", "/api/v1/audit?limit=1000");
    for (const action of ["login_failed", "first_used"]) {
      const entries = auditEntries.filter((entry) => entry.action === action).length;
      expectThat(entries <= MAX_ENTRIES, `${entries} entries of ${action}`);
    }
    await owner.newKey();
    const [newest] = await owner.data<{ action: string; entity: string }[]>(
      "GET",
      "/api/v1/audit?limit=1&order_direction=desc&entity=UserApiKey&action=created",
    );
    expectThat(newest?.action === "created", "a new key is not in the audit log");
    return tally(statuses);
  },
};
