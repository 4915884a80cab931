/** Changes as Server-Sent Events through the gateway: contents, resuming, and ending. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Change, KIND_NAMES } from "@nts/shared/contract";
import { type Account, aColleague, aKey, anAccount, type ApiResponse } from "../support/api.js";
import { type EventStream, openEventStream } from "../support/event-stream.js";
import { PROVIDER_REVOCATIONS, REVOCATIONS, send, NARROW_REVOCATIONS } from "../support/right-changes.js";
import { keyAgerOf, resetLinkCreatorOf } from "../support/revocable.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost, type NetworkWorld } from "../support/world.js";
import { withoutSightings } from "../support/without-sightings.js";

/** Changes of permissions that end a stream; the long tier makes all. */
const STREAM_ENDS = Number(process.env["STREAM_ENDS"] ?? 5);
const BETWEEN_STREAMS_MS = 150;
const BETWEEN_LISTS_MS = 60;

let stack: SharedStack;
let account: Account;
const open: EventStream[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function follow(
  query = "",
  headers: Readonly<Record<string, string>> = { cookie: account.cookie },
): Promise<EventStream> {
  const stream = await openEventStream(`${stack.url}/api/v1/changes/stream${query}`, headers);
  open.push(stream);
  return stream;
}

const aTag = (name: string, by = account) => by.session.data<{ id: string }>("post", "/api/v1/tags", { name });
const names = (stream: EventStream): string[] => stream.data<Change>("change").map(({ name }) => name);
const waitForName = (stream: EventStream, name: string) => until(() => names(stream).includes(name));
const waitForBookmark = (stream: EventStream) => until(() => stream.data("bookmark").length > 0);
const codeOf = (stream: EventStream) => (JSON.parse(stream.text) as { code: string }).code;

describe("a stream of changes: where it starts", () => {
  it("sends existing and new changes, each entry as /changes returns it, with its cursor as id", async () => {
    await aTag("before");
    const stream = await follow();
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await waitForName(stream, "before");
    await waitForBookmark(stream);
    await aTag("meanwhile");
    await waitForName(stream, "meanwhile");
    const listed = await account.session.data<Change[]>("get", "/api/v1/changes?limit=1000");
    expect(stream.data("change")).toEqual(listed);
    const changes = stream.events.filter(({ event }) => event === "change");
    expect(changes.map(({ id }) => id)).toEqual(listed.map(({ cursor }) => cursor));
  });

  it("resumes after Last-Event-ID, which takes precedence over `after`, and sends bookmarks", async () => {
    const first = await follow();
    await waitForBookmark(first);
    const begin = first.lastId()!;
    first.close();
    await aTag("one");
    await aTag("two");
    const second = await follow(`?after=${begin}`);
    await waitForName(second, "two");
    expect(names(second)).toEqual(["one", "two"]);
    const one = second.events.find(({ event }) => event === "change")!;
    const third = await follow(`?after=${begin}`, { cookie: account.cookie, "last-event-id": one.id! });
    await waitForBookmark(third);
    expect(names(third)).toEqual(["two"]);
    expect(third.data("bookmark")).toEqual([{ cursor: third.lastId() }]);
  });
});

describe("a stream of changes: filters and permissions", () => {
  it("sends only what matches its filters, and to a restricted key neither changes nor cursors of other networks", async () => {
    const [home, office] = await Promise.all(
      ["Home", "Office"].map((name) => account.session.data<{ id: string }>("post", "/api/v1/networks", { name })),
    );
    const { secret } = await aKey(stack.url, account, { network_ids: [home!.id] });
    const restricted = { authorization: `Bearer ${secret}` };
    const [all, mine, deletions] = await Promise.all([follow(), follow("", restricted), follow("?action=deleted")]);
    await Promise.all([all, mine, deletions].map(waitForBookmark));
    const subnet = (network_id: string) => ({ network_id, cidr: "10.0.0.0/24", name: "LAN" });
    const theirs = await account.session.data<{ id: string }>("post", "/api/v1/subnets", subnet(office!.id));
    const ours = await account.session.data<{ id: string }>("post", "/api/v1/subnets", subnet(home!.id));
    await account.session.data("delete", `/api/v1/subnets/${theirs.id}`);
    await account.session.data("delete", `/api/v1/subnets/${ours.id}`);
    const end = await aTag("the end");
    await account.session.data("delete", `/api/v1/tags/${end.id}`);
    const ids = (stream: EventStream): string[] => stream.data<Change>("change").map(({ entity_id }) => entity_id);
    const last = async (stream: EventStream) =>
      until(() =>
        stream.data<Change>("change").some(({ entity_id, action }) => entity_id === end.id && action === "deleted"),
      );
    await Promise.all([all, mine, deletions].map(last));
    expect(ids(mine)).not.toContain(theirs.id);
    expect(JSON.stringify(mine.events)).not.toContain(office!.id);
    expect(ids(mine).filter((id) => id === ours.id)).toHaveLength(2);
    expect(ids(deletions)).toEqual([theirs.id, ours.id, end.id]);
    expect(ids(all).slice(-6)).toEqual([theirs.id, ours.id, theirs.id, ours.id, end.id, end.id]);
  });

  it("is rejected with an envelope: without a credential, with a foreign cursor, and as the eleventh of a user", async () => {
    const anonymous = await follow("", {});
    expect([anonymous.status, codeOf(anonymous)]).toEqual([401, "not_authenticated"]);
    const other = await anAccount(stack.url);
    await aTag("of another", other);
    const theirs = await follow("", { cookie: other.cookie });
    await waitForBookmark(theirs);
    const foreign = await follow("", { cookie: account.cookie, "last-event-id": theirs.lastId()! });
    expect([foreign.status, codeOf(foreign)]).toEqual([400, "cursor_invalid"]);

    const ten = await Promise.all(Array.from({ length: 10 }, () => follow()));
    expect(ten.map(({ status }) => status)).toEqual(ten.map(() => 200));
    const { secret } = await aKey(stack.url, account);
    const eleventh = await follow("", { authorization: `Bearer ${secret}` });
    expect([eleventh.status, JSON.parse(eleventh.text)]).toMatchObject([
      429,
      { code: "too_many_streams", params: { of: "user" } },
    ]);
    const colleague = await aColleague(stack.url, account);
    expect((await follow("", { cookie: colleague.cookie })).status).toBe(200);
    ten[0]!.close();
    await until(async () => (await follow()).status === 200, 50);
  });
});

type Row = Readonly<Record<string, unknown>> & { readonly id: string };
type SentChange = Pick<Change, "entity_id" | "after">;
let world: NetworkWorld;
let host: { id: string };
let isOver: boolean;
let writing: Promise<unknown>;

/** Services that are created, changed, moved and deleted by several writers until the end. */
async function write(): Promise<void> {
  const { session } = account;
  const mine: string[] = [];
  for (let n = 0; !isOver; n++) {
    const drawn = Math.random();
    const id = mine[Math.floor(Math.random() * mine.length)];
    if (id === undefined || drawn < 0.4) {
      const body = { network_id: world.network.id, host_id: host.id, name: `s${n}`, service_definition: "nginx" };
      const made = await session.send("post", "/api/v1/services", { ...body, position: 0 });
      // On a busy machine a write may lose to the others.
      if (made.status === 200) mine.push((made.body.data as Row).id);
    } else if (drawn < 0.7) await session.send("patch", `/api/v1/services/${id}`, { name: `renamed ${n}` });
    else if ((await session.send("delete", `/api/v1/services/${id}`)).status === 200) mine.splice(mine.indexOf(id), 1);
  }
}

const list = () => account.session.send("get", "/api/v1/services?limit=0");
const textsOf = (rows: readonly Row[]) => new Map(withoutSightings(rows).map((row) => [row.id, JSON.stringify(row)]));
const stateAfter = (rows: readonly Row[], changes: readonly SentChange[]): Map<string, string> => {
  const texts = textsOf(rows);
  for (const { entity_id, after } of changes)
    if (after === null) texts.delete(entity_id);
    else texts.set(entity_id, JSON.stringify(after));
  return texts;
};
const ofServices = <T>(stream: EventStream, kind: string): T[] =>
  stream.data<T & { entity: string }>(kind).filter(({ entity }) => entity === "Service");
const sorted = (texts: ReadonlyMap<string, string>): string[] => [...texts.values()].sort();

/** Each change continues the state before it. */
function expectUnbroken(stream: EventStream): void {
  const state = new Map(
    ofServices<SentChange>(stream, "state").map(({ entity_id, after }) => [entity_id, JSON.stringify(after)]),
  );
  expect(state.size).toBe(ofServices(stream, "state").length);
  const changes = ofServices<Change>(stream, "change");
  for (const { entity_id, before, after } of changes) {
    expect(state.get(entity_id) ?? "null").toBe(JSON.stringify(before));
    state.set(entity_id, JSON.stringify(after));
  }
}

describe("an initial state followed by changes", () => {
  beforeAll(async () => {
    world = await aNetworkWithAHost(account.session);
    // One service always exists, so that every initial state has one.
    const services = [{ name: "stays", service_definition: "nginx" }];
    host = await account.session.data("post", "/api/v1/hosts", {
      network_id: world.network.id,
      name: "busy",
      services,
    });
  });
  beforeEach(() => {
    isOver = false;
    writing = Promise.all(Array.from({ length: 3 }, write));
  });

  it("starts with `initial` at one moment, ends with a bookmark, and continues with changes without a gap", async () => {
    const { secret } = await aKey(stack.url, account, { network_ids: [world.network.id] });
    const restricted = { authorization: `Bearer ${secret}` };
    const queries = ["?initial=true", `?initial=true&entity=Service&host_id=${host.id}`];
    const streams: EventStream[] = [];
    for (const headers of [{ cookie: account.cookie }, restricted])
      for (const query of queries) {
        await delay(BETWEEN_STREAMS_MS);
        streams.push(await follow(query, headers));
      }
    await Promise.all(streams.map(waitForBookmark));
    await Promise.all(streams.map((stream) => until(() => ofServices(stream, "change").length > 5)));
    isOver = true;
    await writing;
    const expected = (await list()).body.data as Row[];
    for (const [n, stream] of streams.entries()) {
      const rows = expected.filter((row) => n % 2 === 0 || row["host_id"] === host.id);
      const now = () =>
        stateAfter([], [...ofServices<SentChange>(stream, "state"), ...ofServices<Change>(stream, "change")]);
      await until(() => JSON.stringify(sorted(now())) === JSON.stringify(sorted(textsOf(rows))));
      const kinds = stream.events.map(({ event }) => event).join();
      const entities = new Set(stream.data<Change>("state").map(({ entity }) => entity));
      expect(entities.size).toBe(n % 2 === 0 ? KIND_NAMES.length : 1);
      expect(kinds).toMatch(/^(state,)*bookmark(,change|,bookmark)*$/);
      expectUnbroken(stream);
    }
  });

  it("can also come from an unlimited list, whose cursor leads to what the list returns later", async () => {
    const lists: ApiResponse[] = [];
    for (let n = 0; n < 6; n++) {
      lists.push(await list());
      await delay(BETWEEN_LISTS_MS);
    }
    isOver = true;
    await writing;
    const expected = sorted(textsOf((await list()).body.data as Row[]));
    for (const { body } of lists) {
      const { changes_cursor } = body.meta as unknown as { changes_cursor: string };
      const stream = await follow(`?entity=Service&after=${changes_cursor}`);
      await until(
        () =>
          JSON.stringify(sorted(stateAfter(body.data as Row[], stream.data<Change>("change")))) ===
          JSON.stringify(expected),
      );
      stream.close();
    }
    expect((await account.session.send("get", "/api/v1/services?limit=5")).text).not.toContain("changes_cursor");
  });
});

describe("a stream whose caller loses its permissions", () => {
  it("ends when its key expires, and sends nothing that happens afterwards", async () => {
    const expires = new Date(Date.now() + 2_500);
    const key = await aKey(stack.url, account, { expires_at: expires.toISOString() });
    const stream = await follow("", { authorization: `Bearer ${key.secret}` });
    await waitForBookmark(stream);
    await delay(expires.getTime() - Date.now());
    await aTag("after it has expired");
    expect(await stream.ended).toBe(true);
    expect(names(stream)).not.toContain("after it has expired");
    expect(stream.data("end")).toEqual([{ code: "api_key_expired", error: expect.any(String) }]);
  });

  const kinds = [...REVOCATIONS]
    .filter(([name]) => !PROVIDER_REVOCATIONS.includes(name) && !NARROW_REVOCATIONS.includes(name))
    .flatMap(([name, prepare]) => (prepare === null ? [] : [[name, prepare] as const]));
  // As they are ordered, this many take some of each group.
  const chosen = kinds.filter((_, n) => n % Math.ceil(kinds.length / STREAM_ENDS) === 0);
  it.each(chosen)(
    "ends when the change is answered, with an event that gives the reason, and sends nothing afterwards: %s",
    async (_name, prepare) => {
      const signIn = () => Promise.reject(new Error("there is no provider"));
      const tools = { age: keyAgerOf(stack), createResetLink: resetLinkCreatorOf(stack), signIn };
      const revocation = await prepare(stack.url, tools);
      const stream = await follow("", revocation.headers);
      expect(stream.status).toBe(200);
      await waitForBookmark(stream);
      expect(await send(stack.url, revocation)).toBe(200);
      await revocation.change.by.session.send("post", "/api/v1/tags", { name: "secret" });
      expect(await stream.ended).toBe(true);
      expect(names(stream)).not.toContain("secret");
      expect(stream.data("end")).toEqual([{ code: expect.any(String), error: expect.any(String) }]);
    },
  );
});
