/** Streams of changes with slow clients, and while the database is unavailable. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient, type Timestamp } from "mongodb";
import type { Change } from "@nts/shared/contract";
import { type Account, anAccount } from "../support/api.js";
import { type EventStream, openEventStream } from "../support/event-stream.js";
import { metricOf } from "../support/metrics.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost } from "../support/world.js";

/** One more than may occupy a service for longer than a moment. */
const UNREAD = 9;
/** Together with their deletions they are 12 MB of changes, more than all buffers on the way hold. */
const HOSTS = 10;
const SERVICES = 40;
const TIMEOUT_MS = 90_000;
const MONGOD_AWAY_MS = 1_500;
const SNAPSHOT_TOO_OLD = 239;

let stack: Stack;
let account: Account;
beforeAll(async () => {
  stack = await startStack({ ownMongod: true, env: { ...UNLIMITED } });
  account = await anAccount(stack.url);
});
afterAll(() => stack.stop());

const path = (after?: string): string => `${stack.url}/api/v1/changes/stream?after=${after ?? ""}`;
const follow = (after: string): Promise<EventStream> => openEventStream(path(after), { cookie: account.cookie });
const cursorsOf = (stream: EventStream): string[] => stream.data<Change>("change").map(({ cursor }) => cursor);
const newest = async (): Promise<string> => {
  const [found] = await account.session.data<Change[]>("get", "/api/v1/changes?order_direction=desc&limit=1");
  return found!.cursor;
};
/** All changes after a cursor, from the list. */
async function listedAfter(after: string): Promise<string[]> {
  const cursors: string[] = [];
  for (let from = after; ;) {
    const page = await account.session.data<Change[]>("get", `/api/v1/changes?limit=200&after=${from}`);
    if (page.length === 0) return cursors;
    cursors.push(...page.map(({ cursor }) => cursor));
    from = cursors.at(-1)!;
  }
}

/** A stream, and what was read of it. */
interface Read {
  readonly response: IncomingMessage;
  text: string;
}

/** A stream that is read up to its first bookmark and no further. A busy gateway may cut it before. */
async function unread(after: string, tries = 5): Promise<Read> {
  try {
    return await readUpToBookmark(after);
  } catch (error) {
    if (tries === 0) throw error;
    return unread(after, tries - 1);
  }
}

const readUpToBookmark = (after: string): Promise<Read> => readUpTo("event: bookmark\n", path(after));

/** A stream that is read up to a text and no further. */
async function readUpTo(expected: string, url: string): Promise<Read> {
  const clientRequest = request(url, { headers: { cookie: account.cookie }, agent: false });
  clientRequest.on("error", () => undefined).end();
  const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
  const read: Read = { response: response.setEncoding("utf8"), text: "" };
  let hasStarted = false;
  await new Promise<void>((resolve, reject) => {
    response.on("error", reject).on("end", () => reject(new Error(`the stream ended before ${expected}`)));
    response.on("data", (piece: string) => {
      read.text += piece;
      if (hasStarted || !read.text.includes(expected)) return;
      hasStarted = true;
      response.pause();
      resolve();
    });
  });
  return read;
}

const aLargeService = (_: unknown, n: number) => ({
  ...{ name: `large ${n}`, service_definition: "nginx", bindings: [] },
  virtualization: { type: "vm", details: { text: "x".repeat(15_000) } },
});

describe("a stream whose client does not read", () => {
  it("is cut while the others continue, and its client resumes after its last event, without gap or repetition", async () => {
    const { network } = await aNetworkWithAHost(account.session);
    const begin = await newest();
    const reading = await follow(begin);
    const others = await Promise.all(Array.from({ length: UNREAD }, () => unread(begin)));
    const [gateway] = stack.gateways;
    const cut = (): Promise<number> => metricOf(gateway!, "nts_responses_aborted_total");
    expect(await cut()).toBe(0);
    for (let n = 0; n < HOSTS; n++) {
      const body = {
        network_id: network.id,
        name: `host ${n}`,
        services: Array.from({ length: SERVICES }, aLargeService),
      };
      const { id } = await account.session.data<{ id: string }>("post", "/api/v1/hosts", body);
      await account.session.data("delete", `/api/v1/hosts/${id}`);
    }
    // Eight per caller may occupy a service for half a minute; the longest of nine is cut after a second.
    await until(async () => (await cut()) >= 1, 50, TIMEOUT_MS);
    await account.session.data("post", "/api/v1/tags", { name: "the end" });
    const hasAll = (stream: EventStream) =>
      until(() => stream.data<Change>("change").at(-1)?.name === "the end", 50, TIMEOUT_MS);
    await hasAll(reading);
    const listed = await listedAfter(begin);
    expect(cursorsOf(reading)).toEqual(listed);

    const areWhole = await Promise.all(others.map((one) => readsOn(one, listed.at(-1)!)));
    const broken = others.filter((_, n) => !areWhole[n]);
    expect(broken.length).toBeGreaterThanOrEqual(1);
    const had = idsIn(broken[0]!.text);
    const next = await follow(had.at(-1) ?? begin);
    await hasAll(next);
    expect([...had, ...cursorsOf(next)]).toEqual(listed);
    for (const one of [reading, next]) one.close();
  });
});

describe("a stream while the database is unavailable", () => {
  it("continues when it is available again, without gap or repetition", async () => {
    const begin = await newest();
    const stream = await follow(begin);
    const aTag = (name: string) => account.session.send("post", "/api/v1/tags", { name });
    for (let n = 0; n < 3; n++) expect((await aTag(`before ${n}`)).status).toBe(200);
    await until(() => cursorsOf(stream).length === 3);
    await stack.servers.mongodb!.kill();
    await sleep(MONGOD_AWAY_MS);
    await stack.servers.mongodb!.restart();
    await until(async () => (await aTag(`after ${Math.random()}`)).status === 200, 50, TIMEOUT_MS);
    const listed = async () => listedAfter(begin).catch(() => []);
    await until(
      async () => cursorsOf(stream).length > 3 && cursorsOf(stream).length === (await listed()).length,
      50,
      TIMEOUT_MS,
    );
    expect(cursorsOf(stream)).toEqual(await listed());
    expect(stream.isOpen()).toBe(true);
    stream.close();
  });
});

describe("a stream whose initial state takes longer than the database keeps a snapshot", () => {
  it("ends before its bookmark, and its client starts again and gets all of it", async () => {
    const { network } = await aNetworkWithAHost(account.session);
    for (let n = 0; n < 2 * HOSTS; n++) {
      const services = Array.from({ length: SERVICES }, aLargeService);
      await account.session.data("post", "/api/v1/hosts", { network_id: network.id, name: `host ${n}`, services });
    }
    const client = new MongoClient(stack.servers.urls.mongodb);
    const rememberFor = (minSnapshotHistoryWindowInSeconds: number) =>
      client.db("admin").command({ setParameter: 1, minSnapshotHistoryWindowInSeconds });
    try {
      await rememberFor(1);
      const { operationTime } = await client.db("admin").command({ ping: 1 });
      const slow = await readUpTo("event: state\n", `${path()}&initial=true`);
      const isClosed = once(slow.response, "close"); // by a busy gateway even while it is not read
      await until(() => isForgotten(client, operationTime as Timestamp), 50, TIMEOUT_MS);
      slow.response.resume();
      await isClosed;
      expect(slow.text).not.toContain("event: bookmark");
      await rememberFor(300);
      const again = await openEventStream(`${path()}&initial=true`, { cookie: account.cookie });
      await until(() => again.data("bookmark").length > 0, 50, TIMEOUT_MS);
      const received = again
        .data<Change>("state")
        .filter((one) => one.entity === "Service" && one.network_id === network.id);
      expect(received).toHaveLength(2 * HOSTS * SERVICES + 1);
      again.close();
    } finally {
      await rememberFor(300);
      await client.close();
    }
  });

  /** Writes until the database discards the snapshot. */
  async function isForgotten(client: MongoClient, atClusterTime: Timestamp): Promise<boolean> {
    await account.session.data("post", "/api/v1/tags", { name: `tag ${Math.random()}` });
    const find = { find: "tags", limit: 1, readConcern: { level: "snapshot", atClusterTime } };
    const failed = await client
      .db(stack.databases.topology)
      .command(find)
      .then(
        () => null,
        (error: unknown) => error,
      );
    return failed !== null && (failed as { code?: number }).code === SNAPSHOT_TOO_OLD;
  }
});

/** Reads on until the stream was cut, or the last change has arrived. @returns whether it has */
function readsOn({ response }: Read, last: string): Promise<boolean> {
  let tail = "";
  return new Promise((resolve) => {
    response.on("data", (piece: string) => {
      tail = tail.slice(-100) + piece;
      if (!tail.includes(`id: ${last}\nevent: change`)) return;
      resolve(true);
      response.destroy();
    });
    response.once("close", () => {
      resolve(false);
    });
    response.resume();
  });
}

/** The ids of complete events. */
const idsIn = (text: string): string[] =>
  [...text.matchAll(/id: (\S+)\nevent: change\ndata: .*\n\n/g)].map(([, id]) => id!);
