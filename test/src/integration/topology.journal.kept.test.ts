/**
 * How the journal is written: by which process, from where it resumes, retention, and running alongside builds without a journal.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type Change,
  createTag,
  deleteHost,
  deleteNetwork,
  deletePort,
  HISTORIES,
  listChanges,
  patchService,
  streamChanges,
  updateHost,
} from "@nts/shared/contract";
import { createLog } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { journalCollections } from "@nts/topology/journal/collections";
import { follow } from "@nts/topology/journal/follow";
import { type Journal, startJournal } from "@nts/topology/journal/journal";
import { sweepJournal } from "@nts/topology/journal/retention";
import { startReplay } from "../support/replay.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let keepers: Journal[];
let stopping: () => Promise<void>;
let world: World;

beforeEach(async () => {
  topology = await startTopology();
  keepers = [];
  stopping = () => Promise.resolve();
  world = await aNetwork(topology.aCaller());
});
afterEach(async () => {
  await stopping();
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  await topology.stop();
});

function keep(collections = journalCollections(topology.db)): Journal {
  const keeper = startJournal({
    collections,
    registry: createRegistry("topology"),
    log: createLog("test", process.env["TEST_LOG_LEVEL"] ?? "silent"),
    retentionDays: 90,
    onRecorded: () => undefined,
  });
  keepers.push(keeper);
  return keeper;
}

/** All recorded changes, optionally after one of them, once a mark of now is recorded. */
async function recordedChanges(caller: Caller = world.owner, last?: Change): Promise<Change[]> {
  const { id } = await caller.call(createTag, { body: { name: `mark ${Math.random()}` } });
  let changes: Change[] = [];
  await until(async () => {
    changes = await caller.call(listChanges, { query: { limit: 1000, ...(last && { after: last.cursor }) } });
    return changes.some(({ entity_id }) => entity_id === id);
  });
  return changes;
}

async function expectWhole(last?: Change): Promise<void> {
  await recordedChanges(world.owner, last);
  const replay = startReplay(async (path) => world.owner.raw("get", path));
  await replay.follow();
  expect([replay.faults, await replay.differences()]).toEqual([[], []]);
}

/** Keeps the journal from a place that no server knows: the oplog of this one reaches back to its beginning. */
async function keepWithoutPlace(): Promise<void> {
  const { tails } = journalCollections(topology.db);
  await tails.updateOne({ _id: "topology" }, { $set: { token: { _data: "none" } } }, { upsert: true });
  keep();
  await until(async () => (await tails.findOne({ _id: "topology" }))!.token["_data"] !== "none");
}

const described = (changes: readonly Change[]): string[] =>
  changes.map(({ action, entity, name }) => `${action} ${entity} ${name}`);

describe("changes that cancel each other out while the journal is not kept", () => {
  it("are one reconciled entry without changed fields", async () => {
    const keeper = keep();
    const host = await aHost(world, { name: "nas" });
    const before = await recordedChanges();
    await keeper.stop();
    for (const name of ["another", host.name])
      await world.owner.call(updateHost, { params: host, body: { ...host, name } });
    await keepWithoutPlace();
    const [updated, ...others] = (await recordedChanges())
      .slice(before.length)
      .filter(({ entity }) => entity === "Host");
    expect(updated).toMatchObject({ action: "updated", entity_id: host.id, fields: [], reconciled: true });
    expect(others).toEqual([]);
    await expectWhole();
  });
});

describe("a journal that continues", () => {
  it("records what existed before it as reconciled, and everything since as it happened", async () => {
    await aHost(world, { ports: 1 });
    keep();
    await until(async () => (await world.owner.call(listChanges, { query: {} })).length === 4);
    await aHost(world, { name: "later" });
    const changes = await recordedChanges();
    const before = changes.filter(({ reconciled }) => reconciled);
    expect(described(before)).toEqual([
      "created Network Home",
      "created Subnet LAN",
      "created Host nas",
      "created Port 1/Tcp",
    ]);
    expect(before.every(({ actor }) => actor === null)).toBe(true);
    expect(described(changes.slice(4))).toEqual(["created Host later", expect.stringMatching(/^created Tag/)]);
  });

  it("catches up after the database lost its history: with what is new, has changed, and is deleted", async () => {
    const keeper = keep();
    await recordedChanges();
    const changed = await aHost(world, { name: "old" });
    const gone = await aHost(world, { name: "gone", ports: 1 });
    const before = await recordedChanges();
    await keeper.stop();
    await world.owner.call(updateHost, { params: changed, body: { ...changed, name: "new" } });
    await world.owner.call(deleteHost, { params: gone });
    await aHost(world, { name: "added" });
    await keepWithoutPlace();
    const missing = (await recordedChanges()).slice(before.length).filter(({ entity }) => entity !== "Tag");
    const names = described(missing);
    const updated = missing.find(({ action }) => action === "updated");
    expect(names.sort()).toEqual(["created Host added", "deleted Host gone", "deleted Port 1/Tcp", "updated Host new"]);
    expect([updated?.fields, updated?.reconciled]).toEqual([["name"], true]);
    await expectWhole();
  });

  it("is written by one process at a time, and two that both believe it is theirs record nothing twice", async () => {
    const collections = journalCollections(topology.db);
    const log = createLog("test", "silent");
    const ended = new AbortController();
    const parts = { collections, onRecorded: () => undefined, log, count: () => undefined };
    const followUntilEnded = async (): Promise<void> => {
      while (!ended.signal.aborted) await follow(parts, ended.signal).catch(() => sleep(50 * Math.random()));
    };
    const both = [followUntilEnded(), followUntilEnded()];
    stopping = async () => {
      ended.abort();
      await Promise.all(both);
    };
    const services = (await aHost(world, { services: 5 })).services;
    for (let n = 0; n < 40; n++)
      await world.owner.call(patchService, { params: services[n % 5]!, body: { name: `name ${n}` } });
    await expectWhole();
  });
});

describe("while a large deletion is recorded", () => {
  it("records changes of other organizations, and later ones of its own afterwards", async () => {
    const other = await aNetwork(topology.aCaller());
    await aHost(world, { services: 501 });
    const reading = createBlockedReads();
    keep(reading.collections);
    const before = await recordedChanges();

    await world.owner.call(deleteNetwork, { params: world.network });
    const { id } = await world.owner.call(createTag, { body: { name: "after the deletion" } });
    await reading.started;
    // More than one batch, and more that arrives meanwhile.
    const late = await aNetwork(world.owner, "Late");
    for (let more = 0; more < 2; more++) await aHost(late, { services: 150 });
    await recordedChanges(other.owner);
    expect(await world.owner.call(listChanges, { query: { limit: 1000 } })).toHaveLength(before.length);

    reading.resume();
    const after = await recordedChanges(world.owner, before.at(-1));
    expect(after.filter(({ action, entity }) => action === "deleted" && entity === "Service")).toHaveLength(501);
    const places = after.map(({ action, entity_id }, n) => (action === "deleted" || entity_id === id ? n : -1));
    expect(Math.max(...places)).toBe(after.findIndex(({ entity_id }) => entity_id === id));
    await expectWhole(after.at(-1));
    await until(async () => (await topology.db.collection("journal_backlog").countDocuments()) === 0);
  });
});

/** Collections whose reads of children are blocked until they are released. */
function createBlockedReads() {
  const collections = journalCollections(topology.db);
  let begin = (): void => undefined;
  let resume = (): void => undefined;
  const started = new Promise<void>((resolve) => (begin = resolve));
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const batches: typeof collections.batches = async function* (find, moment) {
    begin();
    await resumed;
    yield* collections.batches(find, moment);
  };
  return {
    collections: { ...collections, batches },
    started,
    resume: () => {
      resume();
    },
  };
}

describe("a document that is changed in the database past the service", () => {
  it("is recorded as changed and deleted, without an author", async () => {
    keep();
    await recordedChanges();
    const host = await aHost(world, { ports: 1 });
    const service = await aService(world, host);
    await recordedChanges();
    const services = topology.db.collection<{ _id: string; wire: string; revision: number }>("services");
    const stored = await services.findOne({ _id: service.id });
    const wire = stored!.wire.replace('"web"', '"past the service"');
    await services.updateOne({ _id: service.id }, { $set: { wire, revision: stored!.revision + 1 } });
    await world.owner.call(patchService, { params: service, body: { tags: ["here"] } });
    await services.deleteOne({ _id: service.id });
    await until(async () => (await world.owner.call(listChanges, { query: { entity_id: service.id } })).length === 4);
    const changes = await world.owner.call(listChanges, { query: { entity_id: service.id } });
    expect(described(changes).slice(1)).toEqual([
      "updated Service past the service",
      "updated Service past the service",
      "deleted Service past the service",
    ]);
    expect(changes.map(({ actor }) => actor === null)).toEqual([false, true, false, true]);
  });
});

describe("entries after the retention period", () => {
  it("are no longer returned, and older cursors rejected; the last state of existing entities is kept", async () => {
    keep();
    // What its first comparison does not find comes in order.
    await recordedChanges();
    const kept = await aHost(world, { name: "kept" });
    const gone = await aHost(world, { name: "gone", ports: 1 });
    await world.owner.call(deletePort, { params: gone.ports[0]! });
    await world.owner.call(deleteHost, { params: gone });
    const old = await recordedChanges();
    const collections = journalCollections(topology.db);
    await sweepJournal(collections, new Date(), new AbortController().signal, 0);
    const { refusal, send, call } = world.owner;
    expect((await send(listChanges, { query: {} })).data).toEqual([]);
    const [status, code, params] = await refusal(listChanges, { query: { after: old[0]!.cursor } });
    expect([status, code]).toEqual([410, "changes_gone"]);
    // A resumed stream gets the error before it begins.
    expect(await refusal(streamChanges, { query: { after: old[0]!.cursor } })).toEqual([status, code, params]);

    await call(updateHost, { params: kept, body: { ...kept, name: "renamed" } });
    const since = await call(listChanges, { query: { after: String(params["oldest"]) } });
    const changes = since.length > 0 ? since : await recordedChanges();
    expect(described(changes)[0]).toBe("updated Host renamed");
    expect(changes[0]!.before).toMatchObject({ name: "kept" });
    expect(described(await call(HISTORIES.Host, { params: kept }))).toEqual([
      "created Host kept",
      "updated Host renamed",
    ]);
    expect(await collections.journal.countDocuments({ entity_id: gone.id })).toBe(0);

    await recordedChanges();
    await sweepJournal(collections, new Date(), new AbortController().signal, 0);
    expect(described(await call(HISTORIES.Host, { params: kept }))).toEqual(["updated Host renamed"]);
  });

  it("do not invalidate cursors of callers who miss none of them", async () => {
    keep();
    const office = await aNetwork(world.owner, "Office");
    const limited = world.owner.restrictedTo([world.network.id]);
    await recordedChanges();
    const { meta } = await limited.send(listChanges, { query: { limit: 1000 } });
    await aHost(office);
    await until(async () => (await world.owner.call(listChanges, { query: { entity: "Host" } })).length === 1);
    await sweepJournal(journalCollections(topology.db), new Date(), new AbortController().signal, 0);
    expect((await limited.send(listChanges, { query: { after: meta.next! } })).data).toEqual([]);
    const { data } = await world.owner.send(listChanges, { query: { order_direction: "desc" } });
    expect(data).toEqual([]);
  });
});
