import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  getHost,
  getService,
  getTopology,
  listHosts,
  listServices,
  type Service,
  updateService,
} from "@nts/shared/contract";
import { FIRST_FORM, type Form, rewriteOlderForms } from "@nts/shared/mongo/forms";
import { sharedDatabase, UNSHARED } from "@nts/topology/storage/database";
import { createEntities, type EntityDocument, type EntityKind } from "@nts/topology/storage/entities";
import { ENTITY_KINDS } from "@nts/topology/kinds/index";
import { createStorage } from "@nts/topology/storage/storage";
import { waitForJournal } from "../support/moments.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, onPort } from "../support/topology-world.js";

// The present build alongside a future one, which adds a member to services and one to bindings, and the indexed field
// `rank` derived from the name.

type Newer = Service & { since?: string | null };

const PRESENT_FORM: Form<Service> = ENTITY_KINDS.services.form ?? FIRST_FORM;
const PRESENT = PRESENT_FORM.version;
const NEXT = PRESENT + 1;
const NEXT_FORM: Form<Service> = {
  version: NEXT,
  upgrade: (stored, from) => {
    const upgraded = from < PRESENT ? (PRESENT_FORM.upgrade?.(stored, from) ?? stored) : stored;
    return { since: null, ...upgraded, bindings: upgraded.bindings.map((one) => ({ note: "", ...one })) } as Service;
  },
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

let topology: Topology;
let present: Caller;
let next: Caller;

beforeAll(async () => {
  let started = 0;
  const others = [{}, { services: NEXT_KIND }];
  const storage = (it: ReturnType<typeof createStorage>, db: Parameters<typeof createStorage>[0]) =>
    createStorage(db, it.transaction, { kinds: { ...ENTITY_KINDS, ...others[started++] } });
  topology = await startTopology({ instances: others.length, storage, journal: true });
  present = topology.aCaller();
  next = present.via(1);
});
afterAll(() => topology.stop());

const stored = async (id: string): Promise<EntityDocument & Record<string, unknown>> =>
  (await topology.db.collection<EntityDocument>("services").findOne({ _id: id }))!;
const textOf = async (id: string): Promise<Newer> => JSON.parse((await stored(id)).wire) as Newer;

describe("two builds on one database", () => {
  it("keep members of a newer form when an older build writes, also while it shifts an item for another", async () => {
    const world = await aNetwork(next);
    const host = await aHost(world, { ports: 2, interfaces: 1 });
    const service = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    const behind = await aService(world, host);
    expect(await stored(service.id)).toMatchObject({ form: NEXT, rank: 3 });

    const read = (await present.list(listServices, { query: { ids: [service.id] } })).rows[0] as Service;
    await present.call(updateService, { params: service, body: { ...echoOf(read), name: "renamed", position: 1 } });
    expect(await textOf(service.id)).toMatchObject({
      name: "renamed",
      since: "made by the next build",
      bindings: [{ note: "kept" }],
    });
    expect(await textOf(behind.id)).toMatchObject({ position: 0, since: "made by the next build" });
    // The present build cannot maintain `rank`, and stores its own form.
    expect(await stored(service.id)).toMatchObject({ form: PRESENT, rank: 3 });

    await next.call(updateService, { params: service, body: { ...echoOf(read), name: "renamed again" } });
    expect(await stored(service.id)).toMatchObject({ form: NEXT, rank: "renamed again".length });
  });

  it("return what the older build has stored in the newer form, wherever the newer build reads it", async () => {
    const world = await aNetwork(present);
    const host = await aHost(world, { ports: 1, interfaces: 1 });
    const made = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    expect(await textOf(made.id)).not.toHaveProperty("since");

    const upgraded = { since: null, bindings: [{ note: "" }] };
    const list = async (query: object): Promise<unknown[]> =>
      (await next.list(listServices, { query: { network_id: world.network.id, ...query } })).rows;
    const as_of = await waitForJournal(present);
    for (const query of [{}, { limit: 0 }, { ids: [made.id] }, { as_of }, { as_of, limit: 0 }])
      expect(await list(query)).toMatchObject([upgraded]);
    expect(await next.call(getService, { params: made })).toMatchObject(upgraded);
    expect(await next.call(getHost, { params: host })).toMatchObject({ services: [upgraded] });
    const hosts = await next.list(listHosts, { query: { ids: [host.id] } });
    expect(hosts.rows).toMatchObject([{ services: [upgraded] }]);
    expect((await next.call(getTopology, { query: { network_id: world.network.id } })).nodes).toHaveLength(3);

    await next.call(updateService, { params: made, body: { ...echoOf(made), name: "by the next build" } });
    expect(await stored(made.id)).toMatchObject({ form: NEXT, rank: 17 });
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
      rewriteOlderForms(topology.db.collection<EntityDocument>("services"), NEXT, {
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
    for (const one of all)
      expect(one).toMatchObject({ form: NEXT, rank: (JSON.parse(one.wire) as Service).name.length });
    for (const [id, name] of changes) expect(await textOf(id)).toMatchObject({ name, since: null });
  });
});
