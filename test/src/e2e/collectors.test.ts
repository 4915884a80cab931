/** Collectors: how a machine enrols, gets its jobs and reports, and what a hostile one achieves. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { MongoClient } from "mongodb";
import type { AuditEntry, Collector, CollectorAssignment, CollectorJob, Host } from "@nts/shared/contract";
import { MOST_QUEUED_JOBS, MOST_REPORTS } from "@nts/shared/contract";
import { anAccount, aKey, callerOf, type Account, type Caller } from "../support/api.js";
import {
  aCollector,
  aJob,
  created,
  ended,
  jobOf,
  lookAround,
  machine,
  nextJob,
  reported,
  reportOf,
  sendReport,
  type TestCollector,
  withKey,
} from "../support/collectors.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost, type Made, UNKNOWN } from "../support/world.js";

const BLOCK = "10.7.0.0/24";
const GATEWAY = { ip: "10.7.0.1", mac: "02:00:00:00:07:01" };
const NAS = { ip: "10.7.0.9", mac: "02:00:00:00:07:09" };
const HOUR_MS = 3_600_000;
/** A line of a report. Five of them are more than is kept at a time. */
const PADDING = JSON.stringify({ file: { format: "ss", name: "pad", part: 1, of: 2, text: "x".repeat(60_000) } });

let stack: SharedStack;
let owner: Account;
let mongo: MongoClient;
beforeAll(async () => {
  stack = await sharedStack();
  owner = await anAccount(stack.url);
  mongo = await MongoClient.connect(stack.servers.urls.mongodb);
});
afterAll(() => mongo.close());

async function aNetwork(session: Caller = owner.session): Promise<string> {
  return (await session.data<Made>("post", "/api/v1/networks", { name: "Home" })).id;
}

async function inNetwork(more: object = {}): Promise<TestCollector & { readonly network: string }> {
  const network = await aNetwork();
  return { network, ...(await aCollector(stack.url, owner.session, network, more)) };
}

function hostsIn(network: string): Promise<Host[]> {
  return owner.session.data("get", `/api/v1/hosts?network_id=${network}&order_by=name`);
}

async function missedIn(network: string): Promise<string[]> {
  const hosts = await owner.session.data<Host[]>("get", `/api/v1/hosts?network_id=${network}&missed=true`);
  return hosts.flatMap(({ interfaces }) => interfaces.map(({ ip_address }) => ip_address)).sort();
}

async function refusalOf(sent: Promise<{ status: number; body: { code: string; params: object } }>) {
  const { status, body } = await sent;
  return [status, body.code, body.params];
}

describe("a machine that enrols as a collector", () => {
  it("gets its key by the token, once: a second machine is told why not, and what to do", async () => {
    const network = await aNetwork();
    const { collector, token } = await created(owner.session, network);
    expect(collector).toMatchObject({ state: "pending", hostname: null, schedule: { cron: "0 * * * *" } });
    const nobody = callerOf(stack.url, "nobody");
    const enrol = (given: string) => nobody.send("post", "/api/v1/collectors/enrol", { token: given, ...machine() });
    const { body } = await enrol(token);
    const { key } = body.data as { key: string };
    expect(key).toMatch(/^nts_c_/);
    expect(body.data).toMatchObject({ collector: { id: collector.id, state: "online", hostname: "nas" } });
    expect(await refusalOf(enrol(token))).toEqual([400, "enrolment_token_invalid", { reason: "used" }]);
    for (const wrong of ["", key, token.replace(/.$/, "!"), token.replace("nts_e_", "nts_c_")])
      expect(await refusalOf(enrol(wrong))).toEqual([400, "enrolment_token_invalid", { reason: "unknown" }]);
    const late = await created(owner.session, network);
    const stored = mongo.db(stack.databases.identity).collection<{ _id: string }>("collectors");
    await stored.updateOne({ _id: late.collector.id }, { $set: { "token.expires_at": new Date(0) } });
    expect(await refusalOf(enrol(late.token))).toEqual([400, "enrolment_token_invalid", { reason: "expired" }]);
    const text = JSON.stringify(await stored.find().toArray());
    for (const secret of [key, token, late.token]) expect(text).not.toContain(secret);
  });

  it("can only import into its network, and is written down as who it is", async () => {
    const { self, network, collector } = await inNetwork();
    const { network: other } = await aNetworkWithAHost(owner.session, "Other");
    expect(await self.data("get", "/api/v1/auth/whoami")).toMatchObject({
      ...{ kind: "key", name: "attic", permissions: "Member", network_ids: [network] },
      user: { id: collector.id, email: "collector attic" },
    });
    for (const path of ["/api/v1/hosts", "/api/v1/collectors", "/api/v1/changes", `/api/v1/networks/${network}`])
      expect(await refusalOf(self.send("get", path))).toEqual([403, "permission_denied", { required: "full_scope" }]);
    const elsewhere = `/api/v1/imports/report?network_id=${other.id}`;
    const sent = await self.send("post", elsewhere, reportOf([NAS], []), { "content-type": "application/json" });
    expect([sent.status, sent.body.code]).toEqual([400, "invalid_reference"]);
    const { caller } = await aKey(stack.url, owner);
    expect(await refusalOf(caller.send("get", "/api/v1/collectors/self/jobs"))).toEqual([
      ...[403, "permission_denied", { required: "collector" }],
    ]);
    const entries = await owner.session.data<AuditEntry[]>("get", `/api/v1/audit?entity_id=${collector.id}`);
    expect(entries.map(({ action, name }) => [action, name])).toEqual([
      ["created", "attic"],
      ["enrolled", "attic"],
    ]);
  });

  it("replaces its key itself, and the key that it replaces works for a day", async () => {
    const { self, key, collector } = await inNetwork();
    const announced = await self.data("put", "/api/v1/collectors/self", { ...machine("nas2"), senses: [] });
    expect(announced).toMatchObject({ collector: { hostname: "nas2", senses: [] } });
    expect((announced as { rotate_in_seconds: number }).rotate_in_seconds).toBeGreaterThan(86_400);
    const rotate = () => self.send("post", "/api/v1/collectors/self/rotate");
    expect((await rotate()).body.code).toBe("rate_limited");
    const stored = mongo.db(stack.databases.identity).collection<{ _id: string }>("collectors");
    await stored.updateOne({ _id: collector.id }, { $set: { "key.issued_at": new Date(Date.now() - HOUR_MS) } });
    const fresh = ((await rotate()).body.data as { key: string }).key;
    expect(fresh).not.toBe(key);
    for (const one of [fresh, key]) expect(await nextJob(withKey(stack.url, one))).toBeNull();
    const hash = { "key.previous.0.expires_at": new Date(0) };
    await stored.updateOne({ _id: collector.id }, { $set: hash });
    // A change of its settings, after which gateways ask again.
    await owner.session.data("patch", `/api/v1/collectors/${collector.id}`, { name: "cellar" });
    expect((await self.send("get", "/api/v1/collectors/self/jobs")).body.code).toBe("api_key_expired");
    expect(await nextJob(withKey(stack.url, fresh))).toBeNull();
  });

  it("is enrolled again with a new token, after which the key of the machine before is refused", async () => {
    const first = await inNetwork();
    const path = `/api/v1/collectors/${first.collector.id}/token`;
    const { token } = await owner.session.data<{ token: string }>("post", path);
    expect(await nextJob(first.self)).toBeNull();
    const body = { token, ...machine("other") };
    const { key } = await callerOf(stack.url, "other").data<{ key: string }>("post", "/api/v1/collectors/enrol", body);
    expect((await first.self.send("get", "/api/v1/collectors/self/jobs")).body.code).toBe("api_key_invalid");
    expect(await nextJob(withKey(stack.url, key))).toBeNull();
  });
});

describe("the end of a collector", () => {
  it("is its disabling, its deletion, the report of its key as leaked, and the deletion of its network", async () => {
    const ends: readonly ((one: TestCollector & { network: string }) => Promise<unknown>)[] = [
      ({ collector: { id } }) => owner.session.data("patch", `/api/v1/collectors/${id}`, { is_enabled: false }),
      ({ collector: { id } }) => owner.session.data("delete", `/api/v1/collectors/${id}`),
      ({ key }) => callerOf(stack.url, "finder").data("post", "/api/auth/keys/revoke", { keys: [key] }),
    ];
    for (const [at, end] of ends.entries()) {
      const one = await inNetwork();
      expect(await nextJob(one.self)).toBeNull();
      await owner.session.data("post", `/api/v1/collectors/${one.collector.id}/run`, {});
      await end(one);
      for (const { url } of stack.gateways) {
        const { body } = await withKey(url, one.key).send("get", "/api/v1/collectors/self/jobs");
        expect([at, body.code]).toEqual([at, at === 0 ? "api_key_disabled" : "api_key_invalid"]);
      }
      const jobs = `/api/v1/collectors/jobs?collector_id=${one.collector.id}`;
      const [job] = await owner.session.data<CollectorJob[]>("get", jobs);
      if (at < 2) expect(job).toMatchObject({ state: "cancelled" });
    }
    const one = await inNetwork();
    await owner.session.data("delete", `/api/v1/networks/${one.network}`);
    expect(await nextJob(one.self).catch(() => null)).toBeNull();
    await until(
      async () => (await one.self.send("get", "/api/v1/collectors/self/jobs")).body.code === "api_key_invalid",
    );
    const listed = await owner.session.data<Collector[]>("get", `/api/v1/collectors?ids=${one.collector.id}`);
    expect(listed).toEqual([]);
  });
});

describe("a job of a collector", () => {
  it("is due when a machine has enrolled, is given to one request, and its report becomes an import with undo", async () => {
    const one = await inNetwork({ schedule: { cron: "0 3 * * *", time_zone: "Europe/Berlin" } });
    const polls = await Promise.all(Array.from({ length: 6 }, () => nextJob(one.self)));
    const [job, ...others] = polls.filter((given): given is CollectorAssignment => given !== null);
    expect(others).toEqual([]);
    expect(job).toMatchObject({ senses: ["neighbours"], packets_per_second: 500, is_cancelled: false });
    const { id } = job as CollectorAssignment;
    expect(await jobOf(owner.session, id)).toMatchObject({ state: "running", trigger: "schedule" });
    const receipt = await reported(one.self, id, reportOf([GATEWAY, { ...NAS, hostname: "nas.lan" }], [BLOCK]));
    expect(receipt).toMatchObject({ job_id: id, reports: 1, is_repeated: false });
    const done = await ended(owner.session, id);
    expect(done).toMatchObject({ state: "done", covered: [BLOCK], error: null, summary: { hosts: { create: 2 } } });
    const hosts = await hostsIn(one.network);
    expect(hosts.map(({ name }) => name)).toEqual(["10.7.0.1", "nas.lan"]);
    expect(hosts[0]).toMatchObject({ is_known: false, seen: { by: "report" } });
    const plan = await owner.session.data("get", `/api/v1/imports/jobs/${done.import_id}`);
    expect(plan).toMatchObject({
      state: "done",
      user_id: one.collector.id,
      plan: { summary: { hosts: { create: 2 } } },
    });
    const [entry] = await owner.session.data<{ actor: object }[]>(
      "get",
      `/api/v1/changes?request_id=${done.request_id}`,
    );
    expect(entry?.actor).toEqual({
      ...{ user_id: one.collector.id, key_id: one.collector.id },
      email: "collector attic",
    });
    await owner.session.data("post", "/api/v1/changes/revert", { request_id: done.request_id });
    expect(await hostsIn(one.network)).toEqual([]);
    // Not due again before three o'clock.
    expect(await nextJob(one.self)).toBeNull();
  });

  it("comes at once when it is asked for, to a machine that waits", async () => {
    const one = await inNetwork();
    const waiting = nextJob(one.self, 20);
    await owner.session.data("post", `/api/v1/collectors/${one.collector.id}/run`, {});
    const startedAt = performance.now();
    // Whoever waits is told to ask again, which says what the settings are by now.
    const job = (await waiting) ?? (await nextJob(one.self));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(job).toMatchObject({ targets: { cidrs: [] } });
  });

  it("looks only inside the targets of its collector, and stops when they change", async () => {
    const one = await inNetwork({ targets: { cidrs: ["10.7.0.0/24", "10.7.1.0/24"], exclude: ["10.7.0.66/32"] } });
    const run = `/api/v1/collectors/${one.collector.id}/run`;
    const outside = await owner.session.send("post", run, { targets: { cidrs: ["10.7.1.0/24", "10.8.0.0/24"] } });
    expect([outside.status, outside.body.code]).toEqual([400, "validation_failed"]);
    expect(outside.text).toContain("targets.cidrs.1");
    const job = await aJob(owner.session, one, { cidrs: ["10.7.0.0/23"], exclude: ["10.7.0.7/32"] });
    expect(job.targets).toEqual({ cidrs: ["10.7.0.0/23"], exclude: ["10.7.0.66/32", "10.7.0.7/32"] });
    const own = () => one.self.data<CollectorAssignment>("get", `/api/v1/collectors/self/jobs/${job.id}`);
    expect(await own()).toMatchObject({ id: job.id, is_cancelled: false });
    const waiting = await owner.session.data<Made>("post", run, {});
    const targets = { cidrs: ["10.7.0.0/23"], exclude: ["10.7.0.66/32", "10.7.1.200/32"] };
    await owner.session.data("patch", `/api/v1/collectors/${one.collector.id}`, { targets });
    expect(await own()).toMatchObject({ is_cancelled: true });
    expect(await refusalOf(sendReport(one.self, job.id, reportOf([NAS], [BLOCK])))).toEqual([
      ...[409, "collector_job_ended", { state: "cancelled" }],
    ]);
    expect(await nextJob(one.self)).toBeNull();
    expect((await jobOf(owner.session, waiting.id)).state).toBe("cancelled");
    expect(await hostsIn(one.network)).toEqual([]);
  });

  it("waits for a collector that is there, enabled, and in its window, and not for many", async () => {
    const { collector } = await created(owner.session, await aNetwork());
    const runOf = (id: string) => refusalOf(owner.session.send("post", `/api/v1/collectors/${id}/run`, {}));
    expect(await runOf(collector.id)).toEqual([409, "collector_not_ready", { reason: "pending" }]);
    const one = await inNetwork();
    for (let queued = 0; queued < MOST_QUEUED_JOBS; queued++)
      await owner.session.data("post", `/api/v1/collectors/${one.collector.id}/run`, {});
    expect(await runOf(one.collector.id)).toEqual([409, "collector_busy", { limit: MOST_QUEUED_JOBS }]);
    const stored = mongo.db(stack.databases.identity).collection<{ _id: string }>("collectors");
    await stored.updateOne({ _id: one.collector.id }, { $set: { last_seen_at: new Date(Date.now() - HOUR_MS) } });
    expect(await runOf(one.collector.id)).toEqual([409, "collector_not_ready", { reason: "offline" }]);
    const inTwoHours = new Date(Date.now() + 2 * HOUR_MS).toISOString().slice(11, 16);
    const inThreeHours = new Date(Date.now() + 3 * HOUR_MS).toISOString().slice(11, 16);
    const window = { from: inTwoHours, to: inThreeHours, time_zone: "UTC" };
    const night = await inNetwork({ window, schedule: { cron: "* * * * *", time_zone: "UTC" } });
    expect(await nextJob(night.self)).toBeNull();
    const [, code, params] = await runOf(night.collector.id);
    expect([code, params]).toMatchObject(["collector_not_ready", { reason: "window_closed" }]);
    expect((params as { opens_at: string }).opens_at).toContain(`T${inTwoHours}:00`);
    expect(night.collector.next_run_at).toContain(`T${inTwoHours}:00`);
  });

  it("is refused with what is wrong with its settings", async () => {
    const network = await aNetwork();
    const wrong: readonly [object, string][] = [
      [{ schedule: { cron: "61 * * * *", time_zone: "UTC" } }, "schedule.cron"],
      [{ schedule: { cron: "* * * * * *", time_zone: "UTC" } }, "schedule.cron"],
      [{ schedule: { cron: "0 0 31 2 *", time_zone: "UTC" } }, "schedule.cron"],
      [{ schedule: { cron: "0 0 * * *", time_zone: "Europe/Nowhere" } }, "schedule.time_zone"],
      [{ window: { from: "25:00", to: "06:00", time_zone: "UTC" } }, "window.from"],
      [
        {
          schedule: { cron: "0 12 * * *", time_zone: "UTC" },
          window: { from: "22:00", to: "06:00", time_zone: "UTC" },
        },
        "schedule.cron",
      ],
      [{ targets: { cidrs: ["10.0.0.0/8"], exclude: [] } }, "targets.cidrs"],
      [{ targets: { cidrs: ["10.0.0.1/24"], exclude: [] } }, "targets.cidrs.0"],
      [{ packets_per_second: 0 }, "packets_per_second"],
    ];
    for (const [settings, path] of wrong) {
      const body = { network_id: network, name: "attic", ...settings };
      const { status, body: answer } = await owner.session.send("post", "/api/v1/collectors", body);
      const { errors } = answer.params as { errors: { path: string }[] };
      expect([settings, status, errors.map((one) => one.path)]).toEqual([settings, 400, [path]]);
    }
  });

  it("is late without a final report by its deadline, and has covered nothing", async () => {
    const one = await inNetwork();
    await lookAround(owner.session, one, [GATEWAY, NAS], [BLOCK]);
    const { id } = await aJob(owner.session, one);
    await reported(one.self, id, reportOf([GATEWAY], [BLOCK]), { isFinal: false });
    const jobs = mongo.db(stack.databases.topology).collection<{ _id: string }>("collector_jobs");
    await jobs.updateOne({ _id: id }, { $set: { deadline: new Date(Date.now() - 1_000) } });
    expect(await jobOf(owner.session, id)).toMatchObject({ state: "late", summary: null, covered: [] });
    expect(await refusalOf(sendReport(one.self, id, reportOf([GATEWAY], [BLOCK])))).toEqual([
      ...[409, "collector_job_ended", { state: "late" }],
    ]);
    expect(await missedIn(one.network)).toEqual([]);
  });
});

describe("the reports of a job", () => {
  it("are taken once, however often they are sent", async () => {
    const one = await inNetwork();
    const { id } = await aJob(owner.session, one);
    const text = reportOf([GATEWAY], [BLOCK]);
    const { import_id } = await reported(one.self, id, text, { key: "same" });
    await ended(owner.session, id);
    const again = await sendReport(one.self, id, text, { key: "same" });
    expect(again.body.data).toMatchObject({ import_id, is_repeated: true, reports: 1 });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await sendReport(one.self, id, text, { key: "same", isFinal: false });
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
    const path = `/api/v1/collectors/self/jobs/${id}/reports`;
    const unkeyed = await one.self.send("post", path, text, { "content-type": "application/x-ndjson" });
    expect([unkeyed.status, unkeyed.body.code]).toEqual([400, "validation_failed"]);
  });

  it("cover nothing until the final one, which covers for all of them", async () => {
    const one = await inNetwork();
    await lookAround(owner.session, one, [GATEWAY, NAS, { ip: "10.7.0.20" }], [BLOCK]);
    const { id } = await aJob(owner.session, one);
    await reported(one.self, id, reportOf([GATEWAY], [BLOCK]), { isFinal: false });
    const [begin, ...rest] = reportOf([{ ip: "10.7.0.30" }]).split("\n");
    const long = [begin, ...Array.from({ length: 5 }, () => PADDING), ...rest].join("\n");
    await reported(one.self, id, long, { isFinal: false });
    await until(async () => (await hostsIn(one.network)).length === 4);
    expect(await missedIn(one.network)).toEqual([]);
    await reported(one.self, id, reportOf([NAS], [BLOCK]));
    expect(await ended(owner.session, id)).toMatchObject({ reports: 3, covered: [BLOCK], state: "done" });
    expect(await missedIn(one.network)).toEqual(["10.7.0.20"]);
  });

  it("leave nothing behind when they are refused, so that the next ones are whole", async () => {
    const one = await inNetwork();
    const { id } = await aJob(owner.session, one);
    const path = `/api/v1/collectors/self/jobs/${id}/reports?final=false`;
    // More than is kept at a time, and cut off.
    const cut = gzipSync(reportOf([{ ip: "10.7.0.66" }]) + `${PADDING}\n`.repeat(90)).subarray(0, -20);
    const refused = await fetch(stack.url + path, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${one.key}`, "content-type": "application/octet-stream" },
        "idempotency-key": "cut",
      },
      body: new Uint8Array(cut),
    });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("complete gzip file")]);
    await reported(one.self, id, reportOf([GATEWAY], [BLOCK]), { isFinal: false, key: "cut" });
    await reported(one.self, id, reportOf([NAS], [BLOCK]));
    expect(await ended(owner.session, id)).toMatchObject({ state: "done", reports: 2, covered: [BLOCK] });
    expect((await hostsIn(one.network)).length).toBe(2);
  });

  it("count no more as covered than the targets, and nothing if nobody else answers", async () => {
    const targets = { cidrs: [BLOCK], exclude: ["10.7.0.20/32"] };
    const one = await inNetwork({ targets });
    const other = { ip: "10.9.0.5" };
    const wide = await aCollector(stack.url, owner.session, one.network);
    await lookAround(owner.session, wide, [GATEWAY, NAS, other, { ip: "10.7.0.20" }], ["10.7.0.0/24"]);
    const alone = [{ ...GATEWAY, is_collector: true }];
    expect(await lookAround(owner.session, one, alone, [BLOCK])).toMatchObject({ state: "done", covered: [] });
    expect(await missedIn(one.network)).toEqual([]);
    const { covered } = await lookAround(owner.session, one, [GATEWAY], ["0.0.0.0/1", "10.0.0.0/8", "10.7.0.0/24"]);
    expect(covered).toEqual([BLOCK, "not 10.7.0.20/32"]);
    expect(await missedIn(one.network)).toEqual([NAS.ip]);
  });

  it("say when something was seen by the clock of the server alone", async () => {
    const one = await inNetwork();
    const startedAt = Date.now();
    for (const hours of [-1, 1]) {
      const { id } = await aJob(owner.session, one);
      const begun = Date.now();
      const wrong = new Date(begun + hours * HOUR_MS);
      await reported(one.self, id, reportOf([GATEWAY, NAS], [BLOCK], wrong));
      await ended(owner.session, id);
      for (const { created_at, seen, missed_since } of await hostsIn(one.network)) {
        const at = Date.parse(seen?.last_at ?? "");
        expect([at >= begun - 1_000, at <= Date.now(), missed_since]).toEqual([true, true, null]);
        for (const first of [seen?.first_at, created_at])
          expect(Math.abs(Date.parse(first ?? "") - startedAt)).toBeLessThan(60_000);
      }
    }
    const { id } = await aJob(owner.session, one);
    const jobStartedAt = Date.parse((await jobOf(owner.session, id)).started_at ?? "");
    // Older than the job: it has not seen anything before.
    await reported(one.self, id, reportOf([GATEWAY], [BLOCK]), { query: "&age_seconds=86400" });
    await ended(owner.session, id);
    const [, nas] = await hostsIn(one.network);
    expect(Date.parse(nas?.missed_since ?? "")).toBeGreaterThanOrEqual(jobStartedAt);
  });

  it("that waited while the server was away are as old as the look, and others have seen more since", async () => {
    const one = await inNetwork();
    const other = await aCollector(stack.url, owner.session, one.network);
    await lookAround(owner.session, one, [GATEWAY, NAS], [BLOCK]);
    const { id } = await aJob(owner.session, one);
    const tenMinutes = 600_000;
    const jobs = mongo.db(stack.databases.topology).collection<{ _id: string }>("collector_jobs");
    await jobs.updateOne({ _id: id }, { $set: { started_at: new Date(Date.now() - 2 * tenMinutes) } });
    await lookAround(owner.session, other, [GATEWAY, NAS], []);
    const [before] = await hostsIn(one.network);
    const lookedAt = Date.now() - tenMinutes;
    await reported(one.self, id, reportOf([GATEWAY, { ip: "10.7.0.5" }], [BLOCK]), { query: "&age_seconds=600" });
    expect(await ended(owner.session, id)).toMatchObject({ state: "done", covered: [BLOCK] });
    const [gateway, early] = await hostsIn(one.network);
    expect([early?.name, gateway?.seen?.last_at]).toEqual(["10.7.0.5", before?.seen?.last_at]);
    for (const at of [early?.seen?.first_at, early?.seen?.last_at])
      expect(Math.abs(Date.parse(at ?? "") - lookedAt)).toBeLessThan(10_000);
    expect(await missedIn(one.network)).toEqual([]);
  });
});

describe("a hostile collector", () => {
  it("reports to no job of another, to none that has ended, and to none that it makes up", async () => {
    const one = await inNetwork();
    const other = await aCollector(stack.url, owner.session, one.network);
    const { id } = await aJob(owner.session, one);
    for (const foreign of [id, UNKNOWN])
      for (const sent of [
        sendReport(other.self, foreign, reportOf([NAS], [BLOCK])),
        other.self.send("get", `/api/v1/collectors/self/jobs/${foreign}`),
      ])
        expect(await refusalOf(sent)).toEqual([404, "not_found", { entity: "CollectorJob" }]);
    await reported(one.self, id, reportOf([GATEWAY], [BLOCK]));
    await ended(owner.session, id);
    expect(await refusalOf(sendReport(one.self, id, reportOf([NAS], [BLOCK])))).toEqual([
      ...[409, "collector_job_ended", { state: "done" }],
    ]);
    expect((await hostsIn(one.network)).map(({ name }) => name)).toEqual(["10.7.0.1"]);
  });

  it("touches no host of another network, whose machines it claims", async () => {
    const { network, host } = await aNetworkWithAHost(owner.session, "Victim");
    const before = await owner.session.data<Host>("get", `/api/v1/hosts/${host.id}`);
    const one = await inNetwork();
    await lookAround(owner.session, one, [{ ip: "10.0.0.9", hostname: "nas" }], ["10.0.0.0/24"]);
    expect(await owner.session.data<Host>("get", `/api/v1/hosts/${host.id}`)).toEqual(before);
    expect(await missedIn(network.id)).toEqual([]);
  });

  it("sends a bounded number of reports, and what is no report fails without harm", async () => {
    const one = await inNetwork();
    const { id } = await aJob(owner.session, one);
    const bad = await sendReport(one.self, id, "no report\n");
    expect(bad.status).toBe(200);
    expect(await ended(owner.session, id)).toMatchObject({
      state: "failed",
      error: {
        code: "validation_failed",
        message: "The report cannot be read: line 1, column 1 must be an object of JSON on one line",
      },
    });
    const flood = await aJob(owner.session, one);
    const jobs = mongo.db(stack.databases.topology).collection<{ _id: string }>("collector_jobs");
    const entry = { is_final: false, at: new Date(), is_done: true, bytes: 1, import_id: null };
    const reports = Array.from({ length: MOST_REPORTS }, (_, n) => ({ ...entry, key: `n${n}` }));
    await jobs.updateOne({ _id: flood.id }, { $set: { reports } });
    const tooMany = await sendReport(one.self, flood.id, reportOf([NAS], [BLOCK]));
    expect([tooMany.status, tooMany.body.code]).toEqual([403, "quota_exceeded"]);
    const [large] = reports;
    await jobs.updateOne({ _id: flood.id }, { $set: { reports: [{ ...large, bytes: 40 * 2 ** 20 - 10 }] } });
    const tooLarge = await sendReport(one.self, flood.id, reportOf([NAS], [BLOCK]));
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, "payload_too_large"]);
    expect(await hostsIn(one.network)).toEqual([]);
  });

  it("waits for jobs with a bounded number of requests", async () => {
    const one = await inNetwork();
    const polls = Array.from({ length: 14 }, () => one.self.send("get", "/api/v1/collectors/self/jobs?wait=1"));
    const codes = (await Promise.all(polls)).map(({ status, body }) => (status === 200 ? 200 : body.code));
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(8);
    expect(new Set(codes)).toEqual(new Set([200, "too_many_in_flight"]));
  });
});
