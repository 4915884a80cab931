import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { AppError } from "../errors.js";
import { respond, type HandlerResponse, type ListPart } from "./respond.js";
import { sendResponse, sendError } from "./send.js";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function aServerOf(given: () => HandlerResponse<unknown>): Promise<string> {
  const server = createServer((_request, response) => {
    void sendResponse(response, { response: z.unknown() }, given()).catch(() => {
      sendError(response, new AppError("internal_error"));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const all = { total: null, limit: 0, offset: 0 };
const large = " ".repeat(700_000);

async function* parts(...texts: string[]): AsyncGenerator<ListPart> {
  for (const text of texts) yield await Promise.resolve({ text: Buffer.from(text), rows: text.split(",").length - 1 });
}

const dot = { mediaType: "text/vnd.graphviz", fileName: "topology.dot" };

describe("the response of a service", () => {
  it("to HEAD of a stream is the head alone", async () => {
    const url = await aServerOf(() => respond.list(parts(",1,2", ",3"), all));
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("x-list-limit"), await head.text()]).toEqual([200, "0", ""]);
    expect(await (await fetch(url)).json()).toEqual([1, 2, 3]);
  });

  it("to HEAD has the type of what is not sent, and lets go of it", async () => {
    const released: string[] = [];
    // Not a generator: one that has not started releases nothing when it is ended.
    const held = (name: string) => ({
      next: () => Promise.reject(new Error("nobody reads it")),
      return: () => Promise.resolve({ done: true as const, value: released.push(name) }),
    });
    const unread = (name: string) => ({ [Symbol.asyncIterator]: () => held(name) as never });
    for (const given of [respond.list(unread("list"), all), respond.jsonPieces(unread("pieces"))]) {
      const { status, headers } = await fetch(await aServerOf(() => given), { method: "HEAD" });
      expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    }
    expect(released).toEqual(["list", "pieces"]);
  });

  it("contains a list of up to 1 MiB as a whole, with its total", async () => {
    const url = await aServerOf(() => respond.list(parts(",1", "", ",2"), all));
    const { headers } = await fetch(url);
    expect([headers.get("content-length"), headers.get("x-list-total")]).toEqual(["5", "2"]);
    expect(await (await fetch(await aServerOf(() => respond.list(parts(), all)))).json()).toEqual([]);
  });

  it("streams a longer list, and a row in as many pieces as it is read", async () => {
    const counted = { total: () => Promise.resolve(9), limit: 3, offset: 0 };
    for (const paging of [all, counted]) {
      const url = await aServerOf(() => respond.list(parts(`,1${large}`, `,2${large}`, ",[3", ` ${large}]`), paging));
      const response = await fetch(url);
      expect([response.headers.get("content-length"), response.headers.get("x-list-total")]).toEqual([
        null,
        paging === all ? null : "9",
      ]);
      expect(await response.json()).toEqual([1, 2, [3]]);
    }
  });

  it("is aborted when a stream fails, so that it never looks complete", async () => {
    async function* failing(): AsyncGenerator<ListPart> {
      yield* parts(`,1${large}${large}`);
      throw new Error("unavailable");
    }
    const url = await aServerOf(() => respond.list(failing(), all));
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });

  it("is an error when a list fails before anything was sent, and stops reading", async () => {
    let ended = 0;
    async function* failing(): AsyncGenerator<ListPart> {
      try {
        yield* parts(",1");
        throw new Error("unavailable");
      } finally {
        ended += 1;
      }
    }
    const uncounted = { total: () => Promise.reject(new Error("unavailable")), limit: 1, offset: 0 };
    expect((await fetch(await aServerOf(() => respond.list(failing(), all)))).status).toBe(500);
    expect((await fetch(await aServerOf(() => respond.list(failing(), uncounted)))).status).toBe(500);
    expect(ended).toBe(2);
  });
});

describe("a file sent by a service", () => {
  it("has its name and type", async () => {
    const file = await fetch(await aServerOf(() => respond.file(piecesThen(null, "digraph", " {}"), dot)));
    expect(await file.text()).toBe("digraph {}");
    expect(file.headers.get("content-type")).toBe("text/vnd.graphviz; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="topology.dot"');
  });

  it("is neither a failure response nor a complete file when it was cut off", async () => {
    const fault = new Error("unavailable");
    const failed = await fetch(await aServerOf(() => respond.file(piecesThen(fault), dot)));
    expect([failed.status, failed.headers.get("content-disposition")]).toEqual([500, null]);
    expect(failed.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const url = await aServerOf(() => respond.file(piecesThen(fault, "digraph {"), dot));
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });
});

async function* piecesThen(error: Error | null, ...pieces: string[]): AsyncGenerator<string> {
  yield* await Promise.resolve(pieces);
  if (error !== null) throw error;
}
