import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { AppError } from "../errors.js";
import { readJsonBody } from "./body.js";
import { BODY_LIMIT_BYTES } from "./headers.js";
import { sendError } from "./send.js";
import { startServer, type RunningServer } from "./server.js";

let server: RunningServer;

beforeAll(async () => {
  server = await startServer(
    (request, response) => {
      readJsonBody(request, ["application/json"]).then(
        (body) => response.end(JSON.stringify({ body })),
        (error: unknown) => {
          sendError(response, error instanceof AppError ? error : new AppError("internal_error"));
        },
      );
    },
    { host: "127.0.0.1", port: 0, maxHeaderBytes: 16_384, keepAliveMs: 1_000, drainMs: 500 },
  );
});

afterAll(() => server.close());

interface BodyResponse {
  readonly status: number;
  readonly json: { body?: unknown; code?: string; params?: object };
}

/** Sends pieces as they are, chunked, without a Content-Length. */
function send(
  pieces: readonly (string | Buffer)[],
  contentType: string | null = "application/json",
  more: Readonly<Record<string, string>> = {},
): Promise<BodyResponse> {
  return new Promise((resolve, reject) => {
    const headers = { ...more, ...(contentType !== null && { "content-type": contentType }) };
    const request = httpRequest({ host: "127.0.0.1", port: server.port, method: "POST", headers }, (response) => {
      textOf(response).then((text) => {
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) as BodyResponse["json"] });
      }, reject);
    });
    request.on("error", reject);
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const ofBytes = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`;

describe("body: JSON from clients", () => {
  it("parses any JSON value, however it is split", async () => {
    const text = Buffer.from('{"a": [1, "ü€😀", null], "a\\"[": "}"}');
    for (const cut of [0, 1, 12, 13, 14, 15, 20]) {
      const response = await send([text.subarray(0, cut), text.subarray(cut)]);
      expect(response.json.body).toEqual({ a: [1, "ü€😀", null], 'a"[': "}" });
    }
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/json;q=1; charset=utf-8",
  ])("accepts %s", async (type) => {
    expect(await send(["1"], type)).toEqual({ status: 200, json: { body: 1 } });
  });

  it.each([
    null,
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/json-seq",
    "application/problem+json",
    "",
  ])("rejects %s as a media type", async (type) => {
    expect(await send(["1"], type)).toMatchObject({ status: 415, json: { code: "unsupported_media_type" } });
  });

  it.each(["", "{", '{"a":1,}', "undefined", "'a'", '{"a":1}}', '"a', "[1]x", "\uFEFF\uFEFF1"])(
    "rejects %j, which is not JSON",
    async (text) => {
      expect(await send([text])).toMatchObject({ status: 400, json: { code: "malformed_json", params: {} } });
    },
  );

  it("rejects compressed bodies", async () => {
    const as = (encoding: string) => send(["1"], "application/json", { "content-encoding": encoding });
    expect(await as("gzip")).toMatchObject({ status: 415, json: { code: "unsupported_media_type" } });
    expect(await as("Identity")).toMatchObject({ status: 200 });
  });

  it("rejects bytes that are not UTF-8", async () => {
    const bytes = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
    expect(await send([bytes])).toMatchObject({ status: 400, json: { code: "malformed_json" } });
  });
});

describe("body: limits", () => {
  it("accepts 32 levels and rejects 33 before parsing", async () => {
    expect((await send([nested(32)])).status).toBe(200);
    const errors = [{ path: "", message: "must not be nested deeper than 32 levels" }];
    for (const text of [nested(33), "[".repeat(100_000), `${'{"a":'.repeat(33)}1${"}".repeat(33)}`])
      expect(await send([text])).toMatchObject({
        status: 400,
        json: { code: "validation_failed", params: { errors } },
      });
  });

  it("does not count brackets inside strings as levels, nor an escaped quote as the end of one", async () => {
    for (const value of ["[".repeat(100), `"${"{".repeat(100)}`, `\\"${"[".repeat(100)}`])
      expect(await send([JSON.stringify({ [value]: value })])).toMatchObject({ status: 200 });
  });

  it("accepts 50,000 values and rejects one more before parsing", async () => {
    const numbers = (count: number): string => `[${Array(count).fill("0").join(",")}]`;
    expect((await send([numbers(49_999)])).status).toBe(200);
    const errors = [{ path: "", message: "must not have more than 50000 values" }];
    for (const text of [numbers(50_000), `{"a":[${Array(340_000).fill("{}").join(",")}]}`, "[0,".repeat(25_000)])
      expect((await send([text])).json).toMatchObject({ code: "validation_failed" });
    expect((await send([numbers(50_000)])).json).toMatchObject({ params: { errors } });
  });

  it("does not count commas inside strings as values", async () => {
    expect((await send([JSON.stringify({ name: ",".repeat(100_000) })])).status).toBe(200);
  });

  it("accepts a mebibyte and rejects one byte more, with a response", async () => {
    expect((await send([ofBytes(BODY_LIMIT_BYTES)])).status).toBe(200);
    const expected = { status: 413, json: { code: "payload_too_large" } };
    expect(await send([ofBytes(BODY_LIMIT_BYTES + 1)])).toMatchObject(expected);
  });

  it("rejects an endless body as soon as it is too large, without waiting for the rest", async () => {
    const status = new Promise<number>((resolve, reject) => {
      const request = httpRequest({
        host: "127.0.0.1",
        port: server.port,
        method: "POST",
        headers: { "content-type": "application/json" },
      });
      request.on("response", (response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
      request.on("error", reject);
      request.write(ofBytes(BODY_LIMIT_BYTES + 65_536));
    });
    expect(await status).toBe(413);
  });
});
