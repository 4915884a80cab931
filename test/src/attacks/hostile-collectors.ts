import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type CollectorJob, type Host, REPORT_BYTES } from "@nts/shared/contract";
import { type Account, anAccount } from "../support/api.js";
import type { Attack } from "../support/attacks/attack.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import {
  aCollector,
  aJob,
  ended,
  jobOf,
  nextJob,
  reportOf,
  sendReport,
  type TestCollector,
} from "../support/collectors.js";
import { until } from "../support/until.js";

const ROUNDS = 3;
const POLLS = 30;
const POLL_SECONDS = 5;
/** Uncompressed, in a body of a megabyte. */
const BOMB_BYTES = 1_073_741_824;
/** How long the reports of another collector may be put off. */
const DONE_MS = 60_000;
/** The addresses of another organization. */
const VICTIM = { ip: "10.7.0.9", mac: "02:00:00:00:07:09" };
const EVERYTHING = ["0.0.0.0/1", "128.0.0.0/1"];

interface Prepared {
  readonly attacker: Account;
  /** One for each flood. */
  readonly hostile: readonly TestCollector[];
  readonly floods: readonly Uint8Array<ArrayBuffer>[];
  readonly other: Account;
  readonly honest: TestCollector;
  readonly host: Host;
}

/** Machines, a file, what is no report, and what grows when it is unpacked. */
function makeFloods(): Uint8Array<ArrayBuffer>[] {
  const piece = 10_000;
  const filled = (lineOf: (n: number) => object): string => {
    const lines = [reportOf([VICTIM])];
    const end = reportOf([], EVERYTHING).split("\n").slice(1).join("\n");
    let bytes = lines[0]!.length + end.length;
    for (let n = 0; ; n++) {
      const line = `${JSON.stringify(lineOf(n))}\n`;
      bytes += line.length;
      if (bytes > REPORT_BYTES) return lines.join("") + end;
      lines.push(line);
    }
  };
  const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  const machines = filled((n) => ({ host: { addresses: [{ ip: address(n) }], hostname: `lie-${n}.lan` } }));
  const files = filled((n) => ({
    file: {
      format: "ss",
      name: `sockets ${n}`,
      part: 1,
      of: 1,
      text: "tcp LISTEN 0 9 0.0.0.0:22 0.0.0.0:*\n".repeat(piece / 40),
    },
  }));
  const member = gzipSync(" ".repeat(16 * 1_048_576));
  const bomb = Buffer.concat(Array.from({ length: BOMB_BYTES / (16 * 1_048_576) }, () => member));
  return [Buffer.from(machines), Buffer.from(files), Buffer.alloc(REPORT_BYTES, "x"), Buffer.from(bomb)];
}

/** Reports of 20 MiB beside more long polls than are allowed, and lies about what another organization has. */
export const attack: Attack<Prepared> = {
  name: `collectors that send reports of 20 MiB, wait ${POLLS} times for a job, and claim the machines of another organization, whose collector reports`,
  prepare: async ({ url }) => {
    const attacker = await anAccount(url);
    const other = await anAccount(url);
    const inNetwork = async ({ session }: Account): Promise<TestCollector> => {
      const { id } = await session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
      return aCollector(url, session, id);
    };
    const floods = makeFloods();
    const hostile: TestCollector[] = [];
    while (hostile.length < floods.length) hostile.push(await inNetwork(attacker));
    const honest = await inNetwork(other);
    const { id } = await aJob(other.session, honest);
    await sendReport(honest.self, id, reportOf([VICTIM], ["10.7.0.0/24"]));
    await ended(other.session, id);
    const [host] = await other.session.data<Host[]>("get", "/api/v1/hosts");
    return { attacker, hostile, floods, other, honest, host: host! };
  },
  run: async ({ url }, { attacker, hostile, floods, other, honest, host }) => {
    const { id: foreign } = await aJob(other.session, honest);
    const polls = hostile.flatMap((one) => Array.from({ length: POLLS }, () => polled(url, one)));
    const flooding = hostile.map((one, n) => flooded({ url, attacker, one, foreign, body: floods[n]! }));
    const startedAt = performance.now();
    const honestly = reportedInTime(other, honest, foreign).then(() => performance.now() - startedAt);
    const each = await Promise.all(flooding);
    const statuses = each.flat();
    const waited = await Promise.all(polls);
    const tookMs = await honestly;
    // Imports of lies may go on: they hold up no others.
    const outcomes = (await jobsOf(attacker)).map(({ state }) => state);
    const allowed = [0, 200, 400, 403, 404, 409, 413, 429, 503];
    expectThat(
      statuses.every((status) => allowed.includes(status)),
      `reports: ${each.map((one) => one.join(" ")).join("; ")}`,
    );
    expectThat(
      waited.every((status) => status === 200 || status === 429),
      `polls: ${tally(waited)}`,
    );
    const now = await other.session.data<Host[]>("get", "/api/v1/hosts");
    expectThat(now.length === 1 && now[0]?.id === host.id, `the other organization has ${now.length} hosts`);
    expectThat(now[0]?.missed_since === null && now[0].name === host.name, "the other organization's host has changed");
    return `reports ${tally(statuses)}; polls ${tally(waited)}; jobs ${outcomes.join(", ")}; another's report took ${tookMs.toFixed(0)} ms`;
  },
};

interface Flood {
  readonly url: string;
  readonly attacker: Account;
  readonly one: TestCollector;
  /** The job of another organization. */
  readonly foreign: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Three reports for each of its jobs, and one for that of another. */
async function flooded({ url, attacker, one, foreign, body }: Flood): Promise<number[]> {
  const statuses: number[] = [];
  const post = async (job: string, isFinal: boolean): Promise<number> => {
    const headers = {
      ...bearer(one),
      ...{ "content-type": "application/octet-stream", "idempotency-key": randomUUID() },
    };
    const path = `/api/v1/collectors/self/jobs/${job}/reports?final=${isFinal}`;
    return statusOf(fetch(url + path, { method: "POST", headers, body }));
  };
  for (let round = 0; round < ROUNDS; round++) {
    await attacker.session.send("post", `/api/v1/collectors/${one.collector.id}/run`, {});
    const job = await nextJob(one.self).catch(() => null);
    const sent = await Promise.all([
      post(job?.id ?? foreign, false),
      post(job?.id ?? foreign, false),
      post(foreign, true),
    ]);
    const stolen = sent.at(-1) ?? 0;
    expectThat(stolen !== 200, "a report for the job of another organization was taken");
    statuses.push(...sent, await post(job?.id ?? foreign, true));
  }
  return statuses;
}

function polled(url: string, one: TestCollector): Promise<number> {
  return statusOf(fetch(`${url}/api/v1/collectors/self/jobs?wait=${POLL_SECONDS}`, { headers: bearer(one) }));
}

function bearer({ key }: TestCollector): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** 0 without a response. */
async function statusOf(sent: Promise<Response>): Promise<number> {
  try {
    const response = await sent;
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Reports as `nts agent` does, which tries again. @throws Error if that does not succeed in time */
async function reportedInTime({ session }: Account, { self }: TestCollector, job: string): Promise<void> {
  const untilMs = performance.now() + DONE_MS;
  for (;;) {
    const { status, text } = await sendReport(self, job, reportOf([VICTIM], ["10.7.0.0/24"]), { key: "honest" });
    if (status === 200) break;
    expectThat([429, 503].includes(status) && performance.now() < untilMs, `an honest report got ${status}: ${text}`);
    await sleep(500);
  }
  await until(async () => (await jobOf(session, job)).ended_at !== null, 100, DONE_MS);
  const { state } = await jobOf(session, job);
  expectThat(state === "done", `the job of an honest collector has ended as ${state}`);
}

function jobsOf({ session }: Account): Promise<CollectorJob[]> {
  return session.data("get", "/api/v1/collectors/jobs?limit=0");
}
