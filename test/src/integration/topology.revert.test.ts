/** Reverting requests: what is restored, and what is rejected. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteServices,
  createHost,
  createTag,
  deleteHost,
  deleteNetwork,
  deletePort,
  deleteSubnet,
  deleteTag,
  getHost,
  HISTORIES,
  listChanges,
  patchHost,
  patchNetwork,
  patchPort,
  patchService,
  patchSubnet,
  patchTag,
  revertChanges,
} from "@nts/shared/contract";
import { createLog } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { journalCollections } from "@nts/topology/journal/collections";
import { type Journal, startJournal } from "@nts/topology/journal/journal";
import { waitForJournal, currentState } from "../support/moments.js";
import { withRequestId, expectReplayEqualsLists, revert, withoutTimes } from "../support/reverts.js";
import { sweepsOf } from "../support/sweeps.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onInterface, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

/** The number of children of each kind on a host whose deletion exceeds one transaction. */
const LARGE = Number(process.env["REVERT_LARGE"] ?? 170);

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

const reasons = (params: Readonly<Record<string, unknown>>) =>
  (params["conflicts"] as { entity: string; reason: string }[]).map(({ entity, reason }) => `${entity} ${reason}`);

/** A host with two interfaces, two ports and three services, one of them with both kinds of bindings. */
async function aFullHost(world: World) {
  const host = await aHost(world, { interfaces: 2, ports: 2, services: 2 });
  const bindings = [onPort(host.ports[0], host.interfaces[0]), onInterface(host.interfaces[1])];
  const service = await aService(world, host, { bindings, position: 1 });
  return { host, service };
}

describe("a revert while a large network is being deleted", () => {
  it("restores another network", async () => {
    const owner = topology.aCaller();
    const large = await aNetwork(owner);
    const small = await aNetwork(owner);
    await aHost(large, { services: 510 });
    const request = await withRequestId((headers) => owner.call(deleteNetwork, { params: small.network, headers }));
    await owner.call(deleteNetwork, { params: large.network });
    expect((await revert(owner, request)).data).toMatchObject({ restored: 2 });
  });
});

describe("a revert of a deletion", () => {
  it("restores a host with all children, with their ids, positions and bindings", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const { host } = await aFullHost(world);
    const before = await owner.call(getHost, { params: host });
    const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
    const { data, status } = await revert(owner, request);
    expect([status, data]).toEqual([200, { request_id: request, restored: 8, updated: 0, removed: 0 }]);
    const after = await owner.call(getHost, { params: host });
    const timeless = (text: object): string => JSON.stringify(text).replace(/"updated_at":"[^"]*"/g, "");
    expect(timeless(after)).toBe(timeless(before));
    // Everything about it works as before.
    await owner.call(patchService, { params: after.services[1]!, body: { position: 0, name: "first" } });
    await owner.call(deletePort, { params: after.ports[0]! });
    expect((await owner.call(getHost, { params: host })).services[0]?.bindings).toHaveLength(1);
    await expectReplayEqualsLists(owner);
  });

  it("is recorded with a comment that names the request, and continues the host's history", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world);
    const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
    await owner.call(revertChanges, { body: { request_id: request }, headers: { "change-comment": "by mistake" } });
    await waitForJournal(owner);
    const history = await owner.call(HISTORIES.Host, { params: host, query: {} });
    expect(history.map(({ action }) => action)).toEqual(["created", "deleted", "created"]);
    expect(history.at(-1)?.comment).toBe(`takes back ${request}: by mistake`);
  });

  it("restores a tag on everything that carried it, a subnet with its reserved ranges, a whole network", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network, subnet } = world;
    const tag = await owner.call(createTag, { body: { name: "rack" } });
    const { host, service } = await aFullHost(world);
    await owner.call(patchHost, { params: host, body: { tags: [tag.id, "label"] } });
    await owner.call(patchService, { params: service, body: { tags: [tag.id] } });
    await owner.call(patchNetwork, { params: network, body: { tags: [tag.id] } });
    await owner.call(patchSubnet, {
      params: subnet,
      body: { reserved: [{ from: "10.0.9.0", to: "10.0.9.9", purpose: "" }] },
    });
    const before = withoutTimes(await currentState(owner));
    for (const remove of [
      (headers: object) => owner.call(deleteTag, { params: tag, headers: { ...headers } }),
      (headers: object) => owner.call(deleteNetwork, { params: network, headers: { ...headers } }),
    ]) {
      const request = await withRequestId(remove);
      expect((await revert(owner, request)).status).toBe(200);
      expect(withoutTimes(await currentState(owner))).toEqual(before);
    }
    // Counts and guards are restored with them.
    expect((await owner.refusal(deleteSubnet, { params: subnet }))[1]).toBe("in_use");
    await owner.call(deleteTag, { params: tag });
    expect((await owner.call(getHost, { params: host })).tags).toEqual(["label"]);
    await expectReplayEqualsLists(owner);
  });
});

describe("a revert while the journal is read", () => {
  it("is recorded once, also when the journal resumes from a position before the deletion", async () => {
    const older = await startTopology();
    const keepers: Journal[] = [];
    const collections = journalCollections(older.db);
    const keep = (): Journal => {
      const log = createLog("test", "silent");
      const registry = createRegistry("topology");
      const keeper = startJournal({ collections, registry, log, retentionDays: 90, onRecorded: () => undefined });
      keepers.push(keeper);
      return keeper;
    };
    try {
      const world = await aNetwork(older.aCaller());
      const { owner } = world;
      const keeper = keep();
      const host = await aHost(world, { ports: 1 });
      await waitForJournal(owner);
      await until(async () => (await collections.tails.findOne({ _id: "topology" })) !== null);
      const { token } = (await collections.tails.findOne({ _id: "topology" }))!;
      const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
      await owner.call(revertChanges, { body: { request_id: request } });
      await owner.call(patchHost, { params: host, body: { name: "back" } });
      await waitForJournal(owner);
      const recorded = (await owner.call(listChanges, { query: { limit: 1000 } })).length;
      await keeper.stop();
      await collections.tails.updateOne({ _id: "topology" }, { $set: { token } });
      keep();
      await expectReplayEqualsLists(owner);
      expect(await owner.call(listChanges, { query: { limit: 1000 } })).toHaveLength(recorded + 1);
    } finally {
      await Promise.all(keepers.map((keeper) => keeper.stop()));
      await older.stop();
    }
  });
});

describe("a revert of a hidden deletion", () => {
  it("is rejected until it is swept: restored entities are not swept again, and can be changed", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network, subnet } = world;
    const some = Array.from({ length: LARGE }, (_, n) => n);
    const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const interfaces = some.map((n) => ({
      ip_address: `10.0.${n >> 8}.${n & 255}`,
      subnet_id: subnet.id,
      name: "eth",
    }));
    const ports = some.map((n) => ({ id: idOf(n), number: n + 1, protocol: "Tcp" as const }));
    const services = some.map((n) => ({
      name: `s${n}`,
      service_definition: "nginx",
      bindings: [onPort({ id: idOf(n) })],
    }));
    const body = { network_id: network.id, name: "large", interfaces, ports, services };
    const host = await owner.call(createHost, { body });
    const before = withoutTimes(await currentState(owner));
    const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
    const refused = await revert(owner, request);
    expect([refused.code, new Set(reasons(refused.params)).has("Host being_deleted")]).toEqual([
      "revert_conflict",
      true,
    ]);
    const { sweep } = sweepsOf(topology);
    await sweep();
    await sweep();
    const startedAt = performance.now();
    expect((await revert(owner, request)).data).toMatchObject({ restored: 3 * LARGE + 1 });
    if (process.env["REVERT_LARGE"]) console.log(`taken back in ${(performance.now() - startedAt).toFixed(0)} ms`);
    await until(async () => JSON.stringify(withoutTimes(await currentState(owner))) === JSON.stringify(before));
    await sweep();
    await owner.call(patchService, { params: host.services[LARGE - 1]!, body: { position: 0 } });
    await owner.call(deleteHost, { params: host });
    await expectReplayEqualsLists(owner);
  });
});

describe("a rejected revert", () => {
  it("lists what was changed, deleted, created, or is in the way, and changes nothing", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const { host } = await aFullHost(world);
    const whole = await owner.call(getHost, { params: host });
    const refusalOf = async (
      act: (headers: { "x-request-id": string }) => Promise<unknown>,
      ...later: (() => Promise<unknown>)[]
    ): Promise<string[]> => {
      const request = await withRequestId(act);
      for (const one of later) await one();
      const was = await currentState(owner);
      const { status, code, params } = await revert(owner, request);
      expect([status, code]).toEqual([409, "revert_conflict"]);
      expect([...(await currentState(owner))]).toEqual([...was]);
      return reasons(params);
    };
    const [, second, last] = whole.services;
    expect(
      await refusalOf(
        (headers) => owner.call(patchHost, { params: host, body: { name: "one" }, headers }),
        () => owner.call(patchHost, { params: host, body: { name: "two" } }),
      ),
    ).toEqual(["Host changed"]);
    expect(
      await refusalOf(
        (headers) => owner.call(patchPort, { params: whole.ports[1]!, body: { number: 99 }, headers }),
        () => owner.call(deletePort, { params: whole.ports[1]! }),
      ),
    ).toEqual(["Port deleted"]);
    expect(
      await refusalOf(
        (headers) => owner.call(bulkDeleteServices, { body: [last!.id], headers }),
        () => aService(world, host, { name: "later" }),
      ),
    ).toEqual(["Service in_the_way"]);
    const made: { id: string }[] = [];
    const body = { network_id: world.network.id, name: "new" };
    expect(
      await refusalOf(
        async (headers) => made.push(await owner.call(createHost, { body, headers })),
        () => aService(world, { ...host, id: made[0]!.id }, { name: "on the new one" }),
      ),
    ).toEqual(["Service depends"]);
    const tags: { id: string }[] = [];
    expect(
      await refusalOf(
        async (headers) => tags.push(await owner.call(createTag, { body: { name: "mine" }, headers })),
        () => owner.call(patchService, { params: second!, body: { tags: [tags[0]!.id] } }),
      ),
    ).toEqual(["Service depends"]);
    expect(
      await refusalOf(
        (headers) => owner.call(deleteHost, { params: host, headers }),
        () => owner.call(deleteNetwork, { params: world.network }),
      ),
    ).toEqual(expect.arrayContaining(["Network deleted"]));
  });
});

describe("a revert: limits and dry runs", () => {
  it("fails for a second time, for an unknown request, and beyond the caller's permissions", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network } = world;
    const other = await aNetwork(owner, "Other");
    const host = await aHost(world);
    const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
    const elsewhere = owner.restrictedTo([other.network.id]);
    expect((await revert(elsewhere, request)).code).toBe("not_found");
    expect((await revert(owner, "nothing")).code).toBe("not_found");
    const viewer = owner.colleague({ permission: "Viewer" });
    expect((await revert(viewer, request)).code).toBe("permission_denied");
    const member = owner.colleague({ permission: "Member", networks: [network.id] });
    expect((await revert(member, request)).status).toBe(200);
    expect((await revert(owner, request)).code).toBe("revert_conflict");
    const tag = await owner.call(createTag, { body: { name: "rack" } });
    const tagged = await withRequestId((headers) =>
      owner.call(patchTag, { params: tag, body: { name: "shelf" }, headers }),
    );
    expect((await revert(member, tagged)).params).toEqual({ required: "Admin" });
    expect((await revert(owner.restrictedTo([network.id]), tagged)).params).toEqual({ required: "all_networks" });
    expect((await revert(owner, tagged)).status).toBe(200);
  });

  it("reports in a dry run what would be written, and writes nothing", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const { host } = await aFullHost(world);
    const request = await withRequestId((headers) => owner.call(deleteHost, { params: host, headers }));
    const was = await currentState(owner);
    const tried = await owner.send(revertChanges, { body: { request_id: request }, query: { dry_run: true } });
    expect(tried.data).toEqual({ request_id: request, restored: 8, updated: 0, removed: 0 });
    const planned = tried.meta.plan!.changes.map(({ action, entity }) => `${action} ${entity}`);
    expect(planned.filter((one) => one.endsWith("Service"))).toEqual(Array.from({ length: 3 }, () => "create Service"));
    expect([...(await currentState(owner))]).toEqual([...was]);
    const headers = { "if-match": tried.meta.plan!.etag };
    expect((await owner.send(revertChanges, { body: { request_id: request }, headers })).status).toBe(200);
    await expectReplayEqualsLists(owner);
  });
});
