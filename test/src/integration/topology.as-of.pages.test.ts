/** Pages of past lists, and what reads of the past read. */
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { deleteService, listHosts, listServices, patchHost, patchService } from "@nts/shared/contract";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { batchesById } from "@nts/shared/mongo/migrations";
import { journalCollections } from "@nts/topology/journal/collections";
import { lastEntries } from "@nts/topology/journal/last-entries";
import { JOURNAL_OF_ENTITY } from "@nts/topology/storage/indexes";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { profiled } from "../support/profiled.js";
import { waitForJournal } from "../support/moments.js";
import { readAll } from "../support/readings.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService } from "../support/topology-world.js";

let topology: Topology;
beforeAll(async () => (topology = await startTopology({ journal: true })));
afterAll(() => topology.stop());

const readsOfJournal = (filter: Document, task: () => Promise<unknown>): Promise<Document[]> =>
  profiled(topology.db, { ns: `${topology.db.databaseName}.journal`, ...filter }, task);

describe("pages of the past", () => {
  it("pages with cursors, reading the changes since once, and a whole list returns a cursor to follow from", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { services: 9 });
    const as_of = await waitForJournal(owner);
    const { rows: was } = await owner.list(listServices, {
      query: { limit: 0, order_by: "name", order_direction: "desc" },
    });
    for (const n of [1, 4, 7]) await owner.call(deleteService, { params: host.services[n]! });
    await aService(world, host, { name: "s5 and a half" });
    const found: string[] = [];
    let cursor: string | undefined;
    const ofChanges = { "command.sort._id": 1, "command.filter.entity.$in": "Service" };
    const readsOfChanges = await readsOfJournal(ofChanges, async () => {
      do {
        const path = `/api/v1/services?as_of=${as_of}&limit=2&order_by=name&order_direction=desc`;
        const { data, headers } = await owner.raw("get", path + (cursor === undefined ? "" : `&cursor=${cursor}`));
        found.push(...(data as { id: string }[]).map(({ id }) => id));
        cursor = String(headers[INTERNAL.listNext]);
      } while (cursor !== END_OF_LIST);
    });
    expect(found).toEqual(was.map(({ id }) => id));
    expect(readsOfChanges).toHaveLength(1);
    const { headers } = await owner.send(listServices, { query: { as_of, limit: 0 } });
    expect(headers[INTERNAL.changesCursor]).toBe(as_of);
  });

  it("returns a page whose first stored rows have all changed since", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const { services } = await aHost(world, { name: "host", services: 240 });
    const pages = ["asc", "desc"].map((direction) => `services?order_by=name&order_direction=${direction}&limit=20`);
    const paths = [...pages, ...pages.map((path) => `${path}&offset=15`)];
    const cursor = await waitForJournal(owner);
    const was = await readAll(owner, paths);
    for (let at = 0; at < 220; at += 10)
      await Promise.all(
        services.slice(at, at + 10).map(({ id, name }, n) =>
          // Half of them before all others, half behind.
          owner.call(patchService, { params: { id }, body: { name: `${n % 2 === 0 ? "a" : "z"} ${name}` } }),
        ),
      );
    await waitForJournal(owner);
    expect(await readAll(owner, paths, `as_of=${cursor}`)).toEqual(was);
    const [first] = pages;
    const walked: string[] = [];
    for (let next: string | null = ""; next !== null;) {
      const { text, headers } = await owner.raw("get", `/api/v1/${first ?? ""}&as_of=${cursor}${next}`);
      walked.push(...(JSON.parse(text) as { readonly id: string }[]).map(({ id }) => id));
      const following = String(headers[INTERNAL.listNext]);
      next = following === END_OF_LIST ? null : `&cursor=${following}`;
    }
    expect([walked.length, new Set(walked).size]).toEqual([240, 240]);
  });
});

const IN_ORDER = ["Attic", "box", "box 1", "Box 2", "box 9", "BOX 010", "box 11", "zone 1.9", "Zone 1.10"];

describe.each(["hosts", "services"] as const)("%s in the natural order of their names", (kind) => {
  const namesBy = async (caller: Caller, query: string): Promise<string[]> => {
    const names: string[] = [];
    for (let next: string | null = ""; next !== null;) {
      const { text, headers } = await caller.raw("get", `/api/v1/${kind}?order_by=natural_name&${query}${next}`);
      names.push(...(JSON.parse(text) as { readonly name: string }[]).map(({ name }) => name));
      const following = String(headers[INTERNAL.listNext]);
      next = following === END_OF_LIST ? null : `&cursor=${following}`;
    }
    return names;
  };

  it("have numbers by value and ignore case, page by page, in both directions, and in the past", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = kind === "services" ? await aHost(world, { name: "host" }) : null;
    for (const name of IN_ORDER.toSorted())
      await (host === null ? aHost(world, { name }) : aService(world, host, { name }));
    expect(await namesBy(owner, "limit=2")).toEqual(IN_ORDER);
    expect(await namesBy(owner, `limit=4&order_direction=desc&network_id=${world.network.id}`)).toEqual(
      IN_ORDER.toReversed(),
    );
    const as_of = await waitForJournal(owner);
    const list = kind === "hosts" ? listHosts : listServices;
    const { rows } = await owner.list(list, { query: { q: "box 11" } });
    const rename = { params: rows[0]!, body: { name: "box 3" } };
    await (kind === "hosts" ? owner.call(patchHost, rename) : owner.call(patchService, rename));
    await waitForJournal(owner);
    expect(await namesBy(owner, `limit=2&as_of=${as_of}`)).toEqual(IN_ORDER);
    const now = ["Attic", "box", "box 1", "Box 2", "box 3", "box 9", "BOX 010", "zone 1.9", "Zone 1.10"];
    expect(await namesBy(owner, "limit=3")).toEqual(now);

    // As stored by earlier builds.
    await topology.db.collection(kind).updateMany({}, { $unset: { name_key: 1 } });
    expect(await namesBy(owner, "limit=0")).not.toEqual(now);
    const migration = kind === "hosts" ? "0004-natural-names" : "0007-natural-service-names";
    await MIGRATIONS.find(({ name }) => name === migration)?.up(topology.db, batchesById);
    expect(await namesBy(owner, "limit=3")).toEqual(now);
  });
});

describe("a state of the past", () => {
  it("finds the last entry of an entity in one or two steps, however often it has changed", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const services = (await aHost(world, { services: 2 })).services;
    for (let n = 0; n < 40; n++) await owner.call(patchService, { params: services[0]!, body: { name: `name ${n}` } });
    await waitForJournal(owner);
    const organizationIds = [owner.scope.organizationId];
    const ids = services.map(({ id }) => id);
    const lookups = await readsOfJournal({ "command.hint": JOURNAL_OF_ENTITY }, async () => {
      for (const range of [{ ids }, { ids, organizationIds }, { ids, organizationIds, upTo: 20 }])
        expect(await lastEntries(journalCollections(topology.db), range)).toHaveLength(2);
    });
    expect(lookups.map(({ keysExamined }) => Number(keysExamined) <= 4)).toEqual([true, true, true]);
  });
});
