import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { AppError } from "../errors.js";
import { answer, type Answer, type ListPart } from "./answer.js";
import { sendAnswer, sendError } from "./send.js";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function aServerOf(given: () => Answer<unknown>): Promise<string> {
  const server = createServer((_request, response) => {
    void sendAnswer(response, z.unknown(), given()).catch(() => {
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

describe("what a service sends", () => {
  it("answers HEAD of a stream with its head alone", async () => {
    const url = await aServerOf(() => answer.list(parts(",1,2", ",3"), all));
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("x-list-limit"), await head.text()]).toEqual([200, "0", ""]);
    expect(await (await fetch(url)).json()).toEqual([1, 2, 3]);
  });

  it("sends a list of up to 1 MiB whole, with its total", async () => {
    const url = await aServerOf(() => answer.list(parts(",1", "", ",2"), all));
    const { headers } = await fetch(url);
    expect([headers.get("content-length"), headers.get("x-list-total")]).toEqual(["5", "2"]);
    expect(await (await fetch(await aServerOf(() => answer.list(parts(), all)))).json()).toEqual([]);
  });

  it("sends a longer list while it is read, and a row in as many pieces as it comes in", async () => {
    const counted = { total: () => Promise.resolve(9), limit: 3, offset: 0 };
    for (const paging of [all, counted]) {
      const url = await aServerOf(() => answer.list(parts(`,1${large}`, `,2${large}`, ",[3", ` ${large}]`), paging));
      const answered = await fetch(url);
      expect([answered.headers.get("content-length"), answered.headers.get("x-list-total")]).toEqual([null, paging === all ? null : "9"]); // prettier-ignore
      expect(await answered.json()).toEqual([1, 2, [3]]);
    }
  });

  it("breaks off when a stream fails, so that it never looks whole", async () => {
    async function* failing(): AsyncGenerator<ListPart> {
      yield* parts(`,1${large}${large}`);
      throw new Error("away");
    }
    const url = await aServerOf(() => answer.list(failing(), all));
    await expect(fetch(url).then((answered) => answered.text())).rejects.toThrow();
  });

  it("says that a list failed when nothing of it was sent yet, and ends its reading", async () => {
    let ended = 0;
    async function* failing(): AsyncGenerator<ListPart> {
      try {
        yield* parts(",1");
        throw new Error("away");
      } finally {
        ended += 1;
      }
    }
    const uncounted = { total: () => Promise.reject(new Error("away")), limit: 1, offset: 0 };
    expect((await fetch(await aServerOf(() => answer.list(failing(), all)))).status).toBe(500);
    expect((await fetch(await aServerOf(() => answer.list(failing(), uncounted)))).status).toBe(500);
    expect(ended).toBe(2);
  });
});

describe("a file that a service sends", () => {
  it("sends a file under its name and type", async () => {
    const file = await fetch(await aServerOf(() => answer.file(piecesThen(null, "digraph", " {}"), dot)));
    expect(await file.text()).toBe("digraph {}");
    expect(file.headers.get("content-type")).toBe("text/vnd.graphviz; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="topology.dot"');
  });

  it("makes no file of a failure, and no whole file of a part", async () => {
    const away = new Error("away");
    const failed = await fetch(await aServerOf(() => answer.file(piecesThen(away), dot)));
    expect([failed.status, failed.headers.get("content-disposition")]).toEqual([500, null]);
    expect(failed.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const url = await aServerOf(() => answer.file(piecesThen(away, "digraph {"), dot));
    await expect(fetch(url).then((answered) => answered.text())).rejects.toThrow();
  });
});

async function* piecesThen(error: Error | null, ...pieces: string[]): AsyncGenerator<string> {
  yield* await Promise.resolve(pieces);
  if (error !== null) throw error;
}
