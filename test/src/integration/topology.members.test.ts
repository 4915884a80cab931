/**
 * What every member of every kind promises, generated from the contract: it can be written by each operation that takes
 * it, is recorded, and survives archives, reads of the past and reverts. A new member or kind is tested once declared.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { z } from "zod";
import {
  type AnyEndpoint,
  type Change,
  createHost,
  CSV_RESOURCES,
  type Host,
  listChanges,
  OPERATIONS,
} from "@nts/shared/contract";
import { archiveOf, imported, normalForm } from "../support/archives.js";
import { anotherValue, membersOf } from "../support/members.js";
import { waitForJournal } from "../support/moments.js";
import { revert, withRequestId } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, onInterface, onPort, type World } from "../support/topology-world.js";
import { withoutSightings } from "../support/without-sightings.js";

type Members = Readonly<Record<string, unknown>>;
type Entity = Members & { readonly id: string };

interface Kind {
  /** In responses, such as `Service`. */
  readonly name: string;
  readonly path: string;
  readonly create: AnyEndpoint;
  readonly put: AnyEndpoint;
}

const HISTORY = /^\/api\/v1\/([^/]+)\/\{id\}\/history$/;

/** The kinds of the contract: those with a history. */
const KINDS: readonly Kind[] = OPERATIONS.flatMap(({ path: history }) => {
  const path = `/api/v1/${HISTORY.exec(history)?.[1] ?? ""}`;
  const of = (method: string, at: string): AnyEndpoint | undefined =>
    OPERATIONS.find((one) => one.method === method && one.path === at);
  const create = of("post", path);
  const put = of("put", `${path}/{id}`);
  if (create === undefined || put === undefined) return [];
  return [
    {
      name: create.operationId.replace("create_", "").replace(/^./, (first) => first.toUpperCase()),
      path,
      create,
      put,
    },
  ];
});

/** Members that cannot change, by kind or for all. */
const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  all: ["network_id", "organization_id", "source"],
  Interface: ["host_id"],
  Port: ["host_id"],
};
/** Members that cannot be undone once they are set. */
const SET_ONCE = ["mac_address"];
/** Members of creations that are no members of the entity. */
const CHILDREN = ["interfaces", "ports", "services"];

let topology: Topology;
let owner: Caller;
let world: World;
let host: Host;
/** References, and values that others limit: two of each, by kind or for all. */
let values: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown]>>>>;
/** What a creation needs. */
let places: Readonly<Record<string, unknown>>;
let numbers = 0;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
  owner = topology.aCaller();
  world = await aNetwork(owner);
  await waitForJournal(owner);
  host = await aHost(world, { interfaces: 2, ports: 2, services: 3 });
  const other = await aHost(world, { name: "other", ports: 1 });
  const [eth0, eth1] = host.interfaces;
  const wider = await owner.raw("post", "/api/v1/subnets", {
    network_id: world.network.id,
    cidr: "10.0.0.0/8",
    name: "wider",
  });
  const vlan = await send("post", "/api/v1/vlans", { network_id: world.network.id, vid: 4_000, name: "VLAN" });
  const range = { from: "10.0.9.0", to: "10.0.9.9", purpose: "dhcp" };
  values = {
    all: {
      description: ["a text", null],
      hostname: ["nas.example", null],
      virtualization: [{ type: "vm", details: { cores: 4 } }, null],
      attributes: [{ rack: "A3", height: 2, spare: true }, {}],
    },
    Tag: { color: ["#3b82f6", "blue"] },
    View: {
      filters: [
        {
          search: "nas",
          tags: ["lab"],
          categories: ["Media"],
          subnets: [world.subnet.id],
          vlans: [vlan.id],
          with_hidden: true,
        },
        { search: "", tags: [], categories: [], subnets: [], vlans: [], with_hidden: false },
      ],
      positions: [{ [host.id]: { x: 8, y: -16 } }, { [world.subnet.id]: { x: 0, y: 4 } }],
    },
    Vlan: {
      get vid() {
        return [++numbers, ++numbers] as const;
      },
    },
    Link: {
      // Two links cannot have the same ends.
      get ends() {
        const at = (port: string) => ({ host_id: host.id, interface_id: eth0!.id, port });
        const far = { host_id: other.id, interface_id: null, port: null };
        return [
          [at(`another ${++numbers}`), far],
          [far, at(`another ${++numbers}`)],
        ] as const;
      },
      vlan_ids: [[vlan.id], []],
    },
    Subnet: {
      vlan_id: [vlan.id, null],
      cidr: ["10.0.0.0/15", "10.0.0.0/16"],
      reserved: [[range], []],
    },
    Interface: {
      ip_address: ["10.0.7.1", "10.0.7.2"],
      mac_address: ["02:00:00:00:00:01", "02:00:00:00:00:01"],
      position: [0, 1],
      subnet_id: [(wider.data as Entity).id, world.subnet.id],
    },
    Dependency: {
      client: [
        { host_id: host.id, service_id: null, process: "cron" },
        { host_id: host.id, service_id: host.services[0]?.id, process: null },
      ],
      server: [
        { host_id: other.id, service_id: null, port_id: null },
        { host_id: other.id, service_id: null, port_id: other.ports[0]?.id },
      ],
    },
    Service: {
      bindings: [[onInterface(eth1), onPort(host.ports[0], eth0)], []],
      position: [0, 1],
      host_id: [other.id, host.id],
    },
  };
  places = { network_id: world.network.id, host_id: host.id, subnet_id: world.subnet.id, cidr: "10.0.0.0/16" };
});
afterAll(() => topology.stop());

function isImmutable({ name }: Kind, member: string): boolean {
  return [...(IMMUTABLE["all"] ?? []), ...(IMMUTABLE[name] ?? [])].includes(member);
}

/** The members of an update that can change. */
function changeable(kind: Kind): ReturnType<typeof membersOf> {
  return membersOf(kind.put.body).filter(([member]) => !isImmutable(kind, member));
}

/** Another value of a member. @param which of the two listed ones */
function valueOf(
  kind: Kind,
  [member, schema]: ReturnType<typeof membersOf>[number],
  present: unknown,
  which: 0 | 1,
): unknown {
  const listed = values[kind.name]?.[member] ?? (member in (values["all"] ?? {}) ? values["all"]?.[member] : undefined);
  return listed === undefined ? anotherValue(schema, present, ++numbers) : listed[which];
}

/** What must be sent to create an entity of the kind. */
function leastOf(kind: Kind): Members {
  const needed = membersOf(kind.create.body).filter(([, schema]) => !schema.safeParse(undefined).success);
  return Object.fromEntries(needed.map((one) => [one[0], places[one[0]] ?? valueOf(kind, one, undefined, 1)]));
}

async function send(method: string, path: string, body: unknown, headers = {}): Promise<Entity> {
  const { status, text, data } = await owner.raw(method, path, body, headers);
  if (status !== 200) throw new Error(`${method} ${path} returned ${status}: ${text}`);
  return data as Entity;
}

/** A value with an invisible character in each text. */
function withInvisible(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("another ", "another\u200b "));
}

/** The members of a body by which people tell entities apart, with a value. */
function labelsOf(kind: Kind, body: AnyEndpoint["body"]): [name: string, value: unknown][] {
  return membersOf(body)
    .filter((member) => !isImmutable(kind, member[0]) && !CHILDREN.includes(member[0]) && !(member[0] in places))
    .map(([name, schema]): [string, unknown] => [name, anotherValue(schema, undefined, ++numbers)])
    .filter(([name, value]) => {
      const schema = ((body as z.ZodObject).shape as Partial<Record<string, z.ZodType>>)[name];
      return schema?.safeParse(value).success === true && !schema.safeParse(withInvisible(value)).success;
    });
}

/** Stores an entity with an invisible character in each text, as an import of an archive may. */
async function storeOld(kind: Kind, { id }: Entity): Promise<void> {
  const collection = topology.db.collection<{ _id: string }>(kind.path.replace("/api/v1/", ""));
  const document = await collection.findOne({ _id: id });
  const text = JSON.stringify(document).replaceAll("another ", "another\u200b ");
  const { wire, name } = JSON.parse(text) as { wire: string; name?: string };
  await collection.updateOne({ _id: id }, { $set: { wire, ...(name !== undefined && { name }) } });
}

/** A new entity with the required members only. */
function anEntity(kind: Kind): Promise<Entity> {
  return send("post", kind.path, leastOf(kind));
}

/** A member as it was sent: without what the server adds to bindings. */
function sent(member: string, value: unknown): unknown {
  if (member !== "bindings") return value;
  return (value as Members[]).map(({ type, port_id, interface_id }) => ({
    type,
    ...(type === "Port" && { port_id }),
    interface_id,
  }));
}

const changesOf = (id: string): Promise<Change[]> =>
  owner.call(listChanges, { query: { entity_id: id, limit: 1_000 } });

describe.each(KINDS)("the kind $name", (kind) => {
  it("is created with every member of the body", async () => {
    for (const member of membersOf(kind.create.body)) {
      const [name] = member;
      if (isImmutable(kind, name) || CHILDREN.includes(name) || name in places) continue;
      const body = { ...leastOf(kind), [name]: valueOf(kind, member, undefined, 0) };
      const { id } = await send("post", kind.path, body);
      const stored = await send("get", `${kind.path}/${id}`, undefined);
      expect({ [name]: sent(name, stored[name]) }).toEqual({ [name]: body[name] });
      await send("delete", `${kind.path}/${id}`, undefined);
    }
  });

  it("changes by PATCH and by PUT in every member of the body, with an entry that names it", async () => {
    const { id } = await anEntity(kind);
    const path = `${kind.path}/${id}`;
    const recorded: [by: string, member: string][] = [];
    for (const member of changeable(kind)) {
      const [name] = member;
      const before = await send("get", path, undefined);
      for (const [by, which] of [
        ["patch", 0],
        ["put", 1],
      ] as const) {
        const present = await send("get", path, undefined);
        const value = valueOf(kind, member, present[name], which);
        const body = by === "patch" ? { [name]: value } : { ...present, [name]: value };
        await send(by, path, body);
        const stored = await send("get", path, undefined);
        expect({ by, [name]: sent(name, stored[name]) }).toEqual({ by, [name]: value });
        if (JSON.stringify(sent(name, present[name])) !== JSON.stringify(value)) recorded.push([by, name]);
      }
      // A move to another host and back ends at another position.
      const moved = name === "host_id" ? { position: null } : {};
      const others = (entity: Entity): object => ({
        ...withoutSightings(entity),
        ...{ [name]: null, updated_at: null, type: null, ...moved },
      });
      expect(others(await send("get", path, undefined))).toEqual(others(before));
    }
    await waitForJournal(owner);
    const updates = (await changesOf(id)).filter(({ action }) => action === "updated");
    expect(updates.map(({ fields }, n) => fields.includes(recorded[n]?.[1] ?? ""))).toEqual(recorded.map(() => true));
    expect([...new Set(recorded.map(([, name]) => name))]).toEqual(changeable(kind).map(([name]) => name));
    await send("delete", path, undefined);
  });

  it("takes an invisible character in no text by which people tell it apart, unless it is stored", async () => {
    const { id } = await anEntity(kind);
    const refuse = async (method: string, path: string, member: string, body: unknown): Promise<void> => {
      const { status, params } = await owner.raw(method, path, body);
      const [fault] = (params["errors"] ?? []) as { path: string; message: string }[];
      const place = `${fault?.path.split(".")[0] ?? ""} ${fault?.message ?? ""}`;
      expect([method, status, place]).toEqual([
        method,
        400,
        `${member} must not contain invisible characters: U+200B at character 8`,
      ]);
    };
    for (const [name, value] of labelsOf(kind, kind.create.body))
      await refuse("post", kind.path, name, { ...leastOf(kind), [name]: withInvisible(value) });
    const labels = labelsOf(kind, kind.put.body);
    expect(labels.length > 0).toBe(!["Port", "Dependency"].includes(kind.name));
    const path = `${kind.path}/${id}`;
    const present = await send("put", path, { ...(await send("get", path, undefined)), ...Object.fromEntries(labels) });
    for (const [name, value] of labels) {
      await refuse("put", path, name, { ...present, [name]: withInvisible(value) });
      await refuse("patch", path, name, { [name]: withInvisible(value) });
    }
    await storeOld(kind, present);
    const old = await send("get", path, undefined);
    expect(labels.filter(([name]) => JSON.stringify(old[name]) === JSON.stringify(present[name]))).toEqual([]);
    expect(await send("put", path, old)).toEqual(old);
    const changed = await send("patch", path, "description" in old ? { description: "changed" } : {});
    for (const [name] of labels) expect(changed[name]).toEqual(old[name]);
    if (labels.some(([name]) => name === "tags")) {
      const [tag] = old["tags"] as string[];
      expect((await send("patch", path, { tags: { add: ["new"], remove: [tag] } }))["tags"]).toEqual(["new"]);
    }
    // Others stay for the archive below.
    if (["Interface", "Dependency"].includes(kind.name)) await send("delete", path, undefined);
  });

  it("keeps every member in the past, in a revert and in an archive", async () => {
    const first = await anEntity(kind);
    const { id } = first;
    const path = `${kind.path}/${id}`;
    // A service is moved alone: its bindings are of its host.
    const all = changeable(kind).filter(([name]) => !(kind.name === "Service" && name === "host_id"));
    const body = Object.fromEntries(all.map((member) => [member[0], valueOf(kind, member, first[member[0]], 0)]));
    const setBefore = Object.fromEntries(Object.entries(body).filter(([name]) => SET_ONCE.includes(name)));
    const before = await send("patch", path, setBefore);
    const cursor = await waitForJournal(owner);
    const request = await withRequestId((headers) => send("put", path, { ...before, ...body }, headers));
    const after = await send("get", path, undefined);
    for (const [name] of all)
      if (!SET_ONCE.includes(name)) expect(JSON.stringify(after[name])).not.toBe(JSON.stringify(before[name]));
    const since = await waitForJournal(owner);
    expect(await send("get", `${path}?as_of=${cursor}`, undefined)).toEqual(withoutSightings(before));
    expect(await send("get", `${path}?as_of=${since}`, undefined)).toEqual(withoutSightings(after));
    const archive = await archiveOf(owner);
    expect(archive.entities.find(({ data }) => data.id === id)?.data).toEqual(
      withoutSightings(Object.fromEntries(Object.entries(after).filter(([name]) => !CHILDREN.includes(name)))),
    );
    const copy = topology.aCaller();
    await imported(copy, archive.text);
    expect(normalForm(await archiveOf(copy))).toEqual(normalForm(archive));
    expect((await revert(owner, request)).status).toBe(200);
    expect({ ...(await send("get", path, undefined)), updated_at: null }).toEqual({ ...before, updated_at: null });
    await send("put", path, { ...before, ...body });
  });
});

describe("a name from before invisible characters were rejected", () => {
  it("is restored by a revert", async () => {
    const kind = KINDS.find(({ name }) => name === "Host");
    if (kind === undefined) throw new Error("there are no hosts");
    const made = await send("post", kind.path, { ...leastOf(kind), name: "another host" });
    const path = `${kind.path}/${made.id}`;
    await storeOld(kind, made);
    const old = await send("get", path, undefined);
    const request = await withRequestId((headers) => send("put", path, { ...old, name: "new" }, headers));
    await waitForJournal(owner);
    expect((await revert(owner, request)).status).toBe(200);
    expect((await send("get", path, undefined))["name"]).toBe("another\u200b host");
  });
});

describe("a new host", () => {
  it("keeps every member of its children", async () => {
    const children = membersOf(createHost.body).filter(([name]) => CHILDREN.includes(name));
    for (const [list, schema] of children) {
      const kind = KINDS.find(({ path }) => path.endsWith(`/${list}`));
      if (kind === undefined) throw new Error(`${list} are of no kind`);
      const inner = (schema.def as unknown as { innerType: { element: Parameters<typeof membersOf>[0] } }).innerType;
      const members = membersOf(inner.element).filter(([name]) => name !== "id" && name !== "bindings");
      const child = Object.fromEntries(
        members.map((one) => [one[0], places[one[0]] ?? valueOf(kind, one, undefined, 0)]),
      );
      const made = await send("post", "/api/v1/hosts", { network_id: world.network.id, name: list, [list]: [child] });
      expect((made as unknown as Record<string, Members[]>)[list]).toMatchObject([child]);
    }
  });
});

describe("a CSV table", () => {
  it.each(CSV_RESOURCES)("of %s has the value of every member that is a column", async (resource) => {
    const { text } = await owner.raw("get", `/api/v1/exports/csv?resource=${resource}&network_id=${world.network.id}`);
    const columns = text.slice(0, text.indexOf("\r\n")).split(",");
    const kind = KINDS.find(({ path }) => path.endsWith(`/${resource}`));
    const rows = await owner.raw("get", `${kind?.path ?? ""}?limit=0`);
    for (const column of membersOf(kind?.put.body).flatMap(([name]) => (columns.includes(name) ? [name] : [])))
      for (const row of rows.data as Members[])
        if (typeof row[column] === "string" && (row["bindings"] as unknown[] | undefined)?.length !== 0)
          expect({ column, isThere: text.includes(row[column]) }).toEqual({ column, isThere: true });
  });
});
