import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { AppError } from "../errors.js";
import { answer, type Answer } from "./answer.js";
import { sendAnswer, sendError } from "./send.js";

describe("what a service sends", () => {
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

  const rows = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

  async function* batches(): AsyncGenerator<Buffer[]> {
    yield await Promise.resolve(rows("1", "2"));
    yield rows("3");
  }

  it("answers HEAD of a stream with its head alone", async () => {
    const url = await aServerOf(() => answer.stream(batches(), 0));
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("x-list-limit"), await head.text()]).toEqual([200, "0", ""]);
    expect(await (await fetch(url)).json()).toEqual([1, 2, 3]);
  });

  it("breaks off when a stream fails, so that it never looks whole", async () => {
    async function* failing(): AsyncGenerator<Buffer[]> {
      yield await Promise.resolve(rows("1"));
      throw new Error("away");
    }
    const url = await aServerOf(() => answer.stream(failing(), 0));
    await expect(fetch(url).then((answered) => answered.text())).rejects.toThrow();
  });

  const dot = { mediaType: "text/vnd.graphviz", fileName: "topology.dot" };

  async function* piecesThen(error: Error | null, ...pieces: string[]): AsyncGenerator<string> {
    yield* await Promise.resolve(pieces);
    if (error !== null) throw error;
  }

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
