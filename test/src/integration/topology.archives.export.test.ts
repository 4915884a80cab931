/** Exporting archives: contents, consistency, and permissions. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createNetwork,
  createTag,
  createLink,
  createView,
  createVlan,
  deleteHost,
  type Endpoint,
  type Host,
  KIND_NAMES,
  type KindName,
  OPERATIONS,
  patchHost,
  pluralOf,
} from "@nts/shared/contract";
import { ARCHIVE_PATH, type Archive, archiveOf, type Entity, entitiesIn } from "../support/archives.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
/** Runs between the subnets and the hosts of an archive. */
let meanwhile: (() => Promise<unknown>) | null = null;

beforeAll(async () => {
  topology = await startTopology({
    journal: true,
    storage: (storage) => ({
      ...storage,
      hosts: {
        ...storage.hosts,
        read: async function* (...query) {
          await meanwhile?.();
          meanwhile = null;
          yield* storage.hosts.read(...query);
        },
      },
    }),
  });
});
afterAll(() => topology.stop());

/** Two networks, tags, and hosts with children of each kind. */
async function anOrganization(owner: Caller): Promise<{ one: World; two: World; host: Host }> {
  const one = await aNetwork(owner, "One");
  const two = await aNetwork(owner, "Two");
  const tag = await owner.call(createTag, { body: { name: "web" } });
  const host = await aHost(one, { name: "nas", interfaces: 2, ports: 2 });
  await aService({ owner }, host, { bindings: [onPort(host.ports[0])], tags: [tag.id, "label"] });
  await owner.call(patchHost, { params: { id: host.id }, body: { tags: [tag.id], description: "in the cellar" } });
  await aHost(two, { name: "router", interfaces: 1, services: 2 });
  await aHost(two, { name: "bare" });
  for (const network_id of [one.network.id, null])
    await owner.call(createView, {
      body: { network_id, name: "rack", positions: { [host.id]: { x: 1, y: 2 } }, tags: [tag.id] },
    });
  const { id: vlanId } = await owner.call(createVlan, { body: { network_id: one.network.id, vid: 10, name: "LAN" } });
  const ends = [
    { host_id: host.id, interface_id: host.interfaces[0]!.id },
    { host_id: (await aHost(one)).id, port: "1" },
  ];
  await owner.call(createLink, { body: { network_id: one.network.id, ends, vlan_ids: [vlanId] } });
  return { one, two, host };
}

/** What lists show of an entity, and archives do not. */
const SHOWN = ["seen", "missed_since", "interfaces", "ports", "services"];

/** The entities of each kind in the lists, without sightings, and hosts without their children. */
async function listed(caller: Caller): Promise<Partial<Record<KindName, Entity[]>>> {
  const found: Partial<Record<KindName, Entity[]>> = {};
  for (const kind of KIND_NAMES) {
    const list = OPERATIONS.find(({ operationId }) => operationId === `list_${pluralOf(kind)}`);
    const { rows } = await caller.list(list as Endpoint, { query: { limit: 0 } });
    found[kind] = (rows as object[]).map(
      (entity) => Object.fromEntries(Object.entries(entity).filter(([name]) => !SHOWN.includes(name))) as Entity,
    );
  }
  return found;
}

const byId = (entities: readonly Entity[] = []): Entity[] => [...entities].sort((a, b) => (a.id < b.id ? -1 : 1));
/** @param among a superset of the archive, such as all tags */
function expectAll(archive: Archive, expected: Partial<Record<KindName, Entity[]>>): void {
  for (const kind of KIND_NAMES) {
    expect([kind, byId(entitiesIn(archive, kind))]).toEqual([kind, byId(expected[kind])]);
    expect([kind, archive.end.counts[kind]]).toEqual([kind, expected[kind]?.length]);
  }
}

describe("the archive of an organization", () => {
  it("contains everything that lists have, referenced entities first, and children after their host", async () => {
    const owner = topology.aCaller();
    await anOrganization(owner);
    const archive = await archiveOf(owner);
    expectAll(archive, await listed(owner));
    expect(archive.heading).toMatchObject({
      archive: "network-topology-service",
      version: 1,
      organization_id: owner.scope.organizationId,
      networks: "all",
    });
    const before = new Set<unknown>();
    let host: unknown = null;
    for (const { entity, data } of archive.entities) {
      if (entity === "Host") host = data.id;
      const { network_id, subnet_id, host_id, tags = [] } = data as Record<string, unknown>;
      for (const id of [network_id, subnet_id].filter((one) => typeof one === "string"))
        expect([id, before.has(id)]).toEqual([id, true]);
      for (const tag of (tags as string[]).filter((one) => one.length === 36))
        expect([tag, before.has(tag)]).toEqual([tag, true]);
      if (host_id !== undefined) expect(host_id).toBe(host);
      before.add(data.id);
    }
  });

  it("is consistent at one moment, whatever is written while it is read", async () => {
    const owner = topology.aCaller();
    const { one, host } = await anOrganization(owner);
    const before = await listed(owner);
    meanwhile = async () => {
      await owner.call(deleteHost, { params: { id: host.id } });
      await owner.call(createHost, { body: { network_id: one.network.id, name: "later" } });
      await owner.call(createNetwork, { body: { name: "Later" } });
    };
    expectAll(await archiveOf(owner), before);
    expect(meanwhile).toBeNull();
    expectAll(await archiveOf(owner), await listed(owner));
  });

  it("contains the networks that the caller may see, states that, and nothing of other organizations", async () => {
    const owner = topology.aCaller();
    const { one } = await anOrganization(owner);
    const restricted = owner.restrictedTo([one.network.id]);
    const archive = await archiveOf(restricted);
    expect(archive.heading["networks"]).toBe("some");
    expectAll(archive, await listed(restricted));
    const foreign = await archiveOf(topology.aCaller());
    expect(foreign.entities).toEqual([]);
  });

  it("returns 304 while nothing has changed", async () => {
    const owner = topology.aCaller();
    const { host } = await anOrganization(owner);
    const readIfNoneMatch = async (etag: string): Promise<number> =>
      (await owner.raw("get", ARCHIVE_PATH, undefined, { "if-none-match": etag })).status;
    const etagOf = async (): Promise<string> => String((await owner.raw("get", ARCHIVE_PATH)).headers["etag"]);
    // Changes are recorded with a delay.
    await until(async () => (await readIfNoneMatch(await etagOf())) === 304);
    const etag = await etagOf();
    await owner.call(patchHost, { params: { id: host.id }, body: { name: "other" } });
    await until(async () => (await readIfNoneMatch(etag)) === 200);
  });
});
