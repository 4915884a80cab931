/**
 * Continuous load of users with keys and sessions through a load balancer, while processes are restarted. Unexpected
 * responses and acknowledged writes are recorded.
 */
import type { OutgoingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ARCHIVE_TYPE, type ArchiveImport, type AuditEntry, type Webhook } from "@nts/shared/contract";
import { aColleague, aKey, anAccount, type Account, type Caller } from "./api.js";
import { ARCHIVE_PATH } from "./archives.js";
import { type BalancerResponse, type Balancer, type Body, startBalancer } from "./balancer.js";
import type { WrittenIds } from "./later-members.js";
import type { Mailbox } from "./mailbox.js";
import type { Stack } from "./stack.js";
import { startPeople } from "./steady-people.js";
import { until } from "./until.js";

/** A request, by method and path. Times are those of `performance.now()`. */
export interface Sent {
  readonly what: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** A request with an unexpected response. */
export interface FailedRequest extends Sent {
  /** Status and code, or the connection error. */
  readonly how: string;
}

/** Whether it is an allowed failure of a killed service: a write that was not sent, or that may have happened; no read. */
export function isWriteThatMayBeLost({ what, how }: FailedRequest): boolean {
  return !what.startsWith("GET") && /^(?:502 .*"code":"upstream_failed"|503 .*"code":"unavailable")/.test(how);
}

export interface LoadReport {
  /** Requests with the expected response. */
  readonly responses: readonly Sent[];
  readonly lost: readonly FailedRequest[];
  /** Acknowledged writes that cannot be read afterwards, as sentences. */
  readonly lostWrites: readonly string[];
}

export interface SteadyLoad {
  /** The entities that are written repeatedly. */
  readonly written: WrittenIds;
  /** Waits until this many requests got the expected response. */
  untilResponses(count: number): Promise<void>;
  /** Ends it, reads every acknowledged write again, and reports the results. */
  stop(): Promise<LoadReport>;
}

interface Made {
  readonly id: string;
}

export interface LoadOptions {
  /** Number of concurrent workers. */
  readonly workers?: number;
  /** Pause of each worker between its rounds, in milliseconds. */
  readonly pauseMs?: number;
  /** Archives are downloaded repeatedly, and imported as a dry run by any replica. */
  readonly archives?: boolean;
  /**
   * Receives the stack's mail: adds mailed invites, accounts with several organizations, and expired keys to the load.
   */
  readonly mailbox?: Mailbox;
}

/** A host that one worker writes repeatedly; `name` is the last acknowledged one, `later` came after it. */
interface Owned {
  readonly id: string;
  readonly network_id: string;
  name: string;
  later: string[];
}

/** Acknowledged writes that can no longer be read, as sentences. */
async function lostWritesOf(
  { session }: Account,
  acknowledged: readonly string[],
  owned: readonly Owned[],
  atOnce: number,
): Promise<string[]> {
  const lostWrites: string[] = [];
  const paths = acknowledged.values();
  const read = async (): Promise<void> => {
    for (const path of paths) {
      const { status, text } = await session.send("get", path);
      if (status !== 200) lostWrites.push(`${path}: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, read));
  for (const { id, name, later } of owned) {
    const now = await session.data<{ name: string }>("get", `/api/v1/hosts/${id}`);
    if (![name, ...later].includes(now.name)) lostWrites.push(`name ${name} of host ${id}, which is ${now.name}`);
  }
  return lostWrites;
}

/** @param expected the status, 200 by default */
export type Send = (
  method: string,
  path: string,
  as: OutgoingHttpHeaders,
  body?: Body,
  expected?: number,
) => Promise<BalancerResponse | null>;

/** Sends requests; the response is null when a request failed, which is recorded. */
function createSend(send: Balancer["send"]): {
  readonly send: Send;
  readonly lost: FailedRequest[];
  readonly responses: Sent[];
} {
  const lost: FailedRequest[] = [];
  const responses: Sent[] = [];
  return {
    lost,
    responses,
    send: async (method, path, as, body, expected = 200) => {
      const sentAt = performance.now();
      const sent = (): Sent => ({ what: `${method} ${path}`, sentAt, endedAt: performance.now() });
      const note = (how: string): null => {
        lost.push({ ...sent(), how });
        return null;
      };
      try {
        const response = await send(method, path, as, body);
        if (response.status !== expected) return note(`${response.status} ${response.text.slice(0, 200)}`);
        responses.push(sent());
        return response;
      } catch (error) {
        return note(String((error as { code?: string }).code ?? error));
      }
    },
  };
}

/** Imports the archive as a dry run. @returns what it would create in the organization it came from, as sentences */
async function creationsByArchive(send: Send, as: OutgoingHttpHeaders): Promise<string[]> {
  const archived = await send("GET", ARCHIVE_PATH, as);
  if (archived === null) return [];
  const headers = { ...as, "content-type": ARCHIVE_TYPE };
  const response = await send("POST", `${ARCHIVE_PATH}?dry_run=true`, headers, archived.text);
  if (response === null) return [];
  const { summary } = (JSON.parse(response.text) as { data: ArchiveImport }).data;
  return Object.entries(summary)
    .filter(([, { create, failed }]) => create + failed > 0)
    .map(([kind, { create, failed }]) => `${create + failed} of an archive, of the kind ${kind}`);
}

/** A host of one worker, in a network of its own. */
async function aHostOf(caller: Caller, worker: number): Promise<Owned> {
  const network = await caller.data<Made>("post", "/api/v1/networks", { name: `Network ${worker}` });
  const body = { network_id: network.id, name: "first" };
  return { ...(await caller.data<Made>("post", "/api/v1/hosts", body)), ...body, later: [] };
}

/** Creates an account in the system and begins. */
export async function startSteadyLoad(stack: Stack, options: LoadOptions = {}): Promise<SteadyLoad> {
  const { workers = 8, pauseMs = 5, archives = false, mailbox } = options;
  const { url } = stack;
  const people = mailbox && (await startPeople(stack, mailbox));
  const account = await anAccount(url);
  const key = await aKey(url, account);
  const owned: Owned[] = [];
  const ownKeys: string[] = [];
  const webhook = await startWebhook(account);
  const colleague = await aColleague(url, account);
  for (let n = 0; n < workers; n++) {
    owned.push(await aHostOf(key.caller, n));
    ownKeys.push((await aKey(url, account)).id);
  }

  const balancer = await startBalancer(stack.gateways);
  const { send, lost, responses } = createSend(balancer.send);
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const bearer = { authorization: `Bearer ${key.secret}` };
  const session = { cookie: account.cookie };
  let stopping = false;

  async function work(worker: number): Promise<void> {
    for (let round = 0; !stopping; round++) {
      const name = `host ${worker}-${round}`;
      const own = owned[worker]!;
      const { id, network_id } = own;
      const made = await send("POST", "/api/v1/hosts", bearer, { network_id, name });
      if (made !== null) acknowledged.push(`/api/v1/hosts/${idOf(made)}`);
      own.later.push(name);
      const written = await send("PUT", `/api/v1/hosts/${id}`, bearer, { network_id, name });
      if (written !== null) Object.assign(own, { name, later: [] });
      await send("GET", `/api/v1/hosts?network_id=${network_id}&limit=10`, bearer);
      await send("GET", "/api/auth/me", session);
      if (round % 10 === worker) await doRareWork(worker, name);
      await sleep(pauseMs);
    }
  }

  /** Single workers also use the archive, people, a colleague's level, and the webhook, as often. */
  async function doRareWork(worker: number, name: string): Promise<void> {
    const created = await send("POST", "/api/v1/auth/keys", session, keyBodyOf(account, name));
    if (created !== null) acknowledged.push(`/api/v1/auth/keys/${idOf(created)}`);
    await send("PUT", `/api/v1/auth/keys/${ownKeys[worker] ?? ""}`, session, keyBodyOf(account, name));
    if (worker === 1 && archives) unknown.push(...(await creationsByArchive(send, session)));
    if (worker === 2) await people?.work(send);
    if (worker === 3) await send("PUT", `/api/v1/users/${colleague.userId}`, session, { permissions: "Viewer" });
    if (worker !== 0) return;
    const { path, body } = webhook.next();
    if ((await send("PUT", path, session, body)) !== null) webhook.acknowledged(body);
  }

  const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return {
    written: { hosts: owned.map(({ id }) => id), keys: ownKeys, webhookId: webhook.id, ...idsOf(account, colleague) },
    untilResponses: (count) => until(() => responses.length >= count),
    stop: async () => {
      stopping = true;
      await working;
      balancer.stop();
      const gone = await lostWritesOf(account, acknowledged, owned, workers);
      const faults = [...(await webhook.faults()), ...((await people?.faults()) ?? [])];
      return { responses, lost, lostWrites: [...unknown, ...gone, ...faults] };
    },
  };
}

function idsOf({ userId, organizationId }: Account, colleague: Account) {
  return { userId, organizationId, colleagueId: colleague.userId };
}

/** Longer than identity's polling interval without notices. */
const AUDITED_MS = 40_000;

interface WebhookBody {
  readonly url: string;
  readonly is_enabled: false;
  readonly batch_seconds: number;
}

/** A disabled webhook that is changed repeatedly. Each change must be in the audit log, once. */
async function startWebhook({ session }: Account) {
  const bodyOf = (batch_seconds: number): WebhookBody => {
    return { url: "https://example.com/", is_enabled: false, batch_seconds };
  };
  const { id } = await session.data<Webhook>("post", "/api/v1/webhooks", bodyOf(0));
  const path = `/api/v1/webhooks/${id}`;
  const done: number[] = [];
  let round = 0;
  const recordedOf = async (): Promise<number[]> => {
    const query = `/api/v1/audit?entity_id=${id}&action=updated&limit=1000`;
    const entries = await session.data<AuditEntry[]>("get", query);
    return entries.map(({ after }) => after?.["batch_seconds"] as number);
  };
  return {
    id,
    next: () => ({ path, body: bodyOf(++round) }),
    acknowledged: ({ batch_seconds }: WebhookBody) => done.push(batch_seconds),
    /** What is wrong with its audit entries. */
    faults: async (): Promise<string[]> => {
      const last = bodyOf(++round);
      await session.data("put", path, last);
      const expected = [...done, last.batch_seconds];
      let found: number[] = [];
      await until(
        async () => {
          found = await recordedOf();
          return expected.every((one) => found.includes(one));
        },
        200,
        AUDITED_MS,
      ).catch(() => undefined);
      return [
        ...expected.filter((one) => !found.includes(one)).map((one) => `entry ${one} of webhook ${id}`),
        ...found.filter((one, at) => found.indexOf(one) !== at).map((one) => `webhook ${id} has entry ${one} twice`),
        ...(found.some((one, at) => at > 0 && one < found[at - 1]!) ? [`the order of entries of webhook ${id}`] : []),
      ];
    },
  };
}

/** Durations of requests, ascending. */
export function latenciesMsOf(sent: readonly Sent[]): number[] {
  return sent.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b);
}

function keyBodyOf({ userId: user_id, organizationId: organization_id }: Account, name: string): object {
  return { name, organization_id, user_id, tags: [] };
}

function idOf({ text }: BalancerResponse): string {
  const { data } = JSON.parse(text) as { data: Made | { api_key: Made } };
  return "api_key" in data ? data.api_key.id : data.id;
}
