import { WORKERS, WORKERS_OF_ORGANIZATION } from "@nts/topology/webhooks/workers";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { tally } from "../support/attacks/parts.js";
import { newAddress } from "../support/attacks/target.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { until } from "../support/until.js";
import { startReceiver, type Receiver } from "../support/webhook-receiver.js";

/** Together they could take every worker of a process. */
const ACCOUNTS = 1 + WORKERS / WORKERS_OF_ORGANIZATION;
const CHANGES = 20;
const TESTS = 40;
/** Far less than a hanging delivery takes. */
const TIMEOUT_MS = 8_000;

interface Prepared {
  readonly receiver: Receiver;
  readonly attackers: readonly Tenant[];
  readonly neighbour: Tenant;
}

const aTag = (tenant: Tenant, n: number): Promise<unknown> => tenant.data("POST", "/api/v1/tags", { name: `tag ${n}` });

/** Each hanging delivery occupies a slot until its timeout. */
export const attack: Attack<Prepared> = {
  name: `${ACCOUNTS * WORKERS_OF_ORGANIZATION} webhooks of ${ACCOUNTS} accounts at one address whose receivers never answer, and ${TESTS} tests of one of them at once`,
  settings: { WEBHOOK_ALLOW: "127.0.0.0/8" },
  prepare: async (target) => {
    const [receiver, neighbour] = await Promise.all([startReceiver(), target.newTenant()]);
    receiver.respondWith("/silence", "silence");
    const address = newAddress();
    const attackers = await mapConcurrently(ACCOUNTS, 4, () => target.newTenant(address));
    const silent = { url: receiver.url("/silence") };
    for (const attacker of attackers)
      await mapConcurrently(WORKERS_OF_ORGANIZATION, 4, () => attacker.data("POST", "/api/v1/webhooks", silent));
    await neighbour.data("POST", "/api/v1/webhooks", { url: receiver.url("/neighbour") });
    return { receiver, attackers, neighbour };
  },
  run: async (_target, { receiver, attackers, neighbour }) => {
    try {
      for (const attacker of attackers) await aTag(attacker, 0);
      const [first] = attackers;
      const [webhook] = await first!.data<{ id: string }[]>("GET", "/api/v1/webhooks?limit=1");
      const tests = mapConcurrently(TESTS, TESTS, () => first!.send("POST", `/api/v1/webhooks/${webhook!.id}/test`));
      const startedAt = performance.now();
      for (let n = 0; n < CHANGES; n++) await aTag(neighbour, n);
      await until(() => receiver.received("/neighbour").length === CHANGES, 20, TIMEOUT_MS);
      const took = performance.now() - startedAt;
      const got = tally((await tests).map(({ status }) => status));
      return `${got}; ${CHANGES} changes of a neighbour delivered within ${(took / 1_000).toFixed(1)} s`;
    } finally {
      await receiver.stop();
    }
  },
};
