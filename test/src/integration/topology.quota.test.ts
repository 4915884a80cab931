import { afterAll, beforeAll, expect, it } from "@jest/globals";
import {
  createHost,
  createNetwork,
  createTag,
  deleteHost,
  deleteTag,
  OPERATIONS,
  patchService,
  splitHost,
  updateHost,
  updateService,
} from "@nts/shared/contract";
import { QUOTA_ERRORS } from "@nts/shared/contract/common";
import { createStorage } from "@nts/topology/storage/storage";
import { waitForJournal } from "../support/moments.js";
import { revert, withRequestId } from "../support/reverts.js";
import { type Caller, type Refusal, startTopology, type Topology } from "../support/topology.js";
import { createOneOfEachKind, KINDS, operationsOf } from "../support/topology-everything.js";
import { aHost, aNetwork, echoOf, onPort } from "../support/topology-world.js";

const LIMIT = 40;
/** The quota of networks, and of tags. */
const FEW = 6;
const exceeded = [403, "quota_exceeded", { entity: "Entity", limit: LIMIT }];

/** By other tests: they add bindings, restore what was deleted, or have a quota of their own. */
const TRIED_ELSEWHERE = ["update_service", "patch_service", "revert_changes", "create_webhook"];

/** The operations that declare both failures for lack of room. */
function addingOperations(): string[] {
  const adding = OPERATIONS.filter(
    ({ upstream, errors }) => upstream === "topology" && QUOTA_ERRORS.every((code) => errors.includes(code)),
  );
  return adding.map(({ operationId }) => operationId).sort();
}

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology({
    instances: 2,
    journal: true,
    storage: (it, db) => createStorage(db, it.transaction, { quotas: { entities: LIMIT, networks: FEW, tags: FEW } }),
  });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

/** Creates entities until a rejection. @returns how many were created */
async function fill(caller: Caller, create: (n: number) => Promise<{ status: number }>): Promise<number> {
  for (let n = 0; n <= 2 * LIMIT; n++) if ((await create(n)).status !== 200) return n;
  throw new Error(`nothing was rejected for ${caller.scope.organizationId}`);
}

it("an organization creates no more than its quota, of all kinds together, until something is deleted", async () => {
  const owner = topology.aCaller();
  const one = await createOneOfEachKind(owner);
  const network_id = one.networks.id;
  const world = { owner, network: one.networks, subnet: one.subnets };
  // One of each kind comes with a second host, and a binding.
  const left = LIMIT - KINDS.length - 2;
  const host = await aHost(world, { name: "full", services: left - 3 });
  expect(await fill(owner, (n) => owner.send(createTag, { body: { name: `t${n}` } }))).toBe(2);
  for (const caller of [owner, owner.via(1)]) {
    const refused: Record<string, Refusal> = {
      create_tag: await caller.refusal(createTag, { body: { name: "late" } }),
      split_host: await caller.refusal(splitHost, {
        params: one.hosts,
        body: { interface_ids: [one.interfaces.id], name: "late" },
      }),
    };
    for (const kind of KINDS) {
      const { entityName, createLike } = operationsOf(caller, kind);
      const { status, code, params } = await createLike(one[kind]);
      refused[`create_${entityName.toLowerCase()}`] = [status, code, params];
    }
    expect([...Object.keys(refused), ...TRIED_ELSEWHERE].sort()).toEqual(addingOperations());
    for (const [operation, refusal] of Object.entries(refused))
      expect([operation, refusal]).toEqual([operation, exceeded]);
    const scan = `<nmaprun scanner="nmap"><host><status state="up"/><address addr="10.0.0.9" addrtype="ipv4"/></host></nmaprun>`;
    const path = `/api/v1/imports/nmap?network_id=${network_id}`;
    const { data } = await caller.raw("post", path, scan, { "content-type": "application/xml" });
    expect(data).toMatchObject({ hosts: [{ action: "failed", error: { code: "quota_exceeded" } }] });
    await caller.call(updateHost, { params: host, body: { ...host, name: "still changed" } });
  }
  const stranger = await aNetwork(topology.aCaller());
  await aHost(stranger);

  await owner.call(deleteHost, { params: host });
  await owner.call(createHost, { body: { network_id, name: "there is room again" } });
});

it("an organization that has used up its quota adds no bindings by updates, alone or together, but changes and removes them", async () => {
  const world = await aNetwork(topology.aCaller());
  const { owner } = world;
  const { ports, interfaces, services } = await aHost(world, { interfaces: 1, ports: 2, services: 33 });
  const [bound, ...others] = services as [(typeof services)[0], ...typeof services];
  const body = { bindings: [onPort(ports[0])] };
  await owner.call(patchService, { params: bound, body });
  const stored = () =>
    topology.db.collection("bindings").countDocuments({ organization_id: owner.scope.organizationId });
  for (const caller of [owner, owner.via(1)])
    for (const params of others.slice(0, 2)) {
      expect(await caller.refusal(updateService, { params, body: { ...echoOf(params), ...body } })).toEqual(exceeded);
      expect(await caller.refusal(patchService, { params, body })).toEqual(exceeded);
      expect(await caller.refusal(patchService, { params, body, query: { dry_run: true } })).toEqual(exceeded);
    }
  const together = others.map((params) => owner.refusal(patchService, { params, body }));
  expect(await Promise.all(together)).toEqual(others.map(() => exceeded));
  expect(await stored()).toBe(1);

  const covered = { bindings: [onPort(ports[0]), onPort(ports[0], interfaces[0]), onPort(ports[0])] };
  for (const query of [{ dry_run: true }, {}]) await owner.call(patchService, { params: bound, body: covered, query });
  expect(await stored()).toBe(1);
  await owner.call(patchService, { params: bound, body: { bindings: [onPort(ports[1])], name: "still changed" } });
  await owner.call(patchService, { params: bound, body: { bindings: [] } });
  expect(await stored()).toBe(0);
  await owner.call(patchService, { params: others[0]!, body });
});

it("an organization that has used up its quota adds no bindings by reverting their removal", async () => {
  const world = await aNetwork(topology.aCaller());
  const { owner } = world;
  const {
    ports,
    services: [service],
  } = await aHost(world, { ports: 1, services: 35 });
  const params = service!;
  await owner.call(patchService, { params, body: { bindings: [onPort(ports[0])] } });
  const removal = await withRequestId((headers) =>
    owner.call(patchService, { params, body: { bindings: [] }, headers }),
  );
  const tag = await owner.call(createTag, { body: { name: "the last entity" } });
  const { status, code } = await revert(owner, removal);
  expect([status, code]).toEqual([403, "quota_exceeded"]);
  await owner.call(deleteTag, { params: tag });
  expect((await revert(owner, removal)).status).toBe(200);
});

it("an organization exceeds its quota by no more than what is created concurrently", async () => {
  const world = await aNetwork(topology.aCaller());
  await aHost(world, { services: 35 });
  const { owner, network } = world;
  const creates = Array.from({ length: 12 }, (_, n) =>
    owner.via(n % 2).send(createHost, { body: { network_id: network.id, name: `h${n}` } }),
  );
  const statuses = (await Promise.all(creates)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1);
  for (const caller of [owner, owner.via(1)])
    expect(await caller.refusal(createHost, { body: { network_id: network.id, name: "late" } })).toEqual(exceeded);
});

it("an organization creates no more networks, and no more tags, than the quota of each", async () => {
  const { owner } = await aNetwork(topology.aCaller());
  expect(await fill(owner, (n) => owner.send(createNetwork, { body: { name: `n${n}` } }))).toBe(FEW - 1);
  expect(await fill(owner, (n) => owner.send(createTag, { body: { name: `t${n}` } }))).toBe(FEW);
  for (const caller of [owner, owner.via(1)]) {
    const refused = (entity: string): unknown[] => [403, "quota_exceeded", { entity, limit: FEW }];
    expect(await caller.refusal(createNetwork, { body: { name: "late" } })).toEqual(refused("Network"));
    expect(await caller.refusal(createTag, { body: { name: "late" } })).toEqual(refused("Tag"));
  }
});
