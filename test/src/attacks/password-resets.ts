import { MongoClient } from "mongodb";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const REQUESTS = 600;
const AT_A_TIME = 40;
/** The limits per address and per caller in an hour, which may end meanwhile. */
const MAX_OF_VICTIM = 2 * 3;
const MAX_OF_CALLER = 2 * 20;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

/** Mails queue up, since the server accepts none; they are counted by requested address and by caller. */
export const attack: Attack<Tenant> = {
  name: `${REQUESTS} requests for links to a new password: for one victim, each from another address, and for as many strangers, all from one; no server takes mail`,
  settings: {
    TRUST_PROXY_HOPS: "1",
    SMTP_URL: "smtp://127.0.0.1:9?tls=none",
    MAIL_FROM: "noreply@nts.example",
    MAILS_PER_ADDRESS: undefined,
  },
  prepare: (target) => target.newTenant(),
  run: async (target, neighbour) => {
    const attacker = await target.newTenant();
    const ask = async (email: string, from: Record<string, string>): Promise<number> =>
      (await attacker.send("POST", "/api/auth/password/forgot", { email }, from)).status;
    const statuses = await mapConcurrently(REQUESTS, AT_A_TIME, (n) =>
      n % 2 === 0
        ? ask("victim@example.com", forwardedFor(n))
        : ask(`stranger-${n}@example.com`, { "x-forwarded-for": "203.0.113.77" }),
    );
    const failed = statuses.filter((status) => status !== 200 && status !== 429).length;
    expectThat(failed === 0, `${failed} requests failed`);
    const ofVictim = await promisedTo(target.stack, { "about.email": "victim@example.com" });
    const ofStrangers = await promisedTo(target.stack, { "about.email": /^stranger-/ });
    expectThat(ofVictim <= MAX_OF_VICTIM, `${ofVictim} mails are promised to the victim`);
    expectThat(ofStrangers <= MAX_OF_CALLER, `${ofStrangers} mails are promised to strangers`);
    expectThat((await neighbour.send("GET", "/api/v1/networks")).status === 200, "the neighbour is refused");
    return `${tally(statuses)}; ${ofVictim} mails for the victim, ${ofStrangers} for strangers`;
  },
};

type Stacked = Parameters<Attack["run"]>[0]["stack"];

async function promisedTo({ servers, databases }: Stacked, filter: object): Promise<number> {
  const client = new MongoClient(servers.urls.mongodb);
  try {
    return await client.db(databases.identity).collection("outgoing_mails").countDocuments(filter);
  } finally {
    await client.close();
  }
}
