import { randomUUID } from "node:crypto";
import { type Collection, MongoClient } from "mongodb";
import { MERGE_PATCH_TYPE } from "@nts/shared/contract/upload";
import type { Attack, AttackResponse, Target, Tenant } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { until } from "../support/until.js";

const NETWORKS = 1_000;
const KEYS = 2_000;
const DELETED = 5;
const LEVELS = ["Admin", "Member"] as const;
/** Of the slowest change of rights in another organization. */
const CHANGED_MS = 1_000;
const FORGOTTEN_MS = 60_000;
const POLL_MS = 500;

const MERGE_PATCH = { "content-type": MERGE_PATCH_TYPE };

interface Prepared {
  readonly tenant: Tenant;
  readonly networkIds: readonly string[];
  readonly other: Tenant;
}

/** A deleted network is removed from all keys, and all changes of rights are serialized. */
export const attack: Attack<Prepared> = {
  name: `deletions of ${DELETED} networks that ${KEYS} keys name, among ${NETWORKS}, alongside changes of rights`,
  cheap: false,
  prepare: async (target) => {
    const [tenant, other] = [await target.newTenant(), await target.newTenant()];
    const networkIds = await mapConcurrently(NETWORKS, 8, async (n) => {
      const { id } = await tenant.data("POST", "/api/v1/networks", { name: `network ${n}` });
      return id;
    });
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
    const over = new AbortController();
    const changes = changedUntil(over.signal, other);
    const statuses = await mapConcurrently(DELETED, 1, async (n) => {
      const { status } = await tenant.send("DELETE", `/api/v1/networks/${gone[n] ?? ""}`);
      return status;
    });
    const holding = { organization_id: tenant.organizationId, network_ids: { $in: gone } };
    const areForgotten = await withKeys(target, (keys) =>
      until(async () => (await keys.findOne(holding)) === null, POLL_MS, FORGOTTEN_MS).then(
        () => true,
        () => false,
      ),
    );
    over.abort();
    const changed = await changes;
    const slowest = Math.max(...changed.map(({ tookMs }) => tookMs));
    const got = `${tally(statuses)}; ${areForgotten ? "forgotten" : "not forgotten"}; changes of rights ${tally(changed.map(({ status }) => status))}, slowest ${slowest.toFixed(0)} ms`;
    expectThat(areForgotten && changed.every(({ status }) => status === 200) && slowest < CHANGED_MS, got);
    return got;
  },
};

/** Changes the level of a key again and again. */
async function changedUntil(over: AbortSignal, other: Tenant): Promise<AttackResponse[]> {
  const { text } = await other.sendBySession("GET", "/api/v1/auth/keys");
  const [key] = (JSON.parse(text) as { data: { id: string }[] }).data;
  const changes: AttackResponse[] = [];
  while (!over.aborted) {
    const permissions = LEVELS[changes.length % 2];
    const path = `/api/v1/auth/keys/${key?.id ?? ""}`;
    changes.push(await other.sendBySession("PATCH", path, { permissions }, MERGE_PATCH));
  }
  return changes;
}

async function withKeys<T>({ stack }: Target, task: (keys: Collection<{ _id: string }>) => Promise<T>): Promise<T> {
  const client = new MongoClient(stack.servers.urls.mongodb);
  try {
    return await task(client.db(stack.databases.identity).collection<{ _id: string }>("api_keys"));
  } finally {
    await client.close();
  }
}
