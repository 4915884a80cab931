import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  createNetwork,
  createTag,
  createWebhook,
  deleteHost,
  deleteNetwork,
  deleteService,
  deleteSubnet,
  deleteTag,
  getHost,
  getService,
  getTopology,
  getWebhook,
  listBindings,
  listHosts,
  listInterfaces,
  listNetworks,
  listPorts,
  listServices,
  listWebhooks,
  updateHost,
  updateService,
  updateWebhook,
} from "@nts/shared/contract";
import { BACKGROUND } from "@nts/shared/work";
import { archiveOf, imported } from "../support/archives.js";
import { violationsIn } from "../support/invariants.js";
import { seedTopology } from "../support/seed.js";
import { startManualJournal, entriesDuring, startSweptTopology, type Sweeps } from "../support/sweeps.js";
import type { Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, onPort } from "../support/topology-world.js";

let topology: Topology;
let sweeps: Sweeps;

beforeAll(async () => {
  ({ topology, sweeps } = await startSweptTopology());
});
afterAll(() => topology.stop());

const violations = (): Promise<string[]> => violationsIn(topology.db);

describe("deleting large hosts", () => {
  it("hides them from reads, lists, counts and references, while their documents still exist", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const large = await aHost(world, { name: "large", interfaces: 2, ports: 2, services: 510 });
    const small = await aHost(world, { name: "small", interfaces: 1 });
    const kept = await aHost(world, { name: "kept", ports: 1, services: 1 });
    const bound = await aService(world, large, { bindings: [onPort(large.ports[0], large.interfaces[0])] });
    const body = [large.id, small.id];
    expect(await owner.call(bulkDeleteHosts, { body })).toEqual({ deleted_count: 2, requested_count: 2 });
    expect(await topology.db.collection("services").countDocuments({ host_id: large.id })).toBe(511);

    for (const caller of [owner, owner.via(1)]) {
      expect((await caller.list(listHosts, {})).rows.map(({ id }) => id)).toEqual([kept.id]);
      for (const query of [{}, { limit: 0 }, { order_by: "name" }, { host_id: large.id }, { q: "s0" }] as const) {
        const { rows, total } = await caller.list(listServices, { query });
        const expected = "host_id" in query ? [] : [kept.services[0]!.id];
        expect([query, rows.map(({ id }) => id), total]).toEqual([query, expected, expected.length]);
      }
      expect((await caller.list(listPorts, {})).rows).toEqual(kept.ports);
      for (const list of [listInterfaces, listBindings])
        expect(await caller.list(list, {})).toMatchObject({ rows: [], total: 0 });
      expect(await caller.refusal(getService, { params: bound })).toEqual([404, "not_found", { entity: "Service" }]);
      const stored = { params: bound, body: echoOf(bound) };
      expect(await caller.refusal(updateService, stored)).toEqual([404, "not_found", { entity: "Service" }]);
      expect(await caller.refusal(deleteService, { params: bound })).toEqual([404, "not_found", { entity: "Service" }]);
      expect((await caller.call(getTopology, { query: {} })).nodes).toHaveLength(3);
    }
    await owner.call(deleteSubnet, { params: world.subnet });
    expect(await violations()).toEqual([]);
    let documents = 0;
    await sweeps.sweep((number) => void (documents += number));
    expect(documents).toBe(511 + 1 + 2 + 3);
    await sweeps.sweep();
    expect(await violations()).toEqual([]);
    expect((await owner.list(listServices, { query: {} })).total).toBe(1);
  });
});

describe("deleting a tag that many entities carry", () => {
  it("removes it from every response at once, with the revisions and times that are stored later", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const tag = await owner.call(createTag, { body: { name: "everywhere" } });
    const host = await aHost(world, { services: 510 });
    const { name, network_id } = host;
    await owner.call(updateHost, { params: host, body: { name, network_id, tags: ["label", tag.id] } });
    const carry = [
      {
        $set: {
          tags: [tag.id],
          wire: { $replaceOne: { input: "$wire", find: '"tags":[]', replacement: `"tags":["${tag.id}"]` } },
        },
      },
    ];
    const services = topology.db.collection("services");
    await services.updateMany({ host_id: host.id }, carry);
    const service = host.services[0]!;
    const before = {
      service: await owner.send(getService, { params: service }),
      host: await owner.send(getHost, { params: host }),
    };
    expect(await owner.call(deleteTag, { params: tag })).toBeNull();
    expect(await services.countDocuments({ tags: tag.id })).toBe(510);
    expect(topology.notices).toContainEqual(["tag", owner.scope.organizationId, tag.id]);

    const responses: string[] = [];
    for (const caller of [owner, owner.via(1)]) {
      const found = await caller.send(getService, { params: service });
      expect([found.etag, found.etag === before.service.etag]).toEqual(['"2"', false]);
      const whole = await caller.send(getHost, { params: host });
      expect([before.service, before.host].map(({ etag }) => etag)).not.toContain(whole.etag);
      const texts = await Promise.all([
        caller.send(listHosts, {}).then(({ text }) => text),
        caller.send(listServices, { query: { limit: 0 } }).then(({ text }) => text),
        caller.send(listServices, { query: { q: "s1" } }).then(({ text }) => text),
        caller.send(getTopology, { query: {} }).then(({ text }) => text),
      ]);
      expect([found.text, whole.text, ...texts].filter((text) => text.includes(tag.id))).toEqual([]);
      for (const list of [listServices, listHosts] as const)
        expect(await caller.list(list, { query: { tag_ids: [tag.id] } })).toMatchObject({ rows: [], total: 0 });
      expect((await caller.list(listHosts, { query: { tag_ids: [tag.id, "label"] } })).total).toBe(1);
      responses.push(found.text, (await caller.send(listServices, { query: { limit: 0 } })).text);
      const given = { params: service, body: { ...echoOf(service), tags: [tag.id] } };
      expect(await caller.refusal(updateService, given)).toEqual([400, "invalid_reference", { path: "tags.0" }]);
    }
    await owner.call(createTag, { body: { name: "everywhere" } });
    const body = { name: "renamed", network_id };
    const stale = { "if-match": before.host.etag ?? "" };
    expect(await owner.refusal(updateHost, { params: host, body, headers: stale })).toMatchObject({ 0: 412 });
    expect(await owner.refusal(deleteHost, { params: host, headers: stale })).toMatchObject({ 0: 412 });
    const current = { "if-match": (await owner.send(getHost, { params: host })).etag ?? "" };
    expect((await owner.send(updateHost, { params: host, body, headers: current })).status).toBe(200);
    const { etag } = await owner.send(getHost, { params: host });
    expect(await violations()).toEqual([]);

    await sweeps.sweep();
    expect(await services.countDocuments({ tags: tag.id })).toBe(0);
    await sweeps.sweep();
    const after = await owner.send(getService, { params: service });
    expect((await owner.send(getHost, { params: host })).etag).toBe(etag);
    expect([after.text, (await owner.send(listServices, { query: { limit: 0 } })).text, after.etag]).toEqual([
      ...responses.slice(0, 2),
      '"2"',
    ]);
    expect(await violations()).toEqual([]);
  });
});

describe("deleting a large network", () => {
  it("keeps the rights of unrestricted callers to all networks", async () => {
    const owner = topology.aCaller();
    const large = await aNetwork(owner);
    await aHost(large, { services: 510 });
    const small = await owner.call(createNetwork, { body: { name: "small" } });
    const webhook = await owner.call(createWebhook, { body: { url: "https://example.com/hook" } });
    const { text } = await archiveOf(owner);
    await owner.call(deleteNetwork, { params: large.network });
    expect((await owner.list(listNetworks, {})).rows.map(({ id }) => id)).toEqual([small.id]);

    expect((await owner.list(listWebhooks, {})).rows.map(({ id }) => id)).toEqual([webhook.id]);
    const { url } = await owner.call(getWebhook, { params: webhook });
    await owner.call(updateWebhook, { params: webhook, body: { url, is_enabled: false } });
    await owner.call(createWebhook, { body: { url } });
    const hidden = { filter: { ...webhook.filter, network_ids: [large.network.id] } };
    expect(await owner.refusal(createWebhook, { body: { url, ...hidden } })).toMatchObject({ 1: "invalid_reference" });

    const { summary } = await imported(owner, text);
    expect([summary.Network.create, summary.Service.create]).toEqual([1, 510]);
    await sweeps.sweep();
    await sweeps.sweep();
    expect(await violations()).toEqual([]);
  });
});

describe("the deletion of a tag that many entities carry", () => {
  it("is complete once the journal has recorded it for all of them, and is not recorded again", async () => {
    const owner = topology.aCaller();
    const { organizationId } = owner.scope;
    const { id: tagId } = await owner.call(createTag, { body: { name: "doomed" } });
    await seedTopology(topology.db, { organizationId, networks: 1, hostsPerNetwork: 60, servicesPerHost: 10, tagId });
    const carriers = (): Promise<number> => topology.db.collection("services").countDocuments({ tags: tagId });
    const journal = await startManualJournal(topology.db);
    try {
      await owner.call(deleteTag, { params: { id: tagId } });
      await journal.takeEvents();
      const events = await entriesDuring(topology.db, async () => {
        await journal.record(300);
        await sweeps.sweepRecorded();
        expect(await carriers()).toBe(600);
        await journal.record();
        await sweeps.sweepRecorded();
      });
      expect(await carriers()).toBe(0);
      expect(events.filter((one) => one.organizationId === organizationId)).toEqual([]);
      const updates = { organization_id: organizationId, entity: "Service", action: "updated" };
      expect(await topology.db.collection("journal").countDocuments(updates)).toBe(600);
    } finally {
      await journal.close();
    }
  });

  it("is recorded by the sweep when its process died before", async () => {
    const owner = topology.aCaller();
    const tag = await owner.call(createTag, { body: { name: "unsaid" } });
    const { organizationId } = owner.scope;
    const { storage } = sweeps;
    await storage.transaction(BACKGROUND, [], (session) =>
      storage.deletions.hide(session, organizationId, "tags", [tag.id]),
    );
    await sweeps.sweep();
    expect(sweeps.announced).toContain(tag.id);
  });
});
