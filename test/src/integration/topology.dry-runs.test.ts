/**
 * Dry runs and plans, on random writes of random states: DRY_RUNS sets their number, and SEED repeats them.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteServices,
  createHost,
  createService,
  createTag,
  deleteHost,
  deleteNetwork,
  deletePort,
  deleteTag,
  getHost,
  getNetwork,
  listServices,
  patchService,
  type Plan,
  updateService,
} from "@nts/shared/contract";
import { ALL_COLLECTIONS } from "@nts/topology/kinds/index";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { type ServiceResponse, type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, onPort } from "../support/topology-world.js";
import { SEED } from "../support/sample-seed.js";

const COUNT = Number(process.env["DRY_RUNS"] ?? 30);

let topology: Topology;
let owner: Caller;

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller();
});
afterAll(() => topology.stop());

/** A hash of every document of the database. */
/** A hash of every collection, besides the locks that background work takes. */
const everything = async (): Promise<unknown> => {
  const { collections } = await topology.db.command({ dbHash: 1 });
  return Object.entries(collections as object).filter(([name]) => name !== "locks");
};

const dry = { query: { dry_run: true } } as const;
const planOf = ({ meta: { plan } }: ServiceResponse<unknown>): Plan => {
  if (plan === undefined) throw new Error("no plan");
  return plan;
};

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A response with new ids replaced by their order of appearance, and without times. */
function alike(text: string, known: ReadonlySet<string>): string {
  const places = new Map<string, string>();
  const placed = (id: string): string => {
    if (known.has(id)) return id;
    if (!places.has(id)) places.set(id, `new ${places.size}`);
    return places.get(id) ?? "";
  };
  return text.replaceAll(ID, placed).replaceAll(TIME, "then");
}

describe(`of ${COUNT} random writes, seed ${SEED}`, () => {
  it(
    "a dry run leaves no trace and is answered like the write, and the write with the plan's ETag does what was planned",
    async () => {
      const caller = topology.aCaller();
      const outcomes = new Map<string, number>();
      const found: string[] = [];
      const twice = {
        send: async (method: string, path: string, body?: unknown) => {
          const before = await everything();
          const tried = await caller.raw(method, `${path}?dry_run=true`, body);
          expect(await everything()).toEqual(before);
          const known = new Set(JSON.stringify(await idsIn()).match(ID) ?? []);
          const etag = tried.meta.plan?.etag;
          const done = await caller.raw(method, `${path}?explain=true`, body, { "if-match": etag });
          if (done.status !== tried.status) found.push(`${method} ${path}: ${tried.text} became ${done.text}`);
          // Only a dry run says what depends on what would be deleted.
          const [planned, did] = [tried, done].map(({ data, text, status, meta }) =>
            alike(status === 200 ? JSON.stringify([data, { ...meta.plan, etag: "", impact: undefined }]) : text, known),
          );
          if (planned !== did) found.push(`${method} ${path}: ${planned ?? ""} became ${did ?? ""}`);
          if (done.status === 200 && planOf(done).etag !== etag) found.push(`${method} ${path}: another ETag`);
          const outcome = done.status === 200 ? (done.meta.plan?.action ?? "") : done.code;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          return { ...done, body: done.status === 200 ? { data: done.data } : { code: done.code } };
        },
      };
      const world = anEmptyWorld();
      for (const drawn of drawHistory(SEED, COUNT)) await step(world, twice as never, drawn);
      expect(found).toEqual([]);
      // Few writes need not include each kind: of sixty, most samples delete nothing.
      const drawnSurely = COUNT < 1_000 ? [] : ["create", "update", "delete"];
      for (const action of drawnSurely) expect(outcomes.get(action) ?? 0).toBeGreaterThan(0);
    },
    Math.max(60_000, COUNT * 200),
  );
});

const idsIn = async (): Promise<unknown> => {
  return Promise.all(
    ALL_COLLECTIONS.map((kind) =>
      topology.db
        .collection(kind)
        .find({}, { projection: { _id: 1 } })
        .toArray(),
    ),
  );
};

describe("a plan", () => {
  it("lists the removed bindings, the shifted positions and the changed fields", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world, { interfaces: 1, ports: 1 });
    const first = await aService(world, host, { name: "a" });
    const second = await aService(world, host, { name: "b" });
    const port = host.ports[0];
    const at = host.interfaces[0];
    const body = { ...echoOf(second), position: 0, bindings: [onPort(port, at), onPort(port), onPort(port)] };
    const plan = planOf(await owner.send(updateService, { params: second, body, ...dry }));
    expect(plan.removed_bindings).toEqual([
      { index: 2, reason: "duplicate", kept_index: 1 },
      { index: 0, reason: "covered_by_all_interfaces", kept_index: 1 },
    ]);
    const changes = plan.changes.filter(({ entity }) => entity === "Service");
    expect(changes.map(({ action, id, fields }) => [action, id, fields["position"]])).toEqual([
      ["update", second.id, { before: 1, after: 0 }],
      ["update", first.id, { before: 0, after: 1 }],
    ]);
    expect(plan.action).toBe("update");
    expect((await owner.send(updateService, { params: second, body: echoOf(second), ...dry })).meta.plan?.action).toBe(
      "none",
    );
  });

  it("lists the removed bindings also where nothing else of the request is a change", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world, { interfaces: 1, ports: 1 });
    const port = host.ports[0];
    const at = host.interfaces[0];
    const stored = await aService(world, host, { bindings: [onPort(port)] });
    const duplicate = { index: 1, reason: "duplicate", kept_index: 0 };
    const covered = { index: 1, reason: "covered_by_all_interfaces", kept_index: 0 };
    const cases = [
      [[onPort(port), onPort(port)], [duplicate]],
      [[onPort(port), onPort(port, at)], [covered]],
      [[onPort(port)], []],
    ] as const;
    for (const query of [{ dry_run: true }, { explain: true }])
      for (const [bindings, removed] of cases) {
        const body = { ...echoOf(stored), bindings: [...bindings] };
        const put = planOf(await owner.send(updateService, { params: stored, body, query }));
        const patch = planOf(
          await owner.send(patchService, { params: stored, body: { bindings: [...bindings] }, query }),
        );
        expect([put.action, put.removed_bindings]).toEqual(["none", removed]);
        expect([patch.action, patch.removed_bindings]).toEqual(["none", removed]);
      }
  });

  it("counts what is deleted along, or loses a tag, exactly, whatever the number", async () => {
    const world = await aNetwork(owner);
    const tag = await owner.call(createTag, { body: { name: "common" } });
    const services = Array.from({ length: 600 }, (_, n) => ({
      name: `s${n}`,
      service_definition: "x",
      tags: [tag.id],
    }));
    const host = await owner.call(createHost, { body: { network_id: world.network.id, name: "large", services } });
    const small = await aHost(world, { name: "small", interfaces: 2, ports: 1 });
    await aService(world, small, { bindings: [onPort(small.ports[0])], tags: [tag.id] });
    const before = await everything();
    const cascades = async (sending: Promise<ServiceResponse<unknown>>) => planOf(await sending).cascades;
    expect(await cascades(owner.send(deleteHost, { params: small, ...dry }))).toEqual({
      bindings: 1,
      services: 1,
      ports: 1,
      interfaces: 2,
    });
    expect(await cascades(owner.send(deleteHost, { params: host, ...dry }))).toEqual({ services: 600 });
    expect(await cascades(owner.send(deletePort, { params: small.ports[0]!, ...dry }))).toEqual({ bindings: 1 });
    expect(await cascades(owner.send(deleteTag, { params: tag, ...dry }))).toEqual({ services: 601 });
    expect(await cascades(owner.send(deleteNetwork, { params: world.network, ...dry }))).toEqual({
      subnets: 1,
      hosts: 2,
      interfaces: 2,
      ports: 1,
      services: 601,
      bindings: 1,
    });
    const ids = (await owner.list(listServices, { query: { host_id: host.id, limit: 2 } })).rows.map(({ id }) => id);
    const plan = planOf(await owner.send(bulkDeleteServices, { body: ids, ...dry }));
    expect([plan.cascades, plan.changes.filter(({ action }) => action === "update").length]).toEqual([{}, 598]);
    expect(await everything()).toEqual(before);
    expect((await owner.send(getNetwork, { params: world.network })).status).toBe(200);
    expect((await owner.send(getHost, { params: host })).status).toBe(200);
  });
});

describe("a plan that is applied", () => {
  it("is applied exactly under its ETag, and not at all when something it touches has changed", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world, { ports: 1 });
    const bound = await aService(world, host, { bindings: [onPort(host.ports[0])] });
    const removal = { params: host.ports[0]! };
    const { etag } = planOf(await owner.send(deletePort, { ...removal, ...dry }));
    await owner.call(updateService, { params: bound, body: { ...echoOf(bound), name: "changed" } });
    const headers = { "if-match": etag };
    expect(await owner.refusal(deletePort, { ...removal, headers })).toEqual([412, "precondition_failed", {}]);
    const body = { host_id: host.id, network_id: host.network_id, name: "new", service_definition: "x", position: 0 };
    const created = planOf(await owner.send(createService, { body, ...dry })).etag;
    const other = { body: { ...body, name: "another" }, headers: { "if-match": created } };
    expect((await owner.refusal(createService, other))[1]).toBe("precondition_failed");
    expect((await owner.send(createService, { body, headers: { "if-match": created } })).status).toBe(200);
    const again = planOf(await owner.send(deletePort, { ...removal, ...dry })).etag;
    expect((await owner.send(deletePort, { ...removal, headers: { "if-match": again } })).status).toBe(200);
  });

  it("requires the level of the write, and sends no notices for a dry run", async () => {
    const world = await aNetwork(owner);
    const viewer = owner.colleague({ permission: "Viewer" });
    const input = { params: world.network, ...dry };
    expect((await viewer.refusal(deleteNetwork, input))[1]).toBe("permission_denied");
    const noticeCount = topology.notices.length;
    expect((await owner.send(deleteNetwork, input)).meta.dry_run).toBe(true);
    expect(topology.notices.length).toBe(noticeCount);
  });
});
