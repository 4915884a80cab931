/** The client with servers that are slow, unavailable, or reject. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type Client, createClient, type WatchEvent } from "@nts/client";
import { aKey, type Account, anAccount } from "../support/api.js";
import { sharedStack } from "../support/shared-stack.js";
import { startTcpProxy } from "../support/tcp-proxy.js";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** A client of a server with this handler, and the requests it received. */
async function aClientOf(handler: Handler): Promise<{ client: Client; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    handler(request, response, requests.push(request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl, apiKey: "key" }), requests };
}

function succeed(response: ServerResponse, data: unknown = null): void {
  response.end(JSON.stringify({ success: true, data, meta: {} }));
}

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  const failure = { success: false, error: "no", code, params: {}, meta: { request_id: "r" } };
  response.writeHead(status, headers).end(JSON.stringify(failure));
}

const creating = (client: Client) => client.call("create_network", { body: { name: "Home" } });

describe("a failed call: retries", () => {
  it("is retried under the same idempotency key when the connection breaks after the write", async () => {
    const { client, requests } = await aClientOf((_request, response, number) => {
      if (number < 3) response.destroy();
      else succeed(response, { id: "1" });
    });
    expect(await creating(client)).toEqual({ id: "1" });
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is retried no sooner than Retry-After says, and not at all when that is long", async () => {
    const { client, requests } = await aClientOf((_request, response, number) => {
      if (number === 1) refuse(response, 429, "rate_limited", { "retry-after": "1" });
      else if (number === 2) succeed(response);
      else refuse(response, 429, "login_throttled", { "retry-after": "900" });
    });
    const startedAt = performance.now();
    await client.call("get_host_by_id", { params: { id: "1" } });
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    const login = client.call("login", { body: { email: "a@example.com", password: "b" } });
    await expect(login).rejects.toMatchObject({ code: "login_throttled", retryAfterSeconds: 900 });
    expect(requests).toHaveLength(3);
  });

  it("is not retried when a repetition could have a second effect", async () => {
    const { client, requests } = await aClientOf((_request, response) => response.destroy());
    const login = client.call("login", { body: { email: "a@example.com", password: "b" } });
    await expect(login).rejects.toMatchObject({
      code: "unreachable",
      status: 0,
      method: "POST",
      path: "/api/auth/login",
    });
    expect(requests).toHaveLength(1);
  });
});

describe("a failed call: errors", () => {
  it("throws one class with code and path also when the response is not from the API", async () => {
    const { client } = await aClientOf((_request, response) => response.writeHead(404).end("<html>"));
    const failed = await creating(client).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({ code: "unreadable_answer", status: 404, path: "/api/v1/networks", requestId: "" });
  });

  it("throws the reason of its signal, also while it waits for a retry", async () => {
    const { client, requests } = await aClientOf((_request, response) =>
      refuse(response, 503, "unavailable", { "retry-after": "50" }),
    );
    const over = new AbortController();
    const waiting = client.call("get_version", { signal: over.signal });
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    over.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(client.call("get_version", { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    expect(requests).toHaveLength(1);
  });

  it("restarts an edit from the current state when another client was faster", async () => {
    const { client, requests } = await aClientOf((request, response, number) => {
      if (request.method === "GET") response.setHeader("etag", `"${number}"`);
      if (request.method === "GET") succeed(response, { tags: [String(number)] });
      else if (number < 4) refuse(response, 412, "precondition_failed");
      else succeed(response, { tags: [] });
    });
    const seen: string[][] = [];
    await client.edit("get_host_by_id", "patch_host", { params: { id: "1" } }, ({ tags }) => {
      seen.push(tags);
      return { tags };
    });
    expect(seen).toEqual([["1"], ["3"]]);
    expect(requests.map(({ headers }) => headers["if-match"])).toEqual([undefined, '"1"', undefined, '"3"']);
  });
});

describe("watching changes", () => {
  const tag = (account: Account, name: string) => account.session.data("post", "/api/v1/tags", { name });

  it("misses and repeats nothing while its connection is cut again and again", async () => {
    const stack = await sharedStack();
    const account = await anAccount(stack.url);
    const { secret } = await aKey(stack.url, account);
    const proxy = await startTcpProxy(Number(new URL(stack.url).port));
    stops.push(() => proxy.stop());
    const client = createClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: secret });
    const names: string[] = [];
    const expected = ["one", "two", "three", "four"];
    await tag(account, "one");
    for await (const event of client.watch()) {
      if (event.type === "reset") throw new Error("nothing was lost");
      if (event.type !== "change") continue;
      names.push(event.change.name);
      if (names.length === expected.length) break;
      await proxy.cut();
      await tag(account, expected[names.length]!);
    }
    expect(names).toEqual(expected);
  });

  it("restarts when the changes after its cursor are no longer kept, and reports that", async () => {
    const bookmark = 'id: c2\nevent: bookmark\ndata: {"cursor":"c2"}\n\n';
    const { client, requests } = await aClientOf((_request, response, number) => {
      if (number === 1) refuse(response, 410, "changes_gone");
      else response.writeHead(200, { "content-type": "text/event-stream" }).end(bookmark);
    });
    const seen: WatchEvent[] = [];
    for await (const event of client.watch({ after: "c1", initial: true })) {
      seen.push(event);
      if (event.type === "bookmark") break;
    }
    expect(seen).toEqual([
      { type: "reset", reason: "changes_gone" },
      { type: "bookmark", cursor: "c2" },
    ]);
    expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual(["c1", undefined]);
    const without = await aClientOf((_request, response) => refuse(response, 410, "changes_gone"));
    await expect(without.client.watch({ after: "c1" }).next()).rejects.toMatchObject({ code: "changes_gone" });
  });

  it("ends with the event at which its signal is aborted, also when others came with it", async () => {
    const bookmarks = ["c1", "c2", "c3"].map((c) => `id: ${c}\nevent: bookmark\ndata: {"cursor":"${c}"}\n\n`);
    const { client } = await aClientOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(bookmarks.join(""));
    });
    const enough = new AbortController();
    const seen: WatchEvent[] = [];
    for await (const event of client.watch({ signal: enough.signal })) {
      seen.push(event);
      enough.abort();
    }
    expect(seen).toEqual([{ type: "bookmark", cursor: "c1" }]);
  });

  it("does not report states as interrupted by its own signal", async () => {
    const state = 'event: state\ndata: {"entity_id":"a"}\n\n';
    const { client } = await aClientOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(state + state);
    });
    const enough = new AbortController();
    const seen: WatchEvent[] = [];
    for await (const event of client.watch({ initial: true, signal: enough.signal })) {
      seen.push(event);
      enough.abort();
    }
    expect(seen.map(({ type }) => type)).toEqual(["state"]);
  });

  it("throws when its key is revoked, and ends silently on its signal", async () => {
    const stack = await sharedStack();
    const account = await anAccount(stack.url);
    const { id, secret } = await aKey(stack.url, account);
    const client = createClient({ baseUrl: stack.url, apiKey: secret });
    const events = client.watch();
    expect((await events.next()).value).toMatchObject({ type: "bookmark" });
    const quiet = new AbortController();
    const other = client.watch({ signal: quiet.signal });
    await other.next();
    const ended = other.next();
    quiet.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
    await account.session.data("delete", `/api/v1/auth/keys/${id}`);
    await expect(events.next()).rejects.toMatchObject({ code: "api_key_invalid" });
  });
});
