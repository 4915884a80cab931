/** The journal of changes: entries of every kind of write, permissions, and reading. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Change,
  createHost,
  createTag,
  deleteHost,
  deleteNetwork,
  deletePort,
  deleteTag,
  getService,
  HISTORIES,
  listChanges,
  patchService,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { waitForJournal } from "../support/moments.js";
import { startReplay } from "../support/replay.js";
import { sweepsOf } from "../support/sweeps.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";
import { withoutSightings } from "../support/without-sightings.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ instances: 2, journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

/** The changes of an organization once one of `entity_id` with this `action` is recorded. */
async function changesUntil(caller: Caller, entity_id: string, action: Change["action"]): Promise<Change[]> {
  const changes: Change[] = [];
  let after: string | null | undefined;
  await until(async () => {
    const { data, meta } = await caller.send(listChanges, { query: { limit: 1000, ...(after && { after }) } });
    after = meta.next;
    changes.push(...data);
    return changes.some((one) => one.entity_id === entity_id && one.action === action);
  });
  return changes;
}

/** The changes after a cursor, up to a mark of their own. */
async function changesSince(world: Pick<World, "owner">, after?: string): Promise<Change[]> {
  const mark = await world.owner.call(createTag, { body: { name: `mark ${Math.random()}` } });
  const all = await changesUntil(world.owner, mark.id, "created");
  const from = after === undefined ? 0 : all.findIndex(({ cursor }) => cursor === after) + 1;
  return all.slice(from, -1);
}

const last = (changes: readonly Change[]): Change => changes.at(-1)!;
const described = (changes: readonly Change[]): string[] =>
  changes.map(({ action, entity, name }) => `${action} ${entity} ${name}`);

/** A replay over the service itself. */
const replayOf = (caller: Caller) =>
  startReplay(async (path) => {
    const { status, data, meta, text } = await caller.raw("get", path);
    if (status !== 200) throw new Error(text);
    return { data, meta };
  });

describe("journal entries", () => {
  it("contain for each write who did it, on which request and why, and the entity before and after", async () => {
    const world = await aNetwork(topology.aCaller());
    const host = await aHost(world, { ports: 1 });
    const service = await aService(world, host);
    const before = await world.owner.call(getService, { params: service });
    const headers = { "change-comment": "moved to the rack", "x-request-id": "the-request" };
    const after = await world.owner.call(updateService, {
      params: service,
      body: { ...echoOf(before), name: "front" },
      headers,
    });
    const changes = await changesSince(world);
    expect(described(changes)).toEqual([
      "created Network Home",
      "created Subnet LAN",
      "created Host nas",
      "created Port 1/Tcp",
      "created Service web",
      "updated Service front",
    ]);
    expect(last(changes)).toMatchObject({
      ...{
        before: withoutSightings(before),
        after: withoutSightings(after),
        fields: ["name"],
        request_id: "the-request",
        comment: "moved to the rack",
        reconciled: false,
      },
      ...{ network_id: world.network.id, host_id: host.id },
      actor: { user_id: expect.any(String), key_id: expect.any(String), email: null },
    });
  });

  it("are absent for a write that changes nothing, is rolled back, or is a dry run", async () => {
    const world = await aNetwork(topology.aCaller());
    const host = await aHost(world, { services: 1 });
    const [service] = host.services;
    const { cursor } = last(await changesSince(world));
    await world.owner.call(updateService, { params: service!, body: echoOf(service!) });
    await world.owner.call(deleteHost, { params: host, query: { dry_run: true } });
    await world.owner.refusal(updateService, { params: service!, body: { ...echoOf(service!), tags: [host.id] } });
    expect(described(await changesSince(world, cursor))).toEqual([expect.stringMatching(/^created Tag mark/)]);
  });
});

describe("journal entries of large writes", () => {
  it("are one for each entity that a write shifts, unbinds or deletes along", async () => {
    const world = await aNetwork(topology.aCaller());
    const host = await aHost(world, { ports: 1, services: 3 });
    const [first] = host.services;
    const bound = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    const begin = last(await changesSince(world));
    await world.owner.call(updateService, { params: first!, body: { ...echoOf(first!), position: 1 } });
    await world.owner.call(deletePort, { params: host.ports[0]! });
    await world.owner.call(deleteHost, { params: host });
    const changes = (await changesSince(world, begin.cursor)).filter(({ entity }) => entity !== "Tag");
    expect(described(changes.slice(0, 2)).sort()).toEqual(["updated Service s0", "updated Service s1"]);
    expect(changes.slice(0, 2).map(({ fields }) => fields)).toEqual([["position"], ["position"]]);
    expect(described(changes.slice(2, 4)).sort()).toEqual(["deleted Port 1/Tcp", "updated Service web"]);
    expect(changes.find(({ name, fields }) => name === "web" && fields.includes("bindings"))?.entity_id).toBe(bound.id);
    expect(described(changes.slice(4)).sort()).toEqual([
      "deleted Host nas",
      "deleted Service s0",
      "deleted Service s1",
      "deleted Service s2",
      "deleted Service web",
    ]);
    for (const change of changes.slice(4)) expect(change).toMatchObject({ after: null, actor: expect.anything() });
  });

  it("are written for a large deletion when it is hidden, and not again when it is swept", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const other = await aNetwork(owner, "Office");
    const tag = await owner.call(createTag, { body: { name: "shared" } });
    const services = Array.from({ length: 501 }, (_, n) => ({
      name: `s${n}`,
      service_definition: "nginx",
      tags: [tag.id],
    }));
    const body = (of: World) => ({ network_id: of.network.id, name: "large", services });
    const kept = await owner.call(createHost, { body: body(other) });
    await owner.call(createHost, { body: body(world) });
    const gone = await owner.call(createHost, { body: body(other) });
    const replay = replayOf(owner);

    await owner.call(deleteTag, { params: tag });
    await owner.call(deleteHost, { params: gone });
    await owner.call(deleteNetwork, { params: world.network });
    await owner.via(1).call(patchService, { params: kept.services[0]!, body: { name: "renamed" } });
    await changesUntil(owner, kept.services[0]!.id, "updated");
    await changesSince(world);
    const changes = await replay.follow();
    expect(replay.faults).toEqual([]);
    expect(await replay.differences()).toEqual([]);
    const count = (action: string, entity: string): number =>
      changes.filter((one) => one.action === action && one.entity === entity).length;
    expect([count("deleted", "Service"), count("deleted", "Host"), count("deleted", "Network")]).toEqual([1002, 2, 1]);
    expect(count("updated", "Service")).toBe(1503 + 1);
    for (const change of changes) expect(change.actor).not.toBeNull();

    await sweepsOf(topology).sweep();
    const after = await replay.follow();
    expect([after, replay.faults]).toEqual([[], []]);
    expect(await replay.differences()).toEqual([]);
  });
});

describe("reading the journal", () => {
  it("shows callers with limited networks only theirs, completely, and tags", async () => {
    const owner = topology.aCaller();
    const home = await aNetwork(owner);
    const office = await aNetwork(owner, "Office");
    await aHost(home);
    await aHost(office, { name: "secret" });
    const replay = replayOf(owner.restrictedTo([home.network.id]));
    await changesSince(home);
    const changes = await replay.follow();
    expect(described(changes)).toEqual([
      "created Network Home",
      "created Subnet LAN",
      "created Host nas",
      expect.stringMatching(/^created Tag/),
    ]);
    expect([replay.faults, await replay.differences()]).toEqual([[], []]);
  });

  it("continues from a cursor, backwards too, and recognizes a foreign cursor", async () => {
    const world = await aNetwork(topology.aCaller());
    for (let n = 0; n < 5; n++) await aHost(world, { name: `host ${n}` });
    const all = await changesSince(world);
    const { owner } = world;
    const page = await owner.send(listChanges, { query: { limit: 3, entity: "Host" } });
    const next = await owner.send(listChanges, { query: { limit: 3, entity: "Host", after: page.meta.next! } });
    expect(described([...page.data, ...next.data])).toEqual(described(all.filter(({ entity }) => entity === "Host")));
    const back = await owner.call(listChanges, { query: { order_direction: "desc", after: page.data[2]!.cursor } });
    expect(described(back)).toEqual(described(all.slice(0, 4)).reverse());
    const stranger = topology.aCaller();
    expect(await stranger.refusal(listChanges, { query: { after: page.meta.next! } })).toEqual([
      400,
      "cursor_invalid",
      {},
    ]);
    const since = all[3]!.at;
    const later = await owner.call(listChanges, { query: { since, limit: 1000 } });
    expect(later.every(({ at }) => at >= since)).toBe(true);
    expect(later.map(({ cursor }) => cursor)).toContain(all[3]!.cursor);
    const earlier = await owner.call(listChanges, { query: { until: since, limit: 1000 } });
    expect(earlier.every(({ at }) => at < since)).toBe(true);
  });
});

describe("reading the journal: waiting and histories", () => {
  it("delays an empty response until something arrives that the caller may see", async () => {
    const owner = topology.aCaller();
    const home = await aNetwork(owner);
    const office = await aNetwork(owner, "Office");
    await changesSince(home);
    const limited = owner.restrictedTo([home.network.id]);
    const { meta } = await limited.send(listChanges, { query: { limit: 1000 } });
    const waiting = limited.send(listChanges, { query: { after: meta.next!, wait: 20 } });
    await aHost(office, { name: "not seen" });
    const host = await aHost(home, { name: "seen" });
    expect(described((await waiting).data)).toEqual(["created Host seen"]);
    expect((await owner.call(HISTORIES.Host, { params: host })).length).toBe(1);
  });

  it("returns an empty page at the timeout", async () => {
    const world = await aNetwork(topology.aCaller());
    await changesSince(world);
    const { meta } = await world.owner.send(listChanges, { query: { limit: 1000 } });
    const response = await world.owner.send(listChanges, { query: { after: meta.next!, wait: 1 } });
    expect([response.data, response.meta.next]).toEqual([[], meta.next]);
  });

  it("returns the history of an entity, of a host with its children, also when it is deleted, to authorized callers only", async () => {
    const owner = topology.aCaller();
    const home = await aNetwork(owner);
    const office = await aNetwork(owner, "Office");
    const host = await aHost(home, { ports: 1 });
    await owner.call(updateHost, { params: host, body: { ...host, name: "renamed" } });
    await owner.call(deleteHost, { params: host });
    await changesUntil(owner, host.id, "deleted");
    const ofHost = await owner.call(HISTORIES.Host, { params: host });
    expect(described(ofHost)).toEqual([
      "created Host nas",
      "created Port 1/Tcp",
      "updated Host renamed",
      "deleted Host renamed",
      "deleted Port 1/Tcp",
    ]);
    const ofPort = await owner.call(HISTORIES.Port, { params: host.ports[0]!, query: { order_direction: "desc" } });
    expect(described(ofPort)).toEqual(["deleted Port 1/Tcp", "created Port 1/Tcp"]);
    const stranger = owner.restrictedTo([office.network.id]);
    for (const caller of [stranger, topology.aCaller()])
      expect(await caller.refusal(HISTORIES.Host, { params: host })).toEqual([404, "not_found", { entity: "Host" }]);
    expect(await owner.refusal(HISTORIES.Service, { params: host.ports[0]! })).toEqual([
      404,
      "not_found",
      { entity: "Service" },
    ]);
    expect((await owner.call(HISTORIES.Network, { params: office.network })).length).toBe(1);
  });
});
