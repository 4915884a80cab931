import { randomUUID } from "node:crypto";
import { type Collection, MongoClient } from "mongodb";
import type { Attack, Target, Tenant } from "../support/attacks/attack.js";
import { alongside, changeLevel, createNetworks, expectThat, summaryOf } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { until } from "../support/until.js";

const NETWORKS = 1_000;
const KEYS = 2_000;
const DELETED = 5;
/** Of the slowest change of rights in another organization. */
const CHANGED_MS = 1_000;
const FORGOTTEN_MS = 60_000;
const POLL_MS = 500;

interface Prepared {
  readonly tenant: Tenant;
  readonly networkIds: readonly string[];
  readonly other: Tenant;
}

/** A deleted network is removed from all keys, and all changes of rights are serialized. */
export const attack: Attack<Prepared> = {
  name: `deletions of ${DELETED} networks that ${KEYS} keys name, among ${NETWORKS}, alongside changes of rights`,
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const other = await target.newTenant();
    const networkIds = await createNetworks(tenant, NETWORKS);
    await tenant.newKey({ name: "restricted", network_ids: networkIds });
    await withKeys(target, async (keys) => {
      const one = await keys.findOne({ organization_id: tenant.organizationId, name: "restricted" });
      for (let n = 0; n < KEYS; n += 100)
        await keys.insertMany(
          Array.from({ length: 100 }, () => ({
            ...one,
            _id: randomUUID(),
            hash: randomUUID(),
            public_id: randomUUID(),
          })),
        );
    });
    return { tenant, networkIds, other };
  },
  run: async (target, { tenant, networkIds, other }) => {
    const gone = networkIds.slice(0, DELETED);
    const keyId = await firstKeyOf(other);
    const [{ deletions, areForgotten }, changes] = await alongside(deleted(target, tenant, gone), (n) =>
      changeLevel(other, keyId, n),
    );
    const { statuses, slowestMs } = summaryOf(changes);
    const got = `${deletions}; ${areForgotten ? "forgotten" : "not forgotten"}; changes of rights ${statuses}, slowest ${slowestMs.toFixed(0)} ms`;
    expectThat(areForgotten && changes.every(({ status }) => status === 200) && slowestMs < CHANGED_MS, got);
    return got;
  },
};

/** Deletes networks, and waits until no key names them. */
async function deleted(target: Target, tenant: Tenant, networkIds: readonly string[]) {
  const responses = await mapConcurrently(networkIds.length, 1, (n) =>
    tenant.send("DELETE", `/api/v1/networks/${networkIds[n] ?? ""}`),
  );
  const holding = { organization_id: tenant.organizationId, network_ids: { $in: [...networkIds] } };
  const areForgotten = await withKeys(target, (keys) =>
    until(async () => (await keys.findOne(holding)) === null, POLL_MS, FORGOTTEN_MS).then(
      () => true,
      () => false,
    ),
  );
  return { deletions: summaryOf(responses).statuses, areForgotten };
}

async function firstKeyOf(tenant: Tenant): Promise<string> {
  const { text } = await tenant.sendBySession("GET", "/api/v1/auth/keys");
  const [key] = (JSON.parse(text) as { data: { id: string }[] }).data;
  return key?.id ?? "";
}

async function withKeys<T>({ stack }: Target, task: (keys: Collection<{ _id: string }>) => Promise<T>): Promise<T> {
  const client = new MongoClient(stack.servers.urls.mongodb);
  try {
    return await task(client.db(stack.databases.identity).collection<{ _id: string }>("api_keys"));
  } finally {
    await client.close();
  }
}
