import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createTag } from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { TAGGED } from "@nts/topology/kinds/index";
import { type ServiceResponse, type Caller, startTopology, type Topology } from "../support/topology.js";
import {
  type Entity,
  type OneOfEachKind,
  createOneOfEachKind,
  type Kind,
  KINDS,
  operationsOf,
} from "../support/topology-everything.js";
import { unknownEntity, onInterface, onPort } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
/** Of the same organization, restricted to one of its two networks, otherwise with all permissions. */
let limited: Caller;
let own: OneOfEachKind;
let hidden: OneOfEachKind;
let foreign: OneOfEachKind;
let foreignTag: string;

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller();
  own = await createOneOfEachKind(owner, "own");
  hidden = await createOneOfEachKind(owner, "hidden");
  limited = owner.colleague({ networks: [own.networks.id] });
  const stranger = topology.aCaller();
  foreign = await createOneOfEachKind(stranger, "foreign");
  foreignTag = (await stranger.call(createTag, { body: { name: "theirs" } })).id;
});
afterAll(() => topology.stop());

/** All documents of the database, to detect changes. */
async function contents(): Promise<unknown[]> {
  const all = KINDS.map((kind) => topology.db.collection(kind).find().sort({ _id: 1 }).toArray());
  return Promise.all(all);
}

/** A response without the requested ids, so that two can be compared. */
const shape = ({ status, text }: ServiceResponse<unknown>, ...ids: string[]): string =>
  `${status} ${ids.reduce((left, id) => left.replaceAll(id, "ID"), text)}`;

describe.each(KINDS)("tenancy: %s out of scope", (kind) => {
  const outOfReach = (): [string, string][] => [
    ["in a hidden network", hidden[kind].id],
    ["of another organization", foreign[kind].id],
  ];

  it("look nonexistent to get, update, delete and bulk-delete, to the byte, and are not changed", async () => {
    const { get, update, remove, removeAll, entityName } = operationsOf(limited, kind);
    const before = await contents();
    const missing = unknownEntity().id;
    const requests: ((id: string) => Promise<ServiceResponse<unknown>>)[] = [
      (id) => get(id),
      (id) => get(id, { "if-none-match": "*" }),
      (id) => update(id, own[kind]),
      (id) => update(id, { ...own[kind], name: "taken" }, { "if-match": '"0"' }),
      (id) => remove(id),
      (id) => removeAll([id]),
      (id) => removeAll([own[kind].id, id]),
    ];
    for (const ask of requests) {
      const expected = await ask(missing);
      expect([expected.status, expected.code, expected.params]).toEqual([404, "not_found", { entity: entityName }]);
      for (const [where, id] of outOfReach())
        expect([where, shape(await ask(id), id)]).toEqual([where, shape(expected, missing)]);
    }
    expect(await contents()).toEqual(before);
  });

  it("are in no list and no total, whatever is requested", async () => {
    const { list } = operationsOf(limited, kind);
    // A link is between two hosts.
    const mine = kind === "hosts" ? own.links.ends.map(({ host_id }) => host_id) : [own[kind].id];
    for (const query of [{}, { limit: 0 }, { limit: 1, order_direction: "desc" }]) {
      const { data, headers } = await list(query);
      expect(mine).toEqual(expect.arrayContaining(data.map(({ id }) => id)));
      expect(data).toHaveLength("order_direction" in query ? 1 : mine.length);
      expect(headers[INTERNAL.listTotal]).toBe(String(mine.length));
    }
    for (const [, id] of outOfReach()) {
      const { data } = await list({ ids: [id, own[kind].id] });
      expect(data.map((entity) => entity.id)).toEqual([own[kind].id]);
    }
    for (const network of [hidden, foreign]) {
      const { data, headers } = await list({ network_id: network.networks.id });
      expect([data, headers[INTERNAL.listTotal]]).toEqual([[], "0"]);
    }
  });

  it("are visible to callers with all networks of the organization, and to no others", async () => {
    expect((await operationsOf(owner, kind).get(hidden[kind].id)).status).toBe(200);
    expect((await operationsOf(owner, kind).get(foreign[kind].id)).status).toBe(404);
    expect((await operationsOf(owner.colleague({ networks: [] }), kind).list()).data).toEqual([]);
    expect((await operationsOf(owner.colleague({ networks: [] }), kind).get(own[kind].id)).status).toBe(404);
  });
});

type Place = [kind: Kind, place: string, other: (world: OneOfEachKind) => string, body: (id: string) => object];

/** Every place of a body that can reference an entity, with an id inserted. */
const PLACES: Place[] = [
  ["services", "host_id", ({ hosts }) => hosts.id, (host_id) => ({ host_id })],
  ["services", "network_id", ({ networks }) => networks.id, (network_id) => ({ network_id })],
  ["services", "a port", ({ ports }) => ports.id, (id) => ({ bindings: [onPort({ id })] })],
  [
    "services",
    "the interface of a port",
    ({ interfaces }) => interfaces.id,
    (id) => ({ bindings: [onPort(own.ports, { id })] }),
  ],
  ["services", "an interface", ({ interfaces }) => interfaces.id, (id) => ({ bindings: [onInterface({ id })] })],
  ["interfaces", "host_id", ({ hosts }) => hosts.id, (host_id) => ({ host_id })],
  ["interfaces", "network_id", ({ networks }) => networks.id, (network_id) => ({ network_id })],
  ["interfaces", "subnet_id", ({ subnets }) => subnets.id, (subnet_id) => ({ subnet_id })],
  ["ports", "host_id", ({ hosts }) => hosts.id, (host_id) => ({ host_id })],
  ["ports", "network_id", ({ networks }) => networks.id, (network_id) => ({ network_id })],
  ["hosts", "network_id", ({ networks }) => networks.id, (network_id) => ({ network_id })],
  ["subnets", "network_id", ({ networks }) => networks.id, (network_id) => ({ network_id })],
];

describe("tenancy: foreign ids in bodies", () => {
  it.each(PLACES)(
    "%s: %s out of scope is rejected like a nonexistent one, and nothing is stored",
    async (kind, _place, other, body) => {
      const { create, update } = operationsOf(limited, kind);
      const before = await contents();
      const missing = unknownEntity().id;
      for (const send of [create, (changed: object) => update(own[kind].id, changed)]) {
        const expected = await send({ ...own[kind], ...body(missing) });
        expect(expected.status).toBe(400);
        for (const world of [hidden, foreign]) {
          const id = other(world);
          expect(shape(await send({ ...own[kind], ...body(id) }), id)).toBe(shape(expected, missing));
        }
      }
      expect(await contents()).toEqual(before);
    },
  );

  it.each(TAGGED)("%s: a tag of another organization is rejected like a nonexistent one", async (kind) => {
    const { update } = operationsOf(owner, kind);
    const theirs = foreignTag;
    const missing = unknownEntity().id;
    const send = (tag: string): Promise<ServiceResponse<Entity>> =>
      update(own[kind].id, { ...own[kind], tags: ["x", tag] });
    expect(await send(missing)).toMatchObject({ status: 400, code: "invalid_reference", params: { path: "tags.1" } });
    expect(shape(await send(theirs), theirs)).toBe(shape(await send(missing), missing));
  });

  it("hosts: a child in a subnet out of scope is rejected like one in a nonexistent subnet", async () => {
    const { create } = operationsOf(limited, "hosts");
    const send = (subnet_id: string): Promise<ServiceResponse<Entity>> =>
      create({ network_id: own.networks.id, name: "h", interfaces: [{ subnet_id, ip_address: "10.0.0.9" }] });
    const before = await contents();
    const missing = unknownEntity().id;
    const expected = await send(missing);
    expect(expected).toMatchObject({ code: "invalid_reference", params: { path: "interfaces.0.subnet_id" } });
    for (const { subnets } of [hidden, foreign])
      expect(shape(await send(subnets.id), subnets.id)).toBe(shape(expected, missing));
    expect(await contents()).toEqual(before);
  });

  it("networks: any other organization's id is rejected", async () => {
    const { create, update } = operationsOf(owner, "networks");
    for (const organization_id of [foreign.networks.organization_id, unknownEntity().id])
      for (const response of [
        await create({ name: "n", organization_id }),
        await update(own.networks.id, { name: "n", organization_id }),
      ])
        expect([response.status, response.code]).toEqual([403, "permission_denied"]);
  });
});

describe("tenancy: authentication", () => {
  const SECRET = "another-secret-of-more-than-32-characters";
  const bySomebodyElse = createTenancySigner([SECRET], "topology")({ kind: "process" });

  it.each([
    ["none", undefined],
    ["an empty text", ""],
    ["a forged header", bySomebodyElse],
  ])("rejects %s as a tenancy header", async (_which, header) => {
    for (const path of ["/api/v1/hosts", `/api/v1/hosts/${own.hosts.id}`, "/nowhere"]) {
      const response = await owner.raw("get", path, undefined, { [INTERNAL.tenancy]: header });
      expect([response.status, response.code]).toEqual([401, "not_authenticated"]);
    }
  });

  it.each(KINDS)("lets a Viewer read %s and write none", async (kind) => {
    const viewer = operationsOf(owner.colleague({ permission: "Viewer" }), kind);
    const before = await contents();
    const { id } = own[kind];
    expect([(await viewer.get(id)).status, (await viewer.list()).status]).toEqual([200, 200]);
    const writes = [viewer.create(own[kind]), viewer.update(id, own[kind]), viewer.remove(id), viewer.removeAll([id])];
    for (const response of await Promise.all(writes)) {
      expect([response.status, response.code]).toEqual([403, "permission_denied"]);
      expect(response.params).toEqual({ required: kind === "networks" ? "Admin" : "Member" });
    }
    expect(await contents()).toEqual(before);
  });
});
