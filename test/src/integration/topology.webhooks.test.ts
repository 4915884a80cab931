import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createNetwork,
  createTag,
  createWebhook,
  deleteNetwork,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhookProgress,
  listWebhooks,
  patchWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { createWebhookStates } from "@nts/topology/storage/webhook-states";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { unknownEntity } from "../support/topology-world.js";

const url = "https://example.com/hook";
let topology: Topology;
let owner: Caller;

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller({ permission: "Admin" });
});
afterAll(() => topology.stop());

describe("a webhook: its record", () => {
  it("is returned as it is stored, with its secret once", async () => {
    const { secret, ...made } = await owner.call(createWebhook, { body: { url } });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({
      ...{ url, format: "standard", batch_seconds: 0, is_enabled: true, paused: null },
      filter: { network_ids: [], entities: [], actions: [], tag_ids: [], known: null },
    });
    const params = { id: made.id };
    expect(await owner.call(getWebhook, { params })).toEqual(made);
    expect((await owner.list(listWebhooks, {})).rows).toEqual([made]);
    const patched = await owner.call(patchWebhook, {
      params,
      body: { filter: { entities: ["Host"] }, batch_seconds: 5 },
    });
    expect(patched).toMatchObject({ url, batch_seconds: 5, filter: { entities: ["Host"], network_ids: [] } });
    expect(await owner.call(updateWebhook, { params, body: patched })).toEqual(patched);
    expect((await owner.call(rotateWebhook, { params })).secret).not.toBe(secret);
    const all =
      JSON.stringify(await owner.list(listWebhooks, {})) + JSON.stringify(await owner.call(getWebhook, { params }));
    expect(all).not.toContain("whsec_");
    await owner.call(deleteWebhook, { params });
    expect(await owner.refusal(getWebhook, { params })).toEqual([404, "not_found", { entity: "Webhook" }]);
    expect(await topology.db.collection<{ _id: string }>("webhook_states").findOne({ _id: made.id })).toBeNull();
  });

  it("is rejected with a private address, plain http or a password, on every operation", async () => {
    const { id } = await owner.call(createWebhook, { body: { url } });
    for (const wrong of [
      "https://10.0.0.1/",
      "https://0x7f.1.1.1.1/",
      "http://192.168.1.1/",
      "https://a:b@example.com/",
      "ftp://a.b/",
    ]) {
      const errors = { errors: [{ path: "url", message: expect.any(String) }] };
      expect(await owner.refusal(createWebhook, { body: { url: wrong } })).toEqual([400, "validation_failed", errors]);
      expect(await owner.refusal(patchWebhook, { params: { id }, body: { url: wrong } })).toEqual([
        400,
        "validation_failed",
        errors,
      ]);
    }
    await owner.call(deleteWebhook, { params: { id } });
  });
});

describe("a webhook: references", () => {
  it("name existing networks and tags, and may keep deleted ones", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Home" } });
    const tag = await owner.call(createTag, { body: { name: "shown" } });
    const wrong: [{ network_ids?: string[]; tag_ids?: string[] }, string][] = [
      [{ network_ids: [network.id, unknownEntity().id] }, "filter.network_ids.1"],
      [{ tag_ids: ["a label", unknownEntity().id] }, "filter.tag_ids.1"],
    ];
    for (const [filter, path] of wrong)
      expect(await owner.refusal(createWebhook, { body: { url, filter } })).toEqual([
        400,
        "invalid_reference",
        { path },
      ]);
    const filter = { network_ids: [network.id], tag_ids: [tag.id, "a label"] };
    const { id } = await owner.call(createWebhook, { body: { url, filter } });
    const made = await owner.call(getWebhook, { params: { id } });
    await owner.call(deleteNetwork, { params: { id: network.id } });
    expect(await owner.call(updateWebhook, { params: { id: made.id }, body: made })).toEqual(made);
    await owner.call(deleteWebhook, { params: { id: made.id } });
  });
});

describe("a webhook: visibility", () => {
  it("of a restricted caller is limited to those that name its own networks only", async () => {
    const [one, two] = await Promise.all(["One", "Two"].map((name) => owner.call(createNetwork, { body: { name } })));
    const restricted = owner.restrictedTo([one!.id]);
    const naming = async (network_ids: string[]): Promise<string> =>
      (await owner.call(createWebhook, { body: { url, filter: { network_ids } } })).id;
    const [mine, ...others] = [
      await naming([one!.id]),
      await naming([one!.id, two!.id]),
      await naming([two!.id]),
      await naming([]),
    ];
    expect((await restricted.list(listWebhooks, {})).rows.map(({ id }) => id)).toEqual([mine]);
    const progress = await restricted.call(listWebhookProgress, {});
    expect(progress).toEqual([
      { webhook_id: mine, cursor: expect.any(String), failing_since: null, attempts: 0, delivered_at: null },
    ]);
    for (const id of others) {
      const params = { id };
      const refusals = await Promise.all([
        restricted.refusal(getWebhook, { params }),
        restricted.refusal(updateWebhook, { params, body: { url } }),
        restricted.refusal(patchWebhook, { params, body: {} }),
        restricted.refusal(deleteWebhook, { params }),
        restricted.refusal(rotateWebhook, { params }),
        restricted.refusal(testWebhook, { params }),
        restricted.refusal(replayWebhook, { params, body: { after: "AAAAAAAAAAAAAAAAAAAAAA" } }),
        restricted.refusal(listWebhookDeliveries, { params }),
      ]);
      for (const refusal of refusals) expect(refusal).toEqual([404, "not_found", { entity: "Webhook" }]);
    }
    const body = (network_ids: string[]) => ({ url, filter: { network_ids } });
    const widened = { params: { id: mine }, body: body([one!.id, two!.id]) };
    expect(await restricted.refusal(updateWebhook, widened)).toEqual([
      400,
      "invalid_reference",
      { path: "filter.network_ids.1" },
    ]);
    expect((await restricted.refusal(createWebhook, { body: { url } }))[1]).toBe("validation_failed");
    expect((await restricted.refusal(patchWebhook, { params: { id: mine }, body: body([]) }))[1]).toBe(
      "validation_failed",
    );
    expect(await restricted.call(createWebhook, { body: body([one!.id]) })).toMatchObject(body([one!.id]));
    for (const { id } of (await owner.list(listWebhooks, {})).rows) await owner.call(deleteWebhook, { params: { id } });
  });

  it("is the same at the maximum number of webhooks", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => owner.call(createWebhook, { body: { url } })));
    expect(await owner.refusal(createWebhook, { body: { url } })).toEqual([
      403,
      "quota_exceeded",
      { entity: "Webhook", limit: 20 },
    ]);
    for (const { id } of made) await owner.call(deleteWebhook, { params: { id } });
  });
});

describe("an organization without a verified Owner", () => {
  const newcomer = () => topology.aCaller({ isUnverified: true });
  const refused = (entity: string, limit: number) => [403, "owner_unverified", { entity, limit }];

  it("has two webhooks, ten networks and a thousand resources at most", async () => {
    const caller = newcomer();
    for (let n = 0; n < 2; n++) await caller.call(createWebhook, { body: { url } });
    expect(await caller.refusal(createWebhook, { body: { url } })).toEqual(refused("Webhook", 2));
    const networks = [];
    for (let n = 0; n < 10; n++) networks.push(await caller.call(createNetwork, { body: { name: `Network ${n}` } }));
    expect(await caller.refusal(createNetwork, { body: { name: "late" } })).toEqual(refused("Network", 10));
    const ports = Array.from({ length: 989 }, (_, n) => ({ number: n + 1, protocol: "Tcp" as const }));
    await caller.call(createHost, { body: { network_id: networks[0]!.id, name: "nas", ports } });
    expect(await caller.refusal(createTag, { body: { name: "late" } })).toEqual(refused("Entity", 1_000));
    await caller.call(deleteNetwork, { params: networks[9]! });
    expect((await caller.call(createTag, { body: { name: "fits" } })).name).toBe("fits");
  });
});

describe("the process that delivers a webhook", () => {
  const lease = { owner: "one", ms: 60_000 };

  it("is one at a time, and changes nothing after it was frozen and another one has taken over", async () => {
    const states = createWebhookStates(topology.db);
    const { id, organization_id } = await owner.call(createWebhook, { body: { url } });
    const of = { _id: id, organization_id };
    const frozen = await states.take(of, { ...lease, ms: 0 });
    const present = await states.take(of, { ...lease, owner: "other" });
    expect(await states.take(of, lease)).toBeNull();
    expect(await states.renew(present!, 60_000, { n: 7 })).toMatchObject({ n: 7, owner: "other" });
    expect(await states.renew(frozen!, 60_000, { n: 3 })).toBeNull();
    expect(await states.release(frozen!, { ms: 0, rests: false }, { n: 3 })).toBe(false);
    expect(await states.find(of)).toMatchObject({ n: 7, owner: "other" });
    expect(await states.release(present!, { ms: 60_000, rests: false })).toBe(true);
    expect(await states.renew(present!, 60_000, { n: 9 })).toBeNull();
    await owner.call(deleteWebhook, { params: { id } });
  });

  it("loses it when the webhook is changed, so that nothing more is sent to the old address", async () => {
    const states = createWebhookStates(topology.db);
    const { id, organization_id } = await owner.call(createWebhook, { body: { url } });
    const of = { _id: id, organization_id };
    const params = { id };
    for (const change of [
      () => owner.call(patchWebhook, { params, body: { batch_seconds: 9 } }),
      () => owner.call(rotateWebhook, { params }),
      () => owner.call(patchWebhook, { params, body: { is_enabled: false } }),
    ]) {
      const leased = await states.take(of, lease);
      await change();
      expect(await states.renew(leased!, 60_000, { n: 3 })).toBeNull();
    }
    expect(await states.take(of, lease)).toBeNull();
    await owner.call(deleteWebhook, { params });
  });

  it("knows the address from which it was created or taken over", async () => {
    const states = createWebhookStates(topology.db);
    const from = (address: string) => ({ headers: { [INTERNAL.clientAddress]: address } });
    const { id, organization_id } = await owner.call(createWebhook, { body: { url }, ...from("192.0.2.1") });
    const params = { id };
    const known = async () => (await states.awake(organization_id)).find(({ _id }) => _id === id)?.maker_address;
    await owner.call(patchWebhook, { params, body: { batch_seconds: 9 }, ...from("192.0.2.2") });
    expect(await known()).toBe("192.0.2.1");
    await owner.call(patchWebhook, { params, body: { url: `${url}/new` }, ...from("192.0.2.2") });
    expect(await known()).toBe("192.0.2.2");
    await owner.call(deleteWebhook, { params });
  });

  it("leaves a webhook alone during its backoff, whatever happens", async () => {
    const states = createWebhookStates(topology.db);
    const { id, organization_id } = await owner.call(createWebhook, { body: { url } });
    const of = { _id: id, organization_id };
    const isDue = async (): Promise<boolean> => (await states.due(1_000)).some(({ _id }) => _id === id);
    expect(await isDue()).toBe(true);
    await states.release((await states.take(of, lease))!, { ms: 60_000, rests: true }, { attempts: 2, last: 5 });
    expect([await states.awake(organization_id), await isDue(), await states.take(of, lease)]).toEqual([
      [],
      false,
      null,
    ]);
    await owner.call(deleteWebhook, { params: { id } });
  });
});
