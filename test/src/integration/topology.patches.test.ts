import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  createTag,
  getHost,
  getService,
  type Host,
  patchHost,
  patchInterface,
  patchNetwork,
  patchPort,
  patchService,
  patchSubnet,
  patchTag,
  updateHost,
  updateService,
  updateSubnet,
  updateTag,
} from "@nts/shared/contract";
import fc from "fast-check";
import { diffOf, sampled } from "../support/patches.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onInterface, onPort, type World } from "../support/topology-world.js";

/** Numbers of pairs of random states, and of rounds with two clients. */
const ROUNDS = Number(process.env["PATCH_ROUNDS"] ?? 6);
jest.setTimeout(300_000 + ROUNDS * 500);

let topology: Topology;
let owner: Caller;
let home: World;
let host: Host;
let transactions = 0;

beforeAll(async () => {
  const onCommand = ({ commandName }: { commandName: string }): void => {
    if (commandName === "commitTransaction") transactions += 1;
  };
  topology = await startTopology({ instances: 2, onCommand });
  owner = topology.aCaller();
  home = await aNetwork(owner);
  host = await aHost(home, { interfaces: 3, ports: 3, services: 2 });
});

afterAll(() => topology.stop());

const aName = fc.constantFrom("one", "two", "three");
const someTags = fc.subarray(["a", "b", "c", "d"]);
const aText = fc.constantFrom(null, "first", "second");
const aMachine = fc.constantFrom(null, { type: "vm" }, { type: "docker", details: { image: "nginx", ports: [80] } });

describe("topology.patches: PATCH of the difference between two states", () => {
  it("equals for a host a PUT of the second", async () => {
    const parts = { hostname: aText, description: aText, hidden: fc.boolean(), virtualization: aMachine };
    const anyHost = fc.record({ name: aName, tags: someTags, ...parts }, { requiredKeys: ["name"] });
    for (const [before, after] of sampled(fc.tuple(anyHost, anyHost), ROUNDS)) {
      const made = await Promise.all([1, 2].map(() => aHost(home)));
      const [x, y] = [before, after].map((one) => ({ ...one, network_id: home.network.id }));
      for (const { id } of made) await owner.call(updateHost, { params: { id }, body: x! });
      const [patched, replaced] = await Promise.all([
        owner.call(patchHost, { params: { id: made[0]!.id }, body: patchBetween(x!, y!) }),
        owner.via(1).call(updateHost, { params: { id: made[1]!.id }, body: y! }),
      ]);
      expect(withoutOwn(patched)).toEqual(withoutOwn(replaced));
    }
  });

  it("equals for a service a PUT of the second, with its bindings and its position", async () => {
    const { ports, interfaces } = host;
    const anyBindings = fc.subarray([
      onPort(ports[0], interfaces[2]),
      onPort(ports[1], interfaces[0]),
      onInterface(interfaces[1]),
    ]);
    const parts = { service_definition: aName, bindings: anyBindings, position: fc.nat(3), virtualization: aMachine };
    const anyService = fc.record({ name: aName, tags: someTags, ...parts });
    const same = { host_id: host.id, network_id: home.network.id, source: { type: "Manual" } };
    for (const [before, after] of sampled(fc.tuple(anyService, anyService), ROUNDS)) {
      const [x, y] = [before, after].map((one) => ({ ...same, ...one }));
      const results = [];
      for (const method of ["patch", "put"] as const) {
        const { id } = await aService(home, host, {});
        const params = { id };
        await owner.call(updateService, { params, body: x! });
        results.push(
          method === "patch"
            ? await owner.call(patchService, { params, body: patchBetween(x!, y!) })
            : await owner.call(updateService, { params, body: y! }),
        );
        await owner.raw("delete", `/api/v1/services/${id}`);
      }
      expect(withoutOwn(results[0]!)).toEqual(withoutOwn(results[1]!));
    }
  });
});

describe("topology.patches: PATCH of subnets and tags", () => {
  it("equals a PUT of the second", async () => {
    const anySubnet = fc.record(
      { name: aName, tags: someTags, description: aText, subnet_type: aText },
      { requiredKeys: ["name"] },
    );
    const cidr = fc.constantFrom("10.0.0.0/16", "10.0.0.0/15");
    for (const [before, after, one, other] of sampled(fc.tuple(anySubnet, anySubnet, cidr, cidr), ROUNDS)) {
      const x = { ...before, cidr: one, network_id: home.network.id };
      const y = { ...after, cidr: other, network_id: home.network.id };
      const params = { id: home.subnet.id };
      await owner.call(updateSubnet, { params, body: x });
      const patched = await owner.call(patchSubnet, { params, body: patchBetween(x, y) });
      await owner.call(updateSubnet, { params, body: x });
      expect(withoutOwn(patched)).toEqual(withoutOwn(await owner.call(updateSubnet, { params, body: y })));
    }
    const { id } = await owner.call(createTag, { body: { name: "tag", description: "kept", color: "red" } });
    expect(await owner.call(patchTag, { params: { id }, body: { color: null } })).toMatchObject({
      ...{ name: "tag", description: "kept", color: null },
    });
    const again = { name: "tag", description: "kept", color: null };
    expect(await owner.call(updateTag, { params: { id }, body: again })).toMatchObject(again);
  });
});

describe("topology.patches: concurrent patches of different members", () => {
  it("are both kept, through any process, with a transaction and without one", async () => {
    const service = await aService(home, host, {});
    const before = transactions;
    for (let round = 0; round < ROUNDS; round++) {
      const tag = `t${round % 40}`;
      const text = `round ${round}`;
      const description = { body: { description: text } };
      const a = owner;
      const b = owner.via(1);
      await Promise.all([
        a.call(patchHost, { params: { id: host.id }, ...description }),
        b.call(patchHost, { params: { id: host.id }, body: { tags: { add: [tag] } } }),
        a.call(patchService, { params: { id: service.id }, body: { name: text } }),
        b.call(patchService, { params: { id: service.id }, body: { virtualization: { type: text } } }),
        b.call(patchService, { params: { id: service.id }, body: { tags: { add: [tag], remove: ["x"] } } }),
      ]);
      const seen = await owner.call(getHost, { params: { id: host.id } });
      expect(seen).toMatchObject({ description: text, tags: expect.arrayContaining([tag]) });
      const now = await owner.call(getService, { params: { id: service.id } });
      expect(now).toMatchObject({ name: text, tags: expect.arrayContaining([tag]), virtualization: { type: text } });
    }
    expect(transactions).toBeGreaterThan(before);
    const settled = transactions;
    await owner.call(patchService, { params: { id: service.id }, body: { name: "in place" } });
    expect(transactions).toBe(settled);
  });
});

describe("topology.patches: the rules of a patch", () => {
  it("merge nested objects, remove members by null, and clear what may be cleared", async () => {
    const details = { image: "nginx", env: { A: "1", B: "2" } };
    const { id } = await aService(home, host, { virtualization: { type: "docker", details } });
    const params = { id };
    const patch = { details: { env: { A: null, C: "3" } } };
    const merged = await owner.call(patchService, { params, body: { virtualization: patch } });
    expect(merged.virtualization).toEqual({
      type: "docker",
      details: { image: "nginx", env: { B: "2", C: "3" } },
    });
    expect(await owner.refusal(patchService, { params, body: { virtualization: { type: null } } })).toEqual([
      400,
      "validation_failed",
      expect.anything(),
    ]);
    const cleared = await owner.call(patchService, { params, body: { virtualization: null } });
    expect(cleared.virtualization).toBeNull();
    expect(await owner.refusal(patchService, { params, body: { virtualization: { details: {} } } })).toEqual([
      400,
      "validation_failed",
      expect.anything(),
    ]);
  });

  it("move a service to another host by its id alone, and apply every rule of PUT", async () => {
    const other = await aHost(home, { name: "other" });
    const free = await aService(home, host, {});
    const moved = await owner.call(patchService, { params: { id: free.id }, body: { host_id: other.id } });
    expect(moved).toMatchObject({ host_id: other.id, position: 0, name: free.name });
    const bound = await aService(home, host, { bindings: [onPort(host.ports[0])] });
    const to = { params: { id: bound.id }, body: { host_id: other.id } };
    expect(await owner.refusal(patchService, to)).toEqual([400, "binding_cross_host", expect.anything()]);
    const late = { params: { id: bound.id }, body: { name: "late" }, headers: { "if-match": '"7"' } };
    expect(await owner.refusal(patchService, late)).toEqual([412, "precondition_failed", expect.anything()]);
  });

  it("allow changing one member of an interface, a port and a network", async () => {
    const [first, second] = host.interfaces;
    const params = { id: first!.id };
    const named = await owner.call(patchInterface, { params, body: { name: null, mac_address: "aabbccddeeff" } });
    expect(named).toMatchObject({ ip_address: first!.ip_address, name: null, mac_address: "AA:BB:CC:DD:EE:FF" });
    const taken = { params, body: { ip_address: second!.ip_address } };
    expect(await owner.refusal(patchInterface, taken)).toEqual([409, "already_exists", expect.anything()]);
    const port = await owner.call(patchPort, { params: { id: host.ports[2]!.id }, body: { number: 443 } });
    expect(port).toMatchObject({ number: 443, protocol: "Tcp", type: "Https" });
    const network = { params: { id: home.network.id }, body: { tags: { add: ["site"] } } };
    expect(await owner.call(patchNetwork, network)).toMatchObject({ name: home.network.name, tags: ["site"] });
  });

  it("reject any other content type, which the response names", async () => {
    const headers = { "content-type": "application/json" };
    const response = await owner.raw("patch", `/api/v1/hosts/${host.id}`, { name: "x" }, headers);
    expect([response.status, response.headers["accept-patch"]]).toEqual([415, "application/merge-patch+json"]);
  });
});

/** The patch from one body to another; nested objects are patched by their removed members. */
function patchBetween(before: object, after: object): object {
  const patch = diffOf(before, after) as Record<string, unknown>;
  const was = (before as { virtualization?: { details?: object } | null }).virtualization;
  const is = patch["virtualization"] as { details?: object } | null | undefined;
  if (was && is) patch["virtualization"] = { ...is, details: { ...goneOf(was.details), ...is.details } };
  return patch;
}

function goneOf(details: object = {}): object {
  return Object.fromEntries(Object.keys(details).map((name) => [name, null]));
}

/** An entity without ids, times and children. */
function withoutOwn(entity: object): unknown {
  const own = /^(id|service_id|created_at|updated_at|interfaces|ports|services)$/;
  return JSON.parse(JSON.stringify(entity, (name, value: unknown) => (own.test(name) ? undefined : value)));
}
