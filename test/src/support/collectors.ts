import type { Collector, CollectorAssignment, CollectorJob, CollectorReceipt } from "@nts/shared/contract";
import { type ApiResponse, callerOf, type Caller } from "./api.js";
import { until } from "./until.js";

/** A collector of a network, as people see it and as its machine acts. */
export interface TestCollector {
  readonly collector: Collector;
  readonly token: string;
  readonly key: string;
  readonly self: Caller;
}

export const SENSES = [
  { name: "neighbours", state: "ready", reason: null },
  { name: "nmap", state: "unavailable", reason: "nmap is not installed" },
];

export function machine(hostname = "nas"): object {
  return { hostname, version: "nts 0.0.0", senses: SENSES };
}

export function created(
  owner: Caller,
  network: string,
  more: object = {},
): Promise<{ collector: Collector; token: string }> {
  return owner.data("post", "/api/v1/collectors", { network_id: network, name: "attic", ...more });
}

/** Creates a collector, and enrols a machine as it. By default it only works on request. */
export async function aCollector(
  url: string,
  owner: Caller,
  network: string,
  more: object = {},
): Promise<TestCollector> {
  const { token } = await created(owner, network, { schedule: null, ...more });
  const body = { token, ...machine() };
  const { collector, key } = await callerOf(url, "a machine").data<{ collector: Collector; key: string }>(
    "post",
    "/api/v1/collectors/enrol",
    body,
  );
  return { collector, token, key, self: withKey(url, key) };
}

export function withKey(url: string, key: string): Caller {
  return callerOf(url, "a collector", { authorization: `Bearer ${key}` });
}

export function nextJob(self: Caller, wait = 0): Promise<CollectorAssignment | null> {
  return self.data("get", `/api/v1/collectors/self/jobs?wait=${wait}`);
}

/** Lets a collector look around now, and fetches that job as its machine. */
export async function aJob(
  owner: Caller,
  { collector, self }: TestCollector,
  targets?: object,
): Promise<CollectorAssignment> {
  await owner.data("post", `/api/v1/collectors/${collector.id}/run`, targets === undefined ? {} : { targets });
  const job = await nextJob(self);
  if (job === null) throw new Error("there is no job");
  return job;
}

export interface Found {
  readonly ip: string;
  readonly mac?: string;
  readonly [member: string]: unknown;
}

/** The text of a report. @param covered absent for a report without an end */
export function reportOf(found: readonly Found[], covered?: readonly string[], startedAt = new Date()): string {
  const hosts = found.map(({ ip, mac, ...more }) => ({ host: { addresses: [{ ip, mac }], ...more } }));
  const begin = { report: 1, program: "nts 0.0.0", started_at: startedAt.toISOString(), tcp: "22" };
  const lines = [begin, ...hosts, ...(covered === undefined ? [] : [{ end: { covered, excluded: [] } }])];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

let keys = 0;

export interface Sent {
  readonly isFinal?: boolean;
  readonly key?: string;
  readonly query?: string;
}

export function sendReport(
  self: Caller,
  jobId: string,
  text: string,
  { isFinal = true, key = `report-${++keys}`, query = "" }: Sent = {},
): Promise<ApiResponse> {
  const path = `/api/v1/collectors/self/jobs/${jobId}/reports?final=${isFinal}${query}`;
  return self.send("post", path, text, { "content-type": "application/x-ndjson", "idempotency-key": key });
}

export async function reported(self: Caller, jobId: string, text: string, sent?: Sent): Promise<CollectorReceipt> {
  const { status, body, text: answer } = await sendReport(self, jobId, text, sent);
  if (status !== 200) throw new Error(`the report answered ${status}: ${answer}`);
  return body.data;
}

export async function jobOf(owner: Caller, id: string): Promise<CollectorJob> {
  const [job] = await owner.data<CollectorJob[]>("get", `/api/v1/collectors/jobs?ids=${id}`);
  if (job === undefined) throw new Error("the job is not listed");
  return job;
}

/** The job when the import of its final report has ended. */
export async function ended(owner: Caller, id: string): Promise<CollectorJob> {
  let job = await jobOf(owner, id);
  await until(async () => {
    job = await jobOf(owner, id);
    return job.ended_at !== null;
  });
  return job;
}

/** Does a job whole: run, fetch, report, import. */
export async function lookAround(
  owner: Caller,
  collector: TestCollector,
  found: readonly Found[],
  covered: readonly string[],
  sent: Sent = {},
): Promise<CollectorJob> {
  const { id } = await aJob(owner, collector);
  await reported(collector.self, id, reportOf(found, covered), sent);
  return ended(owner, id);
}
