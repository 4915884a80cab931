/** Many changes of one organization, alongside few of another one. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createTag, patchService } from "@nts/shared/contract";
import { startManualJournal } from "../support/sweeps.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork } from "../support/topology-world.js";

const MANY = 150;

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
    const [busy, other] = [await aNetwork(topology.aCaller()), topology.aCaller()];
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
    expect(await recorded(busy.owner)).toEqual([...before, host.name, ...names, "changed at last"]);
    await journal.close();
    expect(await topology.db.collection("journal_backlog").countDocuments()).toBe(0);
  });
});
