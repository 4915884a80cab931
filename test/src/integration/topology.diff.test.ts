/**
 * Differences between two moments, compared with recorded lists. DIFF_LENGTH makes the history longer, SEED
 * repeats it.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  type Change,
  createTag,
  deleteHost,
  type Difference,
  diffChanges,
  listChanges,
  patchHost,
  patchService,
} from "@nts/shared/contract";
import { createLog } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { BACKGROUND } from "@nts/shared/work";
import { journalCollections } from "@nts/topology/journal/collections";
import { spansIn } from "@nts/topology/journal/diff";
import { startJournal } from "@nts/topology/journal/journal";
import { createJournalReader } from "@nts/topology/journal/read";
import { sweepJournal } from "@nts/topology/journal/retention";
import { createViews } from "@nts/topology/past/view";
import { createStorage } from "@nts/topology/storage/storage";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { byPath, waitForJournal, type Moment, currentMoment, type State } from "../support/moments.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork } from "../support/topology-world.js";
import { SEED } from "../support/sample-seed.js";

const LENGTH = Number(process.env["DIFF_LENGTH"] ?? 60);
const MOMENTS = Math.max(6, Math.floor(LENGTH / 20));

jest.setTimeout(300_000 + LENGTH * 500);

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

const diff = (caller: Caller, from: string, to?: string, network_id?: string) =>
  caller.call(diffChanges, { query: { from, ...(to && { to }), ...(network_id && { network_id }) } });

type Diff = Awaited<ReturnType<typeof diff>>;

/** The state after a diff is applied. @throws Error when the diff does not match this state */
function applied(state: State, { added, removed, changed }: Diff): State {
  const next = new Map(state);
  for (const { entity_id, before, after, fields } of [...removed, ...changed, ...added]) {
    const had = next.get(entity_id) ?? "null";
    if (JSON.stringify(before) !== had) throw new Error(`${entity_id} was ${had}, not ${JSON.stringify(before)}`);
    const differing = Object.keys({ ...before, ...after }).filter(
      (name) => name !== "updated_at" && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
    );
    if (before && after && differing.join() !== fields.join()) throw new Error(`${entity_id}: ${fields.join()}`);
    if (after === null) next.delete(entity_id);
    else next.set(entity_id, JSON.stringify(after));
  }
  return next;
}

const sorted = (state: State): [string, string][] => [...state].sort(([a], [b]) => (a < b ? -1 : 1));
const names = (list: readonly Difference[]): string[] => list.map(({ entity, name }) => `${entity} ${name}`).sort();

describe(`a history of ${LENGTH} random writes, seed ${SEED}`, () => {
  it("diff(a, b), applied to the lists at a, gives the lists at b, for every caller", async () => {
    const owner = topology.aCaller();
    const world = anEmptyWorld();
    const { network } = await aNetwork(owner);
    world.known.networks.push({ id: network.id, network_id: network.id, body: { ...network } });
    const restricted = owner.restrictedTo([network.id]);
    const moments: [Moment, Moment][] = [];
    const history = drawHistory(SEED, LENGTH);
    for (let n = 0; n < MOMENTS; n++) {
      for (const drawn of history.slice((n * LENGTH) / MOMENTS, ((n + 1) * LENGTH) / MOMENTS))
        await step(world, byPath(owner), drawn);
      const all = await currentMoment(owner);
      moments.push([all, await currentMoment(owner, restricted)]);
    }
    for (const [who, caller] of [owner, restricted].entries())
      for (let a = 0; a < MOMENTS; a++)
        for (let b = a; b < MOMENTS; b += 1 + (a % 3)) {
          const from = moments[a]![who]!;
          const to = moments[b]![who]!;
          expect(sorted(applied(from.state, await diff(caller, from.cursor, to.cursor)))).toEqual(sorted(to.state));
        }
  });
});

describe("the entries of a diff", () => {
  it("contain what was added, removed and changed with its fields, and nothing that existed only in between", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const deleted = await aHost(world, { name: "gone" });
    const host = await aHost(world, { services: 2 });
    const from = await waitForJournal(owner);
    await owner.call(deleteHost, { params: deleted });
    await owner.call(deleteHost, { params: await aHost(world, { name: "came and went", ports: 1 }) });
    await owner.call(patchHost, { params: host, body: { name: "first *name*" } });
    await owner.call(patchHost, { params: host, body: { name: "second *name*", hostname: "nas.lan" } });
    await owner.call(patchService, { params: host.services[0]!, body: { name: "for a moment" } });
    await owner.call(patchService, { params: host.services[0]!, body: { name: "s0" } });
    await aHost(world, { name: "new", ports: 1 });
    const to = await waitForJournal(owner);
    const found = await diff(owner, from, to, world.network.id);
    expect(found).toMatchObject({ from, to });
    expect(names(found.added)).toEqual(["Host new", "Port 1/Tcp"]);
    expect(names(found.removed)).toEqual(["Host gone"]);
    expect(found.changed.map(({ name, fields }) => [name, fields])).toEqual([
      ["second *name*", ["name", "hostname"]],
      ["s0", []],
    ]);
    const { text, headers } = await owner.raw(
      "get",
      `/api/v1/changes/diff?from=${from}&to=${to}&network_id=${world.network.id}&format=markdown`,
    );
    expect(headers["content-type"]).toMatch(/^text\/markdown/);
    expect(text).toContain("\n## Added\n\n- Host **new**\n- Port **1/Tcp**\n\n## Removed\n\n- Host **gone**\n");
    expect(text).toContain(
      '- Host **second \\*name\\***: `name` "nas" → "second \\*name\\*", `hostname` null → "nas.lan"\n',
    );
    expect(text).not.toContain("Service");
  });

  it("are the same for times and cursors: a time is the moment after all that had happened by then", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    await aHost(world, { name: "first" });
    const from = await waitForJournal(owner);
    await aHost(world, { name: "second" });
    const to = await waitForJournal(owner);
    const atOf = async (cursor: string): Promise<string> => {
      const changes: Change[] = await owner.call(listChanges, { query: { limit: 1000 } });
      return changes.find((one) => one.cursor === cursor)!.at;
    };
    const found = await diff(owner, await atOf(from), await atOf(to));
    expect([found.from, found.to]).toEqual([from, to]);
    const whole = await diff(owner, "2020-01-01T00:00:00Z");
    expect(names(whole.added)).toEqual(expect.arrayContaining(["Host first", "Host second", "Network Home"]));
    expect([whole.removed, whole.changed]).toEqual([[], []]);
  });
});

describe("a diff", () => {
  it("rejects moments in the wrong order, foreign cursors, and moments that are no longer known", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const from = await waitForJournal(owner);
    const stranger = await waitForJournal((await aNetwork(topology.aCaller())).owner);
    const to = await waitForJournal(owner);
    expect((await owner.refusal(diffChanges, { query: { from: to, to: from } }))[1]).toBe("validation_failed");
    expect((await owner.refusal(diffChanges, { query: { from: "last week" } }))[1]).toBe("validation_failed");
    expect((await owner.refusal(diffChanges, { query: { from: stranger } }))[1]).toBe("cursor_invalid");
    const [{ at } = { at: "" }] = await owner.call(listChanges, { query: { order_direction: "desc", limit: 1 } });
    const collections = journalCollections(topology.db);
    await sweepJournal(collections, new Date(Date.parse(at) + 1), new AbortController().signal, 0);
    const [status, code, { oldest }] = await owner.refusal(diffChanges, { query: { from } });
    expect([status, code]).toEqual([410, "changes_gone"]);
    expect((await owner.refusal(diffChanges, { query: { from: "2020-01-01T00:00:00Z" } }))[1]).toBe("changes_gone");
    expect((await diff(owner, String(oldest))).added).toEqual([]);
    // Changes before the retention period had all happened by then.
    expect((await diff(owner, at)).added).toEqual([]);
    await owner.call(createTag, { body: { name: "later" } });
    await waitForJournal(owner);
    expect(names((await diff(owner, at)).added)).toContain("Tag later");
  });

  it("rejects more changes, and changes of more entities, than may be compared or read", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { name: "first" });
    const from = await waitForJournal(owner);
    for (const name of ["second", "third"]) await owner.call(patchHost, { params: host, body: { name } });
    await aHost(world, { name: "other" });
    await waitForJournal(owner);
    const { database } = createStorage(topology.db, () => Promise.reject(new Error("nothing is written here")));
    const reader = createJournalReader(database);
    const { scope } = owner;
    const { last } = await reader.ends(scope);
    const range = { first: last - 3, last };
    const compare = (changes: number, entities: number) =>
      spansIn(database, { work: BACKGROUND, scope, range, filter: {} }, { changes, entities });
    const tooMany = (limit: number) => ({ code: "too_many_changes", params: { limit } });
    // Three changes of two hosts, and the tag that marks their end.
    expect(await compare(4, 3)).toMatchObject({ added: { length: 4 }, changed: { length: 2 } });
    await expect(compare(3, 3)).rejects.toMatchObject(tooMany(3));
    await expect(compare(4, 2)).rejects.toMatchObject(tooMany(2));
    const kinds = ["Host", "Tag"];
    for (const filter of [{}, { network_id: world.network.id }]) {
      const lookBack = (changes: number, entities: number) =>
        createViews(database, reader, { changes, entities })({
          work: BACKGROUND,
          rights: scope,
          asOf: from,
          filter,
          kinds,
        });
      const [changes, entities] = "network_id" in filter ? [3, 2] : [4, 3];
      expect((await lookBack(changes, entities)).changed.get("Host")?.size).toBe(2);
      await expect(lookBack(changes - 1, entities)).rejects.toMatchObject(tooMany(changes - 1));
      await expect(lookBack(changes, entities - 1)).rejects.toMatchObject(tooMany(entities - 1));
    }
  });
});

describe("a diff by times", () => {
  it("rejects a time before the last change that the journal found when it was reconciled", async () => {
    const older = await startTopology();
    try {
      const world = await aNetwork(older.aCaller());
      const before = new Date().toISOString();
      const keeper = startJournal({
        collections: journalCollections(older.db),
        registry: createRegistry("topology"),
        log: createLog("test", "silent"),
        retentionDays: 90,
        onRecorded: () => undefined,
      });
      // The first tag may be found while the journal is reconciled; the second comes after that.
      await waitForJournal(world.owner);
      await waitForJournal(world.owner);
      await aHost(world);
      await waitForJournal(world.owner);
      const [, code, { oldest }] = await world.owner.refusal(diffChanges, { query: { from: before } });
      expect(code).toBe("changes_gone");
      expect(names((await diff(world.owner, String(oldest))).added)).toContain("Host nas");
      await keeper.stop();
    } finally {
      await older.stop();
    }
  });
});
