/**
 * Load that goes on while processes come and go: what users with keys and sessions do, through several gateways as a load
 * balancer would spread it. Every other answer than the wanted one is noted, and so is every write that was acknowledged.
 */
import type { OutgoingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ARCHIVE_TYPE, type ArchiveImport, type AuditEntry, type Webhook } from "@nts/shared/contract";
import { aColleague, aKey, anAccount, type Account, type Caller } from "./api.js";
import { ARCHIVE_PATH } from "./archives.js";
import { type Answer, type Balancer, type Body, startBalancer } from "./balancer.js";
import type { Written } from "./later-members.js";
import type { Mailbox } from "./mailbox.js";
import type { Stack } from "./stack.js";
import { startPeople } from "./steady-people.js";
import { until } from "./until.js";

/** One request, by method and path. Times are those of `performance.now()`. */
export interface Sent {
  readonly what: string;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** A request that was not answered as it must be. */
export interface Lost extends Sent {
  /** Status and code, or the fault of the connection. */
  readonly how: string;
}

export interface LoadReport {
  /** Requests that were answered as they must be. */
  readonly answered: readonly Sent[];
  readonly lost: readonly Lost[];
  /** Acknowledged writes of which nothing can be read afterwards, as sentences. */
  readonly vanished: readonly string[];
}

export interface SteadyLoad {
  /** What is written again and again. */
  readonly written: Written;
  /** Waits until so many requests were answered as they must be. */
  untilAnswered(count: number): Promise<void>;
  /** Ends it, reads every acknowledged write again, and tells what happened. */
  stop(): Promise<LoadReport>;
}

interface Made {
  readonly id: string;
}

export interface LoadOptions {
  /** How many write and read at a time. */
  readonly workers?: number;
  /** Milliseconds of each worker between its rounds of requests. */
  readonly pauseMs?: number;
  /** What the audit log is to tell of the webhook: the last change where some replicas noted nothing before, or nothing for certain. */
  readonly audited?: "all" | "last" | "nothing";
  /** The archive is downloaded again and again, and imported as a dry run: by any replica, whichever has written it. */
  readonly archives?: boolean;
  /** The stack sends its mail there: invites are mailed, and accounts with several organizations and too old keys are used. */
  readonly mailbox?: Mailbox;
}

/** A host that one worker writes again and again; `name` is the last one that was acknowledged, `later` came after it. */
interface Owned {
  readonly id: string;
  readonly network_id: string;
  name: string;
  later: string[];
}

/** Acknowledged writes of which nothing can be read any more, as sentences. */
async function vanishedOf(
  { session }: Account,
  acknowledged: readonly string[],
  owned: readonly Owned[],
  atOnce: number,
): Promise<string[]> {
  const vanished: string[] = [];
  const paths = acknowledged.values();
  const read = async (): Promise<void> => {
    for (const path of paths) {
      const { status, text } = await session.send("get", path);
      if (status !== 200) vanished.push(`${path}: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, read));
  for (const { id, name, later } of owned) {
    const now = await session.data<{ name: string }>("get", `/api/v1/hosts/${id}`);
    if (![name, ...later].includes(now.name)) vanished.push(`name ${name} of host ${id}, which is ${now.name}`);
  }
  return vanished;
}

/** @param wanted the status, 200 unless given */
export type Send = (
  method: string,
  path: string,
  as: OutgoingHttpHeaders,
  body?: Body,
  wanted?: number,
) => Promise<Answer | null>;

/** Sends requests one at a time; the answer is null when a request was lost, which is noted. */
function createSend(send: Balancer["send"]): { readonly send: Send; readonly lost: Lost[]; readonly answered: Sent[] } {
  const lost: Lost[] = [];
  const answered: Sent[] = [];
  return {
    lost,
    answered,
    send: async (method, path, as, body, wanted = 200) => {
      const sentAt = performance.now();
      const sent = (): Sent => ({ what: `${method} ${path}`, sentAt, endedAt: performance.now() });
      const note = (how: string): null => {
        lost.push({ ...sent(), how });
        return null;
      };
      try {
        const answer = await send(method, path, as, body);
        if (answer.status !== wanted) return note(`${answer.status} ${answer.text.slice(0, 200)}`);
        answered.push(sent());
        return answer;
      } catch (error) {
        return note(String((error as { code?: string }).code ?? error));
      }
    },
  };
}

/** Imports the archive as a dry run. @returns what of it is new to the organization that it came from, as sentences */
async function newsOfArchive(send: Send, as: OutgoingHttpHeaders): Promise<string[]> {
  const archived = await send("GET", ARCHIVE_PATH, as);
  if (archived === null) return [];
  const headers = { ...as, "content-type": ARCHIVE_TYPE };
  const answer = await send("POST", `${ARCHIVE_PATH}?dry_run=true`, headers, archived.text);
  if (answer === null) return [];
  const { summary } = (JSON.parse(answer.text) as { data: ArchiveImport }).data;
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

/** Makes an account in the system and begins. */
export async function startSteadyLoad(stack: Stack, options: LoadOptions = {}): Promise<SteadyLoad> {
  const { workers = 8, pauseMs = 5, audited = "all", archives = false, mailbox } = options;
  const { url } = stack;
  const people = mailbox && (await startPeople(stack, mailbox));
  const account = await anAccount(url);
  const key = await aKey(url, account);
  const [owned, ownKeys]: [Owned[], string[]] = [[], []];
  const webhook = await startWebhook(account);
  const colleague = await aColleague(url, account);
  for (let n = 0; n < workers; n++) {
    owned.push(await aHostOf(key.caller, n));
    ownKeys.push((await aKey(url, account)).id);
  }

  const balancer = await startBalancer(stack.gateways);
  const { send, lost, answered } = createSend(balancer.send);
  const [acknowledged, unknown]: [string[], string[]] = [[], []];
  const [bearer, session] = [{ authorization: `Bearer ${key.secret}` }, { cookie: account.cookie }];
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
      if (round % 10 === worker) await workOnKeys(worker, name);
      await sleep(pauseMs);
    }
  }

  /** What one worker alone does besides comes as often: the archive, people, a colleague's level, and the webhook. */
  async function workOnKeys(worker: number, name: string): Promise<void> {
    const created = await send("POST", "/api/v1/auth/keys", session, keyBodyOf(account, name));
    if (created !== null) acknowledged.push(`/api/v1/auth/keys/${idOf(created)}`);
    await send("PUT", `/api/v1/auth/keys/${ownKeys[worker] ?? ""}`, session, keyBodyOf(account, name));
    if (worker === 1 && archives) unknown.push(...(await newsOfArchive(send, session)));
    if (worker === 2) await people?.work(send);
    if (worker === 3) await send("PUT", `/api/v1/users/${colleague.userId}`, session, { permissions: "Viewer" });
    if (worker !== 0) return;
    const { path, body } = webhook.next();
    if ((await send("PUT", path, session, body)) !== null) webhook.acknowledged(body);
  }

  const working = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return {
    written: { hosts: owned.map(({ id }) => id), keys: ownKeys, webhookId: webhook.id, ...idsOf(account, colleague) },
    untilAnswered: (count) => until(() => answered.length >= count),
    stop: async () => {
      stopping = true;
      await working;
      balancer.stop();
      const gone = await vanishedOf(account, acknowledged, owned, workers);
      const faults = [...(await webhook.faults(audited)), ...((await people?.faults()) ?? [])];
      return { answered, lost, vanished: [...unknown, ...gone, ...faults] };
    },
  };
}

function idsOf({ userId, organizationId }: Account, colleague: Account) {
  return { userId, organizationId, colleagueId: colleague.userId };
}

/** Longer than identity takes to ask for what it got no notice of. */
const AUDITED_MS = 40_000;

interface WebhookBody {
  readonly url: string;
  readonly is_enabled: false;
  readonly batch_seconds: number;
}

/** A webhook that is changed again and again, and sends nothing. Each change is to be in the audit log, once. */
async function startWebhook({ session }: Account) {
  const bodyOf = (batch_seconds: number): WebhookBody => {
    return { url: "https://example.com/", is_enabled: false, batch_seconds };
  };
  const { id } = await session.data<Webhook>("post", "/api/v1/webhooks", bodyOf(0));
  const path = `/api/v1/webhooks/${id}`;
  const done: number[] = [];
  let round = 0;
  const told = async (): Promise<number[]> => {
    const query = `/api/v1/audit?entity_id=${id}&action=updated&limit=1000`;
    const entries = await session.data<AuditEntry[]>("get", query);
    return entries.map(({ after }) => after?.["batch_seconds"] as number);
  };
  return {
    id,
    next: () => ({ path, body: bodyOf(++round) }),
    acknowledged: ({ batch_seconds }: WebhookBody) => done.push(batch_seconds),
    /** What is wrong with it or its entries. */
    faults: async (audited: "all" | "last" | "nothing"): Promise<string[]> => {
      const last = bodyOf(++round);
      await session.data("put", path, last);
      const mustBeTold = { all: [...done, last.batch_seconds], last: [last.batch_seconds], nothing: [] }[audited];
      let found: number[] = [];
      await until(
        async () => {
          found = await told();
          return mustBeTold.every((one) => found.includes(one));
        },
        200,
        AUDITED_MS,
      ).catch(() => undefined);
      return [
        ...mustBeTold.filter((one) => !found.includes(one)).map((one) => `entry ${one} of webhook ${id}`),
        ...found.filter((one, at) => found.indexOf(one) !== at).map((one) => `webhook ${id} has entry ${one} twice`),
        ...(found.some((one, at) => at > 0 && one < found[at - 1]!) ? [`the order of entries of webhook ${id}`] : []),
      ];
    },
  };
}

/** How long requests took, ascending. */
export function latenciesMsOf(sent: readonly Sent[]): number[] {
  return sent.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b);
}

function keyBodyOf({ userId: user_id, organizationId: organization_id }: Account, name: string): object {
  return { name, organization_id, user_id, tags: [] };
}

function idOf({ text }: Answer): string {
  const { data } = JSON.parse(text) as { data: Made | { api_key: Made } };
  return "api_key" in data ? data.api_key.id : data.id;
}
