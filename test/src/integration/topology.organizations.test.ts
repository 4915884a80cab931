import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createTag, createWebhook, getService, listNetworks, listServices } from "@nts/shared/contract";
import { removeOrganization } from "@nts/shared/contract/internal";
import { seedTopology } from "../support/seed.js";
import { startManualJournal, entriesDuring, startSweptTopology, type Sweeps } from "../support/sweeps.js";
import type { Topology } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let sweeps: Sweeps;

beforeAll(async () => {
  ({ topology, sweeps } = await startSweptTopology());
});
afterAll(() => topology.stop());

/** The full size is a parameter. */
const HOSTS = Number(process.env["DELETED_HOSTS"] ?? 30);
/** Collections that expire by time, or belong to the audit log. */
const STAYS = ["audit_notes", "audit_note_heads", "journal_notes", "journal_backlog", "answers", "deletions"];

/** An organization with entities of every kind, some of them hidden already. */
async function anOrganization(): Promise<World & { readonly organizationId: string; readonly serviceId: string }> {
  const owner = topology.aCaller();
  const world = await aNetwork(owner);
  await aHost(world, { interfaces: 2, ports: 2, services: 1 });
  const { organizationId } = owner.scope;
  const seeded = await seedTopology(topology.db, {
    organizationId,
    networks: 1,
    hostsPerNetwork: HOSTS,
    servicesPerHost: 4,
  });
  await owner.call(createTag, { body: { name: "rack" } });
  const url = "https://hooks.example.com/a";
  await owner.call(createWebhook, { body: { url } });
  return { ...world, organizationId, serviceId: seeded.serviceIds[0] ?? "" };
}

/** The number of documents of an organization in each non-empty collection. */
async function documentsOf(organization_id: string): Promise<Record<string, number>> {
  const collections = await topology.db.listCollections({}, { nameOnly: true }).toArray();
  const counts = await Promise.all(
    collections.map(
      async ({ name }) => [name, await topology.db.collection(name).countDocuments({ organization_id })] as const,
    ),
  );
  return Object.fromEntries(counts.filter(([name, count]) => count > 0 && !STAYS.includes(name)));
}

const remove = (id: string) => topology.aProcess().call(removeOrganization, { params: { id } });

describe("topology.organizations: a deleted organization", () => {
  it("returns nothing to its callers once the deletion is acknowledged, and its webhooks send nothing", async () => {
    const { owner, organizationId, serviceId } = await anOrganization();
    const other = await anOrganization();
    expect((await owner.send(getService, { params: { id: serviceId } })).status).toBe(200);
    await remove(organizationId);
    for (const caller of [owner, owner.via(1)]) {
      expect((await caller.list(listNetworks, { query: {} })).total).toBe(0);
      expect((await caller.list(listServices, { query: {} })).total).toBe(0);
      expect(await caller.refusal(getService, { params: { id: serviceId } })).toMatchObject({ 0: 404 });
    }
    const states = await documentsOf(organizationId);
    expect([states["webhook_states"], states["services"]]).toEqual([undefined, HOSTS * 4 + 1]);
    expect((await other.owner.list(listServices, { query: {} })).total).toBe(HOSTS * 4 + 1);
  });

  it("is swept to the last document, including the journal, without entries; others keep all of theirs", async () => {
    const { organizationId } = await anOrganization();
    const other = await anOrganization();
    const journal = await startManualJournal(topology.db);
    try {
      const kept = await documentsOf(other.organizationId);
      expect((await documentsOf(organizationId))["journal"]).toBeGreaterThan(HOSTS * 4);
      await remove(organizationId);
      await sweeps.sweepRecorded();
      expect((await documentsOf(organizationId))["services"]).toBe(HOSTS * 4 + 1);
      await journal.takeEvents();
      await journal.record();
      const events = await entriesDuring(topology.db, () => sweeps.sweepRecorded());
      expect(events.filter((one) => one.organizationId === organizationId)).toEqual([]);
      await journal.takeEvents();
      await journal.record();
      expect(await documentsOf(organizationId)).toEqual({});
      expect(await documentsOf(other.organizationId)).toEqual(kept);
    } finally {
      await journal.close();
    }
  });

  it("is swept further after an interruption, and again when the deletion is repeated", async () => {
    const { organizationId } = await anOrganization();
    await remove(organizationId);
    const stop = new AbortController();
    await sweeps.sweep(() => stop.abort(), stop.signal);
    expect((await documentsOf(organizationId))["services"]).toBe(HOSTS * 4 + 1);
    const about = { _id: organizationId as never };
    const first = await topology.db.collection("deletions").findOne(about);
    await remove(organizationId);
    expect(await topology.db.collection("deletions").findOne(about)).toEqual(first);
    await sweeps.sweep();
    await until(async () => Object.keys(await documentsOf(organizationId)).length === 0);
    await sweeps.sweep();
    expect(await topology.db.collection("deletions").findOne(about)).toBeNull();
    await remove(organizationId);
    await sweeps.sweep();
    expect(await documentsOf(organizationId)).toEqual({});
  });
});
