import type { Attack } from "../support/attacks/attack.js";
import { createHostWithServices, createNetwork, expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const HOSTS = 6;
const SERVICES = 500;
const SHARES = 4;
const VISITS = 400;
const AT_A_TIME = 40;

interface Shared {
  readonly secrets: readonly string[];
  readonly end: () => Promise<number>;
}

const bearer = (secret: string, n: number) => ({
  authorization: `Bearer ${secret}`,
  "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}`,
});

/** Each is a whole picture, half of them of the past; one share is ended meanwhile. */
export const attack: Attack<Shared> = {
  name: `${VISITS} visits of ${SHARES} shares of ${HOSTS * SERVICES} services, each from another address, while a share is ended`,
  settings: { TRUST_PROXY_HOPS: "1" },
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    for (let n = 0; n < HOSTS; n++) await createHostWithServices(tenant, networkId, `host ${n}`, SERVICES);
    const view = await tenant.data("POST", "/api/v1/views", { network_id: networkId, name: "wall" });
    const shares = await mapConcurrently(SHARES, 1, (n) =>
      tenant.data<{ share: { id: string }; secret: string }>("POST", `/api/v1/views/${view.id}/shares`, {
        expires_at: null,
        ...(n % 2 === 0 && { as_of: new Date().toISOString() }),
      }),
    );
    const lastId = shares.at(-1)?.share.id ?? "";
    const end = async (): Promise<number> => (await tenant.send("DELETE", `/api/v1/shares/${lastId}`)).status;
    return { secrets: shares.map(({ secret }) => secret), end };
  },
  run: async (target, { secrets, end }) => {
    const visitor = await target.newTenant();
    const visit = async (n: number): Promise<number> => {
      const secret = secrets[n % SHARES] ?? "";
      return (await visitor.send("GET", "/api/v1/shared-view", undefined, bearer(secret, n))).status;
    };
    const visits = mapConcurrently(VISITS, AT_A_TIME, visit);
    const ended = await end();
    const afterwards = await visit(SHARES - 1);
    const statuses = await visits;
    expectThat(ended === 200, `ending a share: ${ended}`);
    expectThat([401, 429].includes(afterwards), `the ended share: ${afterwards}`);
    expectThat(
      statuses.every((status) => [200, 401, 429, 503].includes(status)),
      tally(statuses),
    );
    return tally(statuses);
  },
};
