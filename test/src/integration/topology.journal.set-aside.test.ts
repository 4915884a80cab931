/** Changes that cannot be recorded: they stop nobody, and are recorded once they can be. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createTag, listChanges, type Change } from "@nts/shared/contract";
import { createLog, type Log } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { operatorName } from "@nts/shared/operator";
import { JournalProblem, runJournalCommand } from "@nts/topology/admin/journal";
import { journalCollections } from "@nts/topology/journal/collections";
import { startJournal, type Journal } from "@nts/topology/journal/journal";
import { startReplay } from "../support/replay.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let keeper: Journal;
let world: World;

beforeAll(async () => {
  topology = await startTopology();
  world = await aNetwork(topology.aCaller());
  keeper = startJournal({
    collections: journalCollections(topology.db),
    registry: createRegistry("topology"),
    log: createLog("test", process.env["TEST_LOG_LEVEL"] ?? "silent"),
    retentionDays: 90,
    onRecorded: () => undefined,
  });
});
afterAll(async () => {
  await keeper.stop();
  await topology.stop();
});

/** What the commands have logged, without the messages. */
const logged: unknown[] = [];

function journalCommand(args: readonly string[]): Promise<string> {
  const log = { info: (fields: unknown) => logged.push(fields) } as unknown as Log;
  return runJournalCommand({ collections: journalCollections(topology.db), log }, args);
}

/** All recorded changes, once a mark of now is recorded. */
async function recordedChanges(): Promise<Change[]> {
  const { id } = await world.owner.call(createTag, { body: { name: `mark ${Math.random()}` } });
  let changes: Change[] = [];
  await until(async () => {
    changes = await world.owner.call(listChanges, { query: { limit: 1000 } });
    return changes.some(({ entity_id }) => entity_id === id);
  });
  return changes;
}

async function expectWhole(): Promise<void> {
  await recordedChanges();
  const replay = startReplay(async (path) => world.owner.raw("get", path));
  await replay.follow();
  expect([replay.faults, await replay.differences()]).toEqual([[], []]);
}

const described = (changes: readonly Change[]): string[] =>
  changes.map(({ action, entity, name }) => `${action} ${entity} ${name}`);

describe("a change that cannot be recorded", () => {
  it("is set aside after some attempts, and recorded as reconciled once it can be", async () => {
    const [service] = (await aHost(world, { services: 1 })).services;
    const before = await recordedChanges();
    const services = topology.db.collection<{ _id: string; wire: string; revision: number }>("services");
    const { wire, revision } = (await services.findOne({ _id: service!.id }))!;
    await services.updateOne({ _id: service!.id }, { $set: { wire: "{", revision: revision + 1 } });
    // Of another organization, and of the same one.
    await aHost(await aNetwork(topology.aCaller()), { name: "elsewhere" });
    await aHost(world, { name: "nas" });
    const after = (await recordedChanges()).slice(before.length);
    expect(described(after)).toEqual(["created Host nas", expect.stringMatching(/^created Tag/)]);

    const collections = journalCollections(topology.db);
    const { setAside } = collections;
    const id = `services:${service!.id}`;
    const { organizationId: organization_id } = world.owner.scope;
    expect(await setAside.find().toArray()).toEqual([
      expect.objectContaining({
        ...{ _id: id, kind: "services", entity_id: service!.id, events: 1, organization_id },
        error: expect.stringContaining("SyntaxError"),
        event: expect.stringContaining('"wire":"{"'),
      }),
    ]);
    expect(await journalCommand([])).toMatch(
      new RegExp(`^Recorded up to [^;]+; set aside:\n${id}\t${organization_id}\t1 change\t.*SyntaxError`),
    );
    expect(JSON.parse(await journalCommand(["show", id]))).toMatchObject({ _id: id });

    // As it is, another attempt fails.
    await journalCommand(["retry", id]);
    await until(async () => (await setAside.findOne({ retry: true })) === null);
    expect(await setAside.findOne()).toMatchObject({ events: 1, tried_at: expect.any(Date) });
    // The journal ignores writes of sweeps, so that there is no other event.
    const now = new Date();
    const repairedWire = wire
      .replace(service!.name, "repaired")
      .replace(/"updated_at":"[^"]+"/, `"updated_at":"${now.toISOString()}"`);
    const repair = { wire: repairedWire, updated_at: now, swept_by: "a test" };
    await services.updateOne({ _id: service!.id }, { $set: repair });
    await setAside.updateOne({ _id: id }, { $set: { version: "another" } });
    await until(async () => (await setAside.countDocuments()) === 0);
    const query = { entity_id: service!.id, order_direction: "desc" } as const;
    const [repaired] = await world.owner.call(listChanges, { query });
    expect([repaired?.name, repaired?.fields, repaired?.reconciled]).toEqual(["repaired", ["name"], true]);
    await expectWhole();
  });
});

describe("what is set aside", () => {
  it("can be a deletion whose author cannot be read: what it hides is found by comparing everything", async () => {
    const collections = journalCollections(topology.db);
    const doomed = await aNetwork(world.owner, "doomed");
    await aHost(doomed, { services: 501 });
    await recordedChanges();
    // As the API would write it, but for the author.
    const deletion = { _id: doomed.network.id, kind: "network" as const, deleted_at: new Date(), by: "{" };
    await collections.deletions.insertOne({ ...deletion, organization_id: world.owner.scope.organizationId });
    await recordedChanges();
    await until(async () => (await collections.setAside.countDocuments()) === 1);
    expect(await collections.setAside.findOne()).toMatchObject({ _id: `deletions:${doomed.network.id}`, events: 1 });
    await journalCommand(["retry"]);
    await until(async () => (await collections.setAside.countDocuments()) === 0);
    const changes = await world.owner.call(listChanges, {
      query: { entity: "Service", limit: 1000, order_direction: "desc" },
    });
    expect(changes.slice(0, 501).every(({ action, reconciled }) => action === "deleted" && reconciled)).toBe(true);
  });

  it("is named to the operator, who can give it up", async () => {
    const collections = journalCollections(topology.db);
    expect(await journalCommand([])).toMatch(/; nothing is set aside\.$/);
    expect(await journalCommand(["retry"])).toBe("Nothing is set aside.");
    for (const args of [
      ["show"],
      ["show", "none"],
      ["discard", "none"],
      ["retry", "none"],
      ["burn"],
      ["show", "a", "b"],
    ])
      await expect(journalCommand(args)).rejects.toThrow(JournalProblem);
    const record = { kind: "tags", entity_id: "1", organization_id: null, events: 2, error: "E", event: "{}" };
    const at = new Date();
    const kept = { _id: "tags:1", ...record, first_at: at, last_at: at, version: "another" };
    await keeper.stop();
    await collections.setAside.insertOne(kept);
    const operator = operatorName();
    await journalCommand(["retry", "tags:1"]);
    expect(logged.at(-1)).toEqual({ id: "tags:1", count: 1, operator });
    expect(await journalCommand(["discard", "tags:1"])).toBe("tags:1 is forgotten.");
    expect(logged.at(-1)).toEqual({ organization_id: null, kind: "tags", entity_id: "1", operator });
    expect(await collections.setAside.countDocuments()).toBe(0);
  });
});
