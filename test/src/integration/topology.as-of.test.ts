/**
 * Reads of the past, compared with recorded responses. AS_OF_LENGTH makes the history longer, AS_OF_MOMENTS records
 * more of it, SEED repeats it.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  createTag,
  deleteNetwork,
  deleteService,
  getHost,
  getService,
  getTopology,
  listChanges,
  listHosts,
  listServices,
  listTags,
  patchHost,
} from "@nts/shared/contract";
import { createLog } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { BACKGROUND } from "@nts/shared/work";
import { journalCollections } from "@nts/topology/journal/collections";
import { type Journal, startJournal } from "@nts/topology/journal/journal";
import { createJournalReader } from "@nts/topology/journal/read";
import { sweepJournal } from "@nts/topology/journal/retention";
import { createStates } from "@nts/topology/journal/states";
import { createViews } from "@nts/topology/past/view";
import { sharedDatabase, UNSHARED } from "@nts/topology/storage/database";
import { anEmptyWorld, drawHistory, step, type World } from "../support/history.js";
import { byPath, waitForJournal } from "../support/moments.js";
import { pathsOf, readAll, type Readings } from "../support/readings.js";
import { startTopology, type Topology } from "../support/topology.js";
import { until } from "../support/until.js";
import { aHost, aNetwork } from "../support/topology-world.js";
import { SEED } from "../support/sample-seed.js";

const LENGTH = Number(process.env["AS_OF_LENGTH"] ?? 50);
const MOMENTS = Number(process.env["AS_OF_MOMENTS"] ?? 2);
/** In a history with many moments, {@link WHOLE} is read at all of them, and everything at one of so many. */
const ALL_READ_EVERY = MOMENTS > 50 ? 25 : 1;
/** Reads by id at each moment. */
const BY_ID = Number(process.env["AS_OF_READS"] ?? 8);
/** Paths that are read by times as well as by cursors. */
const WHOLE = /^(hosts|services|bindings|networks)\?limit=0$|^topology\?format=json/;
/** Long enough for a wrong response to arrive. */
const UNANSWERED_MS = 150;

jest.setTimeout(300_000 + MOMENTS * 6_000);

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true, shares: { streams: 32, operations: 32 } });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

interface Kept {
  readonly cursor: string;
  readonly time: string;
  readonly readings: readonly Readings[];
}

/** Adds the entities that a world has created by now, with their lists. */
function rememberEntities(ever: Map<string, string>, { known }: World): void {
  for (const [list, all] of Object.entries(known))
    for (const { id, body } of all) {
      ever.set(id, list);
      for (const binding of (body["bindings"] ?? []) as { id: string }[]) ever.set(binding.id, "bindings");
    }
}

/** Some of the entities that ever existed, others each time. */
const some = (ever: ReadonlyMap<string, string>, n: number): Map<string, string> =>
  new Map([...ever].filter((_, at) => (at * 7 + n) % Math.ceil(ever.size / BY_ID) === 0));

/** The differences between two readings. */
function differences(was: Readings, past: Readings): string[] {
  return [...was].flatMap(([path, text]) =>
    past.get(path) === text ? [] : [`${path}\n  was  ${text}\n  told ${past.get(path) ?? ""}`],
  );
}

describe(`a history of ${LENGTH} random writes, seed ${SEED}`, () => {
  it("as_of a cursor or a time, every list and every read by id returns byte for byte what it returned then, for every caller", async () => {
    const owner = topology.aCaller();
    const world = anEmptyWorld();
    const ever = new Map<string, string>();
    const { network } = await aNetwork(owner);
    world.known.networks.push({ id: network.id, network_id: network.id, body: { ...network } });
    const callers = [owner, owner.restrictedTo([network.id])];
    const kept: Kept[] = [];
    const history = drawHistory(SEED, LENGTH);
    for (let n = 0; n < MOMENTS; n++) {
      for (const drawn of history.slice((n * LENGTH) / MOMENTS, ((n + 1) * LENGTH) / MOMENTS)) {
        await step(world, byPath(owner), drawn);
        rememberEntities(ever, world);
      }
      const cursor = await waitForJournal(owner);
      const time = new Date().toISOString();
      await until(() => Date.now() > Date.parse(time), 1);
      const paths = pathsOf(world, some(ever, n)).filter((path) => n % ALL_READ_EVERY === 0 || WHOLE.test(path));
      // Permissions are tested separately, so the second caller reads a part.
      const mine = (who: number): string[] => paths.filter((_, at) => who === 0 || (at + n) % 3 === 0);
      const readings = await Promise.all(callers.map((caller, who) => readAll(caller, mine(who))));
      kept.push({ cursor, time, readings });
    }
    const found: string[] = [];
    for (const { cursor, time, readings } of kept)
      for (const [who, caller] of callers.entries()) {
        const was = readings[who]!;
        found.push(...differences(was, await readAll(caller, [...was.keys()], `as_of=${cursor}`)));
        const whole = new Map([...was].filter(([path]) => WHOLE.test(path)));
        found.push(...differences(whole, await readAll(caller, [...whole.keys()], `as_of=${time}`)));
      }
    expect(found.slice(0, 5)).toEqual([]);
  });
});

describe("the state at a position of the journal", () => {
  it("includes what was deleted later, whether or not it is still stored", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network } = world;
    const host = await aHost(world, { services: 2 });
    await waitForJournal(owner);
    const database = sharedDatabase(topology.db, UNSHARED);
    const reader = createJournalReader(database);
    const scope = { organizationId: network.organization_id, networks: "all" } as const;
    const { last } = await reader.ends(scope);
    await owner.call(deleteService, { params: host.services[0]! });
    const range = { scope, filter: { entity: "Service" }, work: BACKGROUND };
    const states: string[] = [];
    for await (const entries of createStates({ database, reader })(range, last))
      states.push(...entries.map(({ entity_id }) => entity_id));
    expect(states.sort()).toEqual(host.services.map(({ id }) => id).sort());
  });
});

describe("a read of the past", () => {
  it("waits for the journal, and shows nothing of later writes that are not in it yet", async () => {
    const behind = await startTopology();
    const keep = (): Journal =>
      startJournal({
        collections: journalCollections(behind.db),
        registry: createRegistry("topology"),
        log: createLog("test", "silent"),
        retentionDays: 90,
        onRecorded: () => undefined,
      });
    let keeper = keep();
    try {
      await waitForJournal(behind.aCaller());
      const world = await aNetwork(behind.aCaller());
      const { owner } = world;
      const host = await aHost(world, { name: "before", services: 2 });
      const cursor = await waitForJournal(owner);
      const time = new Date().toISOString();
      const { tails } = journalCollections(behind.db);
      await until(async () => ((await tails.findOne())?.told?.t ?? 0) * 1_000 > Date.parse(time));
      await keeper.stop();
      await owner.call(patchHost, { params: host, body: { name: "after" } });
      await owner.call(deleteService, { params: host.services[0]! });
      const query = { as_of: time, limit: 0 };
      const reads = Promise.all([
        owner.call(getHost, { params: host, query: { as_of: time } }),
        owner.list(listHosts, { query: { ...query, q: "after" } }),
        owner.list(listServices, { query: { ...query, order_by: "host" } }),
      ]);
      // Times far enough back are certain.
      const long = new Date(Date.parse(time) - 30_000).toISOString();
      expect((await owner.list(listServices, { query: { as_of: long } })).rows).toEqual([]);
      const past = await owner.call(getHost, { params: host, query: { as_of: cursor } });
      expect([past.name, past.services.length]).toEqual(["before", 2]);
      // Without a running journal there can be no response.
      expect(await Promise.race([reads, delay(UNANSWERED_MS)])).toBeUndefined();
      keeper = keep();
      const [was, found, services] = await reads;
      expect([was.name, was.services.length]).toEqual(["before", 2]);
      expect([found.rows.length, services.rows.length]).toEqual([0, 2]);
    } finally {
      await keeper.stop();
      await behind.stop();
    }
  });

  it("of a large deleted network lists all of it, also while it is being swept", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network } = world;
    for (let n = 0; n < 3; n++) await aHost(world, { name: `host ${n}`, services: 250, ports: 2, interfaces: 1 });
    const paths = ["hosts?limit=0", "services?limit=0", "networks?limit=0", "ports?limit=0", "topology"];
    const cursor = await waitForJournal(owner);
    const was = await readAll(owner, paths);
    await owner.call(deleteNetwork, { params: network });
    expect(differences(was, await readAll(owner, paths, `as_of=${cursor}`))).toEqual([]);
    const { rows, total } = await owner.list(listServices, { query: { as_of: cursor, offset: 700, limit: 40 } });
    expect([rows.length, total]).toEqual([40, 750]);
  });
});

describe("a read of the past: limits", () => {
  it("rejects the future, a foreign cursor, an invalid moment, and one before the retention period", async () => {
    const { owner } = await aNetwork(topology.aCaller());
    const as_of = await waitForJournal(owner);
    const strange = await waitForJournal((await aNetwork(topology.aCaller())).owner);
    const refusal = async (query: { as_of: string }): Promise<string> => (await owner.refusal(listHosts, { query }))[1];
    expect(await refusal({ as_of: new Date(Date.now() + 60_000).toISOString() })).toBe("validation_failed");
    expect(await refusal({ as_of: "last week" })).toBe("validation_failed");
    expect(await refusal({ as_of: strange })).toBe("cursor_invalid");
    const params = { id: randomUUID() };
    expect((await owner.refusal(getService, { params, query: { as_of } }))[1]).toBe("not_found");
    const [{ at } = { at: "" }] = await owner.call(listChanges, { query: { order_direction: "desc", limit: 1 } });
    await owner.call(createTag, { body: { name: "later" } });
    await waitForJournal(owner);
    await sweepJournal(journalCollections(topology.db), new Date(Date.parse(at) + 1), new AbortController().signal, 0);
    const [status, code, { oldest }] = await owner.refusal(getTopology, { query: { as_of: "2020-01-01T00:00:00Z" } });
    expect([status, code]).toEqual([410, "changes_gone"]);
    const { rows } = await owner.list(listTags, { query: { as_of: String(oldest) } });
    expect(rows.map(({ name }) => name)).not.toContain("later");
  });

  it("rejects a moment with too many changes since, of the requested kinds", async () => {
    const { owner } = await aNetwork(topology.aCaller());
    const asOf = await waitForJournal(owner);
    for (const name of ["first", "second", "third"]) await owner.call(createTag, { body: { name } });
    await waitForJournal(owner);
    const database = sharedDatabase(topology.db, UNSHARED);
    const open = createViews(database, createJournalReader(database), { changes: 100, entities: 2 });
    const lookBack = (kind: string) => open({ work: BACKGROUND, rights: owner.scope, asOf, filter: {}, kinds: [kind] });
    await expect(lookBack("Tag")).rejects.toMatchObject({ code: "too_many_changes", params: { limit: 2 } });
    await expect(lookBack("Host")).resolves.toBeDefined();
  });
});
