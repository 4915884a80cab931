import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  getHost,
  listChanges,
  patchHost,
  getService,
  getSubnet,
  getSubnetUtilization,
  getTopology,
  listHosts,
  listServices,
  listSubnets,
  patchSubnet,
  type Service,
  updateService,
  updateSubnet,
} from "@nts/shared/contract";
import { type Form, rewriteOlderForms } from "@nts/shared/mongo/forms";
import { sharedDatabase, UNSHARED } from "@nts/topology/storage/database";
import { createEntities, type Entity, type EntityDocument, type EntityKind } from "@nts/topology/storage/entities";
import { ENTITY_KINDS } from "@nts/topology/kinds/index";
import { createStorage } from "@nts/topology/storage/storage";
import { waitForJournal } from "../support/moments.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, onPort } from "../support/topology-world.js";

// The present build alongside a future one, which adds a member to services and one to bindings, and the indexed field
// `rank` derived from the name.

type Newer = Service & { since?: string | null };

const ATTRIBUTES = { attributes: {}, observed: null };
const EVERY = { reserved: [], attributes: {}, role: null, observed: null };
const NEXT_FORM: Form<Service> = {
  version: 4,
  upgrade: (stored) =>
    ({
      since: null,
      ...(ATTRIBUTES as object),
      ...stored,
      bindings: stored.bindings.map((one) => ({ note: "", ...one })),
    }) as Service,
};
const NEXT_KIND: EntityKind<Service> = {
  ...ENTITY_KINDS.services,
  form: NEXT_FORM,
  keysOf: (service) => ({ ...ENTITY_KINDS.services.keysOf(service), rank: service.name.length }),
  clean: (service) => {
    const { since = "made by the next build" } = service as Newer;
    const bindings = service.bindings.map((one) => ({ note: "kept", ...one }));
    return { ...ENTITY_KINDS.services.clean(service), bindings, since } as Service;
  },
};

/** Members that the last release did not know. */
const ADDED = ["reserved", "attributes", "role", "observed"];
const withoutAdded = <T extends object>(entity: T): T =>
  Object.fromEntries(Object.entries(entity).filter(([name]) => !ADDED.includes(name))) as T;

/** A kind as the last release stored it. */
function earlierKind<T extends Entity>(kind: EntityKind<T>): EntityKind<T> {
  return {
    ...kind,
    form: { version: 1 },
    clean: (entity) => withoutAdded(kind.clean({ ...EVERY, ...entity })),
    keysOf: (entity) => {
      const keys = Object.entries(kind.keysOf({ ...EVERY, ...entity }));
      return Object.fromEntries(keys.filter(([name]) => name !== "facets"));
    },
  };
}

/** The kinds as the last release stored them. */
const EARLIER = {
  networks: earlierKind(ENTITY_KINDS.networks),
  subnets: earlierKind(ENTITY_KINDS.subnets),
  hosts: earlierKind(ENTITY_KINDS.hosts),
  interfaces: earlierKind(ENTITY_KINDS.interfaces),
  ports: earlierKind(ENTITY_KINDS.ports),
  services: earlierKind(ENTITY_KINDS.services),
};

let topology: Topology;
let present: Caller;
let earlier: Caller;
let next: Caller;

beforeAll(async () => {
  let started = 0;
  const others = [{}, { services: NEXT_KIND }, EARLIER];
  const storage = (it: ReturnType<typeof createStorage>, db: Parameters<typeof createStorage>[0]) =>
    createStorage(db, it.transaction, { kinds: { ...ENTITY_KINDS, ...others[started++] } });
  topology = await startTopology({ instances: others.length, storage, journal: true });
  present = topology.aCaller();
  earlier = present.via(2);
  next = present.via(1);
});
afterAll(() => topology.stop());

const stored = async (id: string): Promise<EntityDocument & Record<string, unknown>> =>
  (await topology.db.collection<EntityDocument>("services").findOne({ _id: id }))!;
const textOf = async (id: string): Promise<Newer> => JSON.parse((await stored(id)).wire) as Newer;

describe("two builds on one database", () => {
  it("have subnets without reserved ranges from before, and keep ranges reserved since, whoever writes", async () => {
    const { network, subnet } = await aNetwork(earlier);
    const stored = async () => (await topology.db.collection<EntityDocument>("subnets").findOne({ _id: subnet.id }))!;
    expect([(await stored()).form, JSON.parse((await stored()).wire)]).toEqual([
      1,
      expect.not.objectContaining({ reserved: [] }),
    ]);
    expect((await present.call(getSubnet, { params: subnet })).reserved).toEqual([]);
    expect((await present.list(listSubnets, { query: { network_id: network.id } })).rows[0]!.reserved).toEqual([]);
    const reserved = [{ from: "10.0.0.1", to: "10.0.0.9", purpose: "routers" }];
    await present.call(patchSubnet, { params: subnet, body: { reserved } });
    expect((await stored()).form).toBe(3);
    await earlier.call(updateSubnet, {
      params: subnet,
      body: { ...withoutAdded(subnet), name: "by the earlier build" },
    });
    expect((await stored()).form).toBe(1);
    expect(await present.call(getSubnet, { params: subnet })).toMatchObject({ name: "by the earlier build", reserved });
    expect((await present.call(getSubnetUtilization, { params: subnet })).next).toBe("10.0.0.10");
  });

  it("return what the last release has stored with the members that were added since, now and in the past", async () => {
    const world = await aNetwork(earlier);
    const made = await aHost(world, { interfaces: 2, ports: 1, services: 2 });
    const [eth0] = made.interfaces;
    const [service] = made.services;
    const text = async (kind: string, id: string): Promise<string> =>
      (await topology.db.collection<EntityDocument>(kind).findOne({ _id: id }))!.wire;
    for (const [kind, id] of [
      ["hosts", made.id],
      ["interfaces", eth0!.id],
      ["services", service!.id],
    ] as const)
      expect(await text(kind, id)).not.toContain("attributes");
    const host = { role: null, attributes: {}, observed: null };
    const children = {
      interfaces: [{ attributes: {} }, { attributes: {} }],
      services: [{ attributes: {} }, { attributes: {} }],
    };
    const before = await waitForJournal(present);
    expect(await present.call(getHost, { params: made })).toMatchObject({ ...host, ...children });
    expect(await present.call(getService, { params: service! })).toMatchObject({ attributes: {} });
    const newer = await aHost({ ...world, owner: present }, { name: "newer", services: 1 });
    const inNetwork = { network_id: world.network.id };
    for (const query of [
      inNetwork,
      { ...inNetwork, limit: 0 },
      { ...inNetwork, as_of: before },
      { ...inNetwork, limit: 0, as_of: before },
    ]) {
      const hosts = (await present.list(listHosts, { query })).rows;
      expect(hosts[0]).toMatchObject({ ...host, ...children });
      expect(hosts).toHaveLength("as_of" in query ? 1 : 2);
      const services = (await present.list(listServices, { query })).rows;
      expect(services.map(({ attributes }) => attributes)).toEqual("as_of" in query ? [{}, {}] : [{}, {}, {}]);
    }

    await present.call(patchHost, { params: made, body: { role: "Printer", attributes: { rack: "A3" } } });
    await earlier.call(patchHost, { params: made, body: { name: "by the earlier build" } });
    const given = { name: "by the earlier build", role: "Printer", attributes: { rack: "A3" } };
    expect(await present.call(getHost, { params: made })).toMatchObject(given);
    expect((await present.list(listHosts, { query: { ids: [made.id] } })).rows).toMatchObject([given]);
    await present.call(patchHost, { params: made, body: { description: "by the present build" } });
    await waitForJournal(present);
    const changes = await present.call(listChanges, { query: { entity_id: made.id, action: "updated" } });
    expect(changes.map(({ fields }) => fields)).toEqual([["role", "attributes"], ["name"], ["description"]]);
    expect(changes[0]?.before).toMatchObject(host);
    expect(await present.call(getHost, { params: made, query: { as_of: before } })).toMatchObject(host);
    expect(newer.attributes).toEqual({});
  });

  it("keep members of a newer form when an older build writes, also while it shifts an item for another", async () => {
    const world = await aNetwork(next);
    const host = await aHost(world, { ports: 2, interfaces: 1 });
    const service = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    const behind = await aService(world, host);
    expect(await stored(service.id)).toMatchObject({ form: 4, rank: 3 });

    const read = (await present.list(listServices, { query: { ids: [service.id] } })).rows[0] as Service;
    await present.call(updateService, { params: service, body: { ...echoOf(read), name: "renamed", position: 1 } });
    expect(await textOf(service.id)).toMatchObject({
      name: "renamed",
      since: "made by the next build",
      bindings: [{ note: "kept" }],
    });
    expect(await textOf(behind.id)).toMatchObject({ position: 0, since: "made by the next build" });
    // The present build cannot maintain `rank`, and stores its own form.
    expect(await stored(service.id)).toMatchObject({ form: 3, rank: 3 });

    await next.call(updateService, { params: service, body: { ...echoOf(read), name: "renamed again" } });
    expect(await stored(service.id)).toMatchObject({ form: 4, rank: "renamed again".length });
  });

  it("return what the older build has stored in the newer form, wherever the newer build reads it", async () => {
    const world = await aNetwork(present);
    const host = await aHost(world, { ports: 1, interfaces: 1 });
    const made = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    expect(await textOf(made.id)).not.toHaveProperty("since");

    const upgraded = { since: null, bindings: [{ note: "" }] };
    const list = async (query: object): Promise<unknown[]> =>
      (await next.list(listServices, { query: { network_id: world.network.id, ...query } })).rows;
    for (const query of [{}, { limit: 0 }, { ids: [made.id] }]) expect(await list(query)).toMatchObject([upgraded]);
    expect(await next.call(getService, { params: made })).toMatchObject(upgraded);
    expect(await next.call(getHost, { params: host })).toMatchObject({ services: [upgraded] });
    const hosts = await next.list(listHosts, { query: { ids: [host.id] } });
    expect(hosts.rows).toMatchObject([{ services: [upgraded] }]);
    expect((await next.call(getTopology, { query: { network_id: world.network.id } })).nodes).toHaveLength(3);

    await next.call(updateService, { params: made, body: { ...echoOf(made), name: "by the next build" } });
    expect(await stored(made.id)).toMatchObject({ form: 4, rank: 17 });
    expect(await textOf(made.id)).toMatchObject({ since: null });
  });
});

describe("two builds on one database during a migration", () => {
  it("let a migration rewrite older documents while both write, and lose no change", async () => {
    const world = await aNetwork(present);
    const host = await aHost(world, { services: 40 });
    const services = host.services;
    const entities = createEntities(sharedDatabase(topology.db, UNSHARED), NEXT_KIND);
    let writing = true;
    const changes = new Map<string, string>();
    const writer = async (caller: Caller, label: string, mine: readonly Service[]): Promise<void> => {
      for (let n = 0; writing || n < mine.length; n++) {
        const service = mine[n % mine.length]!;
        const name = `${label} ${n}`;
        await caller.call(updateService, {
          params: service,
          body: { ...echoOf(service), name },
        });
        changes.set(service.id, name);
      }
    };
    const writers = [writer(present, "present", services.slice(0, 15)), writer(next, "next", services.slice(15, 30))];
    const rewrite = (): Promise<void> =>
      rewriteOlderForms(topology.db.collection<EntityDocument>("services"), 4, {
        unchanged: ({ revision }) => ({ revision }),
        fieldsOf: (document) => {
          const fields = entities.documentOf(
            document.organization_id,
            entities.storedIn(document, { organizationId: document.organization_id, networks: "all" }),
          );
          return { ...fields, _id: undefined };
        },
      });
    await rewrite();
    writing = false;
    await Promise.all(writers);
    for (const [id, name] of changes) expect(await textOf(id)).toMatchObject({ name });

    await rewrite();
    const all = await topology.db.collection<EntityDocument>("services").find({ host_id: host.id }).toArray();
    expect(all).toHaveLength(40);
    for (const one of all) expect(one).toMatchObject({ form: 4, rank: (JSON.parse(one.wire) as Service).name.length });
    for (const [id, name] of changes) expect(await textOf(id)).toMatchObject({ name, since: null });
  });
});
