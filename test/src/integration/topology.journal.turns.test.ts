/** Many changes of one organization, alongside few of another one. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createHost, createTag, deleteTag, HISTORIES, patchService } from "@nts/shared/contract";
import { journalCollections } from "@nts/topology/journal/collections";
import { hiddenBy } from "@nts/topology/journal/expand";
import { createHiddenThings } from "@nts/topology/journal/hidden";
import { sharedDatabase, UNSHARED } from "@nts/topology/storage/database";
import { createSightings } from "@nts/topology/storage/sightings";
import { startManualJournal } from "../support/sweeps.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork } from "../support/topology-world.js";

const MANY = 150;
/** More than a deletion changes in its own transaction. */
const TAGGED = 501;

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

/** The names in an organization's journal, in order. */
async function recorded({ scope: { organizationId } }: Caller): Promise<string[]> {
  const journal = topology.db.collection<{ _id: string; n: number; name: string }>("journal");
  const found = await journal.find({ organization_id: organizationId }).sort({ _id: 1 }).toArray();
  expect(found.map(({ n }) => n)).toEqual(found.map((_entry, index) => index + 1));
  return found.map(({ name }) => name);
}

describe.each([
  ["in memory", undefined],
  ["in the database", 0],
])("changes that wait %s", (_where, mostHeld) => {
  it("are recorded after those of other organizations, completely and in order", async () => {
    const busy = await aNetwork(topology.aCaller());
    const other = topology.aCaller();
    const journal = await startManualJournal(topology.db, mostHeld);
    const before = await recorded(busy.owner);
    const host = await aHost(busy, { services: MANY });
    await other.call(createTag, { body: { name: "of another organization" } });
    await busy.owner.call(patchService, { params: host.services[0]!, body: { name: "changed at last" } });
    await journal.takeEvents();
    expect(await recorded(other)).toEqual(["of another organization"]);
    expect(await recorded(busy.owner)).toEqual(before);
    await journal.record();
    const names = host.services.map(({ name }) => name);
    const written = [...before, host.name, ...names, "changed at last"];
    expect(await recorded(busy.owner)).toEqual(written);
    // What an import misses waits likewise.
    const ids = host.services.map(({ id }) => id);
    const made = { atMs: Date.now() + 1_000, author: undefined };
    await createSightings(sharedDatabase(topology.db, UNSHARED)).miss(busy.owner.scope, "services", ids, made);
    await journal.takeEvents();
    expect(await recorded(busy.owner)).toEqual(written);
    await journal.record();
    expect(await recorded(busy.owner)).toHaveLength(written.length + MANY);
    expect(await topology.db.collection("journal").countDocuments({ entity_id: { $in: ids }, action: "missed" })).toBe(
      MANY,
    );
    await journal.close();
    // A majority may not have confirmed it yet.
    const options = { readConcern: { level: "local" } } as const;
    expect(await topology.db.collection("journal_backlog").countDocuments({}, options)).toBe(0);
  });
});

describe("a deletion that hides many entities", () => {
  it("is recorded as of its commit, however late", async () => {
    const { owner, network } = await aNetwork(topology.aCaller());
    const tag = await owner.call(createTag, { body: { name: "deleted" } });
    const services = Array.from({ length: TAGGED }, () => ({ name: "s", service_definition: "nginx", tags: [tag.id] }));
    const host = await owner.call(createHost, { body: { network_id: network.id, name: "host", services } });
    const journal = await startManualJournal(topology.db);
    await owner.call(deleteTag, { params: tag });
    const [renamed] = host.services;
    await owner.call(patchService, { params: renamed!, body: { name: "renamed" } });
    await journal.takeEvents();
    await journal.record();
    const updates = { organization_id: owner.scope.organizationId, entity: "Service", action: "updated" };
    expect(await topology.db.collection("journal").countDocuments(updates)).toBe(TAGGED + 1);
    const own = await owner.call(HISTORIES.Service, { params: renamed! });
    expect(own.map(({ action, fields }) => [action, ...fields])).toEqual([
      ["created"],
      ["updated", "tags"],
      ["updated", "name"],
    ]);
    await journal.close();
  });

  it("is recorded as of now if the database no longer has the state of then", async () => {
    const world = await aNetwork(topology.aCaller());
    await aHost(world, { services: MANY });
    const organization_id = world.owner.scope.organizationId;
    const deletion = { _id: world.network.id, kind: "network" as const, organization_id, deleted_at: new Date() };
    const committed = { high: 1, low: 1 };
    const hiding = { at: new Date(), committed, hidden: createHiddenThings() };
    const found: unknown[] = [];
    for await (const batch of hiddenBy(journalCollections(topology.db), deletion, hiding))
      found.push(...batch.map(({ collection }) => collection));
    expect(found).toEqual([...Array.from({ length: MANY }, () => "services"), "hosts", "subnets", "networks"]);
  });
});
