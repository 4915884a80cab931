/** Imports as jobs: progress, plan, cancellation, and what becomes of them without their process or their maker. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  cancelImportJob,
  createPort,
  deletePort,
  getImportJob,
  cancelRevertJob,
  getRevertJob,
  ImportJob,
  listChanges,
  listHosts,
  listImportJobs,
  listRevertJobs,
  listSubnets,
  revertChanges,
  RevertJob,
} from "@nts/shared/contract";
import { REQUEST_ID } from "@nts/shared/http/headers";
import { endWebhooksOf } from "@nts/shared/contract/internal";
import type { RUNNER_LIMITS } from "@nts/topology/imports/runner";
import {
  anEmptyNetwork,
  hostsOf,
  importScan,
  scanFile,
  scanOfMany,
  scanOfServices,
  sendScan,
  withoutIds,
} from "../support/imports.js";
import type { Caller, ServiceResponse, Topology } from "../support/topology.js";
import { startTopology } from "../support/topology.js";
import { until } from "../support/until.js";

let requests = 0;
const asJob = () => ({ prefer: "respond-async", [REQUEST_ID]: `import ${++requests}` });
/** Reverts of more take several transactions. */
const AT_ONCE = 100;
/** No response waits for reverts of more. */
const WAITED_FOR = 4_000;
/** Take seconds. */
const LARGE_HOSTS = 1_000;
const LARGE = scanOfMany(LARGE_HOSTS);
/** @see RUNNER_LIMITS */
const RUNNING: (typeof RUNNER_LIMITS)["runningOfOrganization"] = 2;
const WAITING: (typeof RUNNER_LIMITS)["waitingOfOrganization"] = 2;

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true, revertLimits: { atOnce: AT_ONCE, waitedFor: WAITED_FOR } });
});
afterAll(() => topology.stop());

interface World {
  readonly owner: Caller;
  readonly network: string;
}

function sent({ owner, network: network_id }: World, file: string, query = {}): Promise<ServiceResponse<unknown>> {
  return sendScan(owner, { network_id, ...query }, file, asJob());
}

async function started(world: World, file: string, query = {}): Promise<ImportJob> {
  const { status, data, text } = await sent(world, file, query);
  if (status !== 202) throw new Error(`the import answered ${status}: ${text}`);
  return ImportJob.parse(data);
}

function jobOf({ owner }: World, { id }: ImportJob, wait = 0) {
  return owner.call(getImportJob, { params: { id }, query: { wait } });
}

const aWorld = (): Promise<World> => anEmptyNetwork(topology.aCaller());

describe("an import as a job", () => {
  it("is accepted at once, and ends with the plan that the response would have had", async () => {
    const world = await aWorld();
    const dry = await importScan(world.owner, world.network, scanFile("office"), { dry_run: "true" });
    const response = await sent(world, scanFile("office"));
    const accepted = ImportJob.parse(response.data);
    expect([response.status, response.headers["location"], response.headers["preference-applied"]]).toEqual([
      202,
      `/api/v1/imports/jobs/${accepted.id}`,
      "respond-async",
    ]);
    expect(accepted).toMatchObject({
      state: "queued",
      network_id: world.network,
      dry_run: false,
      done: 0,
      total: null,
    });
    const { plan, ...job } = await jobOf(world, accepted, 20);
    expect(job).toMatchObject({ id: accepted.id, state: "done", format: "nmap", done: 3, total: 3, error: null });
    expect(withoutIds(plan!)).toEqual(withoutIds({ ...dry, dry_run: false }));
    expect(await world.owner.call(listImportJobs, {})).toEqual([job]);
    const changes = await world.owner.call(listChanges, {
      query: { request_id: job.request_id, limit: 1_000, wait: 10 },
    });
    expect((changes as unknown as { entity: string }[]).filter(({ entity }) => entity === "Host")).toHaveLength(3);
  });

  it("is a preview with `dry_run`, which writes nothing", async () => {
    const world = await aWorld();
    const { plan, ...job } = await jobOf(world, await started(world, scanFile("office"), { dry_run: "true" }), 20);
    expect([job.state, job.dry_run, plan?.dry_run, plan?.summary.hosts.create]).toEqual(["done", true, true, 3]);
    expect(await hostsOf(world.owner, world.network)).toEqual([]);
  });

  it("fails with the place of the fault in a file that cannot be read", async () => {
    const world = await aWorld();
    const { state, error, plan } = await jobOf(world, await started(world, "<nmaprun><host>\n</nmap>"), 20);
    expect([state, plan, error?.code]).toEqual(["failed", null, "validation_failed"]);
    expect(error?.params).toMatchObject({ errors: [{ path: expect.stringMatching(/^line 2, column \d+$/) }] });
  });

  it("is refused before it begins if it refers to what is not there", async () => {
    const { owner } = await aWorld();
    const { status, code } = await sent({ owner, network: owner.scope.organizationId }, scanFile("office"));
    expect([status, code]).toEqual([400, "invalid_reference"]);
    expect(await owner.call(listImportJobs, {})).toEqual([]);
  });

  it("ends between hosts when it is cancelled, with the plan of those that are done", async () => {
    const world = await aWorld();
    const job = await started(world, LARGE);
    await until(async () => (await jobOf(world, job)).done > 0);
    const cancelled = await world.owner.call(cancelImportJob, { params: { id: job.id } });
    const { plan, state, done, total } = await jobOf(world, job, 20);
    expect([cancelled.state, state, total]).toEqual(["cancelled", "cancelled", LARGE_HOSTS]);
    expect(done).toBeLessThan(LARGE_HOSTS);
    expect([plan?.hosts.length, plan?.summary.hosts.create, plan?.missing]).toEqual([done, done, []]);
    expect(await hostsOf(world.owner, world.network)).toHaveLength(done);
    expect(await world.owner.call(cancelImportJob, { params: { id: job.id } })).toMatchObject({
      state: "cancelled",
      done,
    });
  });

  it("ends when the access of who started it ends", async () => {
    const world = await aWorld();
    const job = await started(world, LARGE);
    await until(async () => (await jobOf(world, job)).done > 0);
    const maker = { user_id: job.user_id, key_id: null, reason: "user_removed" as const };
    await topology.aProcess().call(endWebhooksOf, { params: { id: world.owner.scope.organizationId }, body: maker });
    const { state, error, done } = await jobOf(world, job, 20);
    expect([state, error?.code, done < LARGE_HOSTS]).toEqual(["cancelled", "permission_denied", true]);
  });

  it("waits with its file when too many run, is refused when too many wait, and runs in its turn", async () => {
    const world = await aWorld();
    const running = await Promise.all(Array.from({ length: RUNNING }, () => started(world, LARGE)));
    const waiting = await Promise.all(Array.from({ length: WAITING }, () => started(world, scanFile("office"))));
    expect(await Promise.all(waiting.map(async (job) => (await jobOf(world, job)).state))).toEqual([
      "queued",
      "queued",
    ]);
    const kept = { job_id: { $in: waiting.map(({ id }) => id) } };
    expect(await topology.db.collection("import_files").countDocuments(kept)).toBe(WAITING);
    const refused = await sent(world, scanFile("office"));
    expect([refused.status, refused.code]).toEqual([429, "rate_limited"]);
    expect(await world.owner.call(listImportJobs, {})).toHaveLength(RUNNING + WAITING);
    for (const { id } of running) await world.owner.call(cancelImportJob, { params: { id } });
    for (const job of waiting) expect((await jobOf(world, job, 20)).state).toBe("done");
    expect(await topology.db.collection("import_files").countDocuments(kept)).toBe(0);
  });

  it("has failed when its process has died, and says how far it came", async () => {
    const world = await aWorld();
    const job = await started(world, LARGE);
    await until(async () => (await jobOf(world, job)).done > 0);
    const alive_at = new Date(Date.now() - 60_000);
    // As if no process reported it.
    await until(async () => {
      await topology.db.collection("import_jobs").updateOne({ _id: job.id as never }, { $set: { alive_at } });
      return (await jobOf(world, job)).state === "failed";
    });
    const { error, done, total } = await jobOf(world, job);
    expect([error?.code, done > 0, total]).toEqual(["unavailable", true, LARGE_HOSTS]);
    expect(error?.message).toMatch(/import the file again/);
  });

  it("is seen and cancelled by callers of its network only", async () => {
    const world = await aWorld();
    const job = await started(world, scanFile("office"));
    const { organizationId } = world.owner.scope;
    const notFound = [404, "not_found", { entity: "ImportJob" }];
    for (const stranger of [topology.aCaller(), topology.aCaller({ organizationId, networks: [] })]) {
      expect(await stranger.refusal(getImportJob, { params: { id: job.id } })).toEqual(notFound);
      expect(await stranger.refusal(cancelImportJob, { params: { id: job.id } })).toEqual(notFound);
      expect(await stranger.call(listImportJobs, {})).toEqual([]);
    }
    const viewer = topology.aCaller({ organizationId, permission: "Viewer" });
    expect((await viewer.call(getImportJob, { params: { id: job.id }, query: { wait: 20 } })).state).toBe("done");
    expect(await viewer.refusal(cancelImportJob, { params: { id: job.id } })).toEqual([
      403,
      "permission_denied",
      { required: "Member" },
    ]);
  });
});

describe("a large import", () => {
  const HOSTS = 60;
  const undo = async ({ owner }: World, { request_id }: ImportJob, query = {}) => {
    const send = () => owner.send(revertChanges, { body: { request_id }, query });
    // The journal of a busy machine may be behind.
    let response = await send();
    while (response.status === 503) response = await send();
    return response;
  };

  it("is undone as a whole, and not at all while something of others depends on it", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    const before = (await owner.list(listHosts, { query: { limit: 1 } })).rows;
    const job = await started(world, scanOfMany(HOSTS));
    const { plan } = await jobOf(world, job, 25);
    const { hosts, interfaces, ports, services, subnets } = plan!.summary;
    const created = [hosts, interfaces, ports, services, subnets].reduce((sum, { create }) => sum + create, 0);
    expect(created).toBeGreaterThan(AT_ONCE);
    const [host] = (await owner.list(listHosts, { query: { network_id: network, limit: 1 } })).rows;
    const body = { network_id: network, host_id: host!.id, number: 9_999, protocol: "Tcp" as const };
    const port = await owner.call(createPort, { body });
    expect(await undo(world, job)).toMatchObject({
      status: 409,
      params: { conflicts: [{ entity: "Port", entity_id: port.id, reason: "depends" }] },
    });
    await owner.call(deletePort, { params: { id: port.id } });
    const dry = await undo(world, job, { dry_run: true });
    expect(dry).toMatchObject({ status: 200, data: { restored: 0, updated: 0, removed: created } });
    expect(await undo(world, job)).toMatchObject({ status: 200, data: { restored: 0, updated: 0, removed: created } });
    expect((await owner.list(listHosts, { query: { limit: 1 } })).rows).toEqual(before);
    expect((await owner.list(listSubnets, { query: { network_id: network } })).rows).toEqual([]);
    // What is gone already is left out.
    expect(await undo(world, job)).toMatchObject({ status: 200, data: { restored: 0, updated: 0, removed: 0 } });
  });

  it("is undone as a job for clients that prefer one, which tells its progress and what prevents it", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    const job = await started(world, scanOfMany(HOSTS));
    await jobOf(world, job, 25);
    const begun = async (dry_run = false): Promise<RevertJob> => {
      const given = { body: { request_id: job.request_id }, query: { dry_run } };
      const send = () => owner.send(revertChanges, { ...given, headers: { prefer: "respond-async" } });
      let response = await send();
      while (response.status === 503) response = await send();
      const { status, headers, data } = response as ServiceResponse<unknown>;
      const accepted = RevertJob.parse(data);
      expect([status, headers["location"]]).toEqual([202, `/api/v1/changes/reverts/${accepted.id}`]);
      return accepted;
    };
    const endOf = ({ id }: RevertJob) => owner.call(getRevertJob, { params: { id }, query: { wait: 25 } });
    const [host] = (await owner.list(listHosts, { query: { network_id: network, limit: 1 } })).rows;
    const body = { network_id: network, host_id: host!.id, number: 9_999, protocol: "Tcp" as const };
    const port = await owner.call(createPort, { body });
    expect(await endOf(await begun())).toMatchObject({
      state: "failed",
      result: null,
      error: {
        status: 409,
        code: "revert_conflict",
        params: { conflicts: [{ entity_id: port.id, reason: "depends" }] },
      },
    });
    await owner.call(deletePort, { params: { id: port.id } });
    const dry = await endOf(await begun(true));
    expect(dry).toMatchObject({ state: "done", dry_run: true, done: 0, result: { removed: dry.total } });
    expect((await owner.list(listHosts, { query: { network_id: network, limit: 1 } })).rows).toHaveLength(1);
    const first = await begun();
    const cancelled = await owner.call(cancelRevertJob, { params: { id: first.id } });
    expect(["cancelled", "done"]).toContain(cancelled.state);
    // The rest.
    const second = await begun();
    const done = await endOf(second);
    expect(done).toMatchObject({ state: "done", dry_run: false, reverts: job.request_id, error: null });
    expect(done.done).toBe(done.total);
    expect((await owner.list(listHosts, { query: { network_id: network } })).rows).toEqual([]);
    expect(await owner.call(cancelRevertJob, { params: { id: second.id } })).toEqual(done);
    const listed = await owner.call(listRevertJobs, {});
    expect(listed.map(({ id }) => id).slice(0, 3)).toEqual([second.id, first.id, dry.id]);
    const other = owner.colleague({});
    const notFound = [404, "not_found", { entity: "RevertJob" }];
    expect(await other.refusal(getRevertJob, { params: { id: first.id } })).toEqual(notFound);
    expect(await other.refusal(cancelRevertJob, { params: { id: first.id } })).toEqual(notFound);
    expect(await other.call(listRevertJobs, {})).toEqual([]);
  });

  it("is undone no further when the access of who undoes it ends", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    const job = await started(world, LARGE);
    await jobOf(world, job, 25);
    expect(await undo(world, job)).toMatchObject({
      status: 422,
      code: "too_many_changes",
      params: { limit: WAITED_FOR },
    });
    const given = { body: { request_id: job.request_id }, headers: { prefer: "respond-async" } };
    let response = await owner.send(revertChanges, given);
    while (response.status === 503) response = await owner.send(revertChanges, given);
    const { id } = RevertJob.parse((response as ServiceResponse<unknown>).data);
    const maker = { user_id: job.user_id, key_id: null, reason: "user_removed" as const };
    await topology.aProcess().call(endWebhooksOf, { params: { id: owner.scope.organizationId }, body: maker });
    const { state, error } = await owner.call(getRevertJob, { params: { id }, query: { wait: 25 } });
    expect([state, error?.code]).toEqual(["cancelled", "permission_denied"]);
    expect((await owner.list(listHosts, { query: { network_id: network, limit: 1 } })).rows).toHaveLength(1);
  });

  it("is undone again after what is undone already, such as by a revert that was interrupted", async () => {
    const world = await aWorld();
    await jobOf(world, await started(world, scanOfServices(HOSTS)), 25);
    const job = await started(world, scanOfServices(HOSTS, 2));
    expect((await jobOf(world, job, 25)).plan?.summary.services).toMatchObject({ update: 3 * HOSTS });
    expect(await undo(world, job)).toMatchObject({ status: 200, data: { updated: 3 * HOSTS } });
    expect(await undo(world, job)).toMatchObject({ status: 200, data: { restored: 0, updated: 0, removed: 0 } });
  });

  it("is taken back on hosts that were there before, which keep what they had", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    await jobOf(world, await started(world, scanOfMany(HOSTS, [22])), 25);
    const unsighted = (name: string, value: unknown): unknown =>
      ["updated_at", "seen", "missed_since"].includes(name) ? undefined : value;
    const textOf = async (): Promise<string> => JSON.stringify(await hostsOf(owner, network), unsighted);
    const before = await textOf();
    const job = await started(world, scanOfMany(HOSTS, [22, 80, 443, 8_080]));
    expect((await jobOf(world, job, 25)).plan?.summary.hosts).toMatchObject({ update: HOSTS });
    expect(await textOf()).not.toBe(before);
    expect(await undo(world, job)).toMatchObject({ status: 200, data: { restored: 0, removed: 6 * HOSTS } });
    expect(await textOf()).toBe(before);
  });
});
