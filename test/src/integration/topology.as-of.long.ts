/** The limit of reads of the past at its real size; the short tier has smaller ones. */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { listHosts, listTags, PAST } from "@nts/shared/contract";
import { placeOf } from "@nts/shared/numbered";
import { journalCollections } from "@nts/topology/journal/collections";
import { waitForJournal } from "../support/moments.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aNetwork } from "../support/topology-world.js";

const BATCH = 10_000;

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(() => topology.stop());

it("a moment with too many changes since, of the requested kinds, is rejected", async () => {
  const { owner, network } = await aNetwork(topology.aCaller());
  const as_of = await waitForJournal(owner);
  const { journal } = journalCollections(topology.db);
  const { organization_id } = network;
  const [last] = await journal.find({ organization_id }).sort({ n: -1 }).limit(1).toArray();
  for (let from = 0; from <= PAST.entities; from += BATCH) {
    const count = Math.min(BATCH, PAST.entities + 1 - from);
    const numbers = Array.from({ length: count }, (_, at) => last!.n + 1 + from + at);
    await journal.insertMany(
      numbers.map((n) => ({ ...last!, _id: placeOf(organization_id, n), n, entity: "Tag", entity_id: `${n}` })),
    );
  }
  const refusal = [422, "too_many_changes", { limit: PAST.entities }];
  expect(await owner.refusal(listTags, { query: { as_of } })).toEqual(refusal);
  expect((await owner.list(listHosts, { query: { as_of } })).total).toBe(0);
});
