import { type Agent, type IncomingMessage, request as httpRequest } from "node:http";
import type { AttackResponse } from "./attack.js";

const TIMEOUT_MS = 60_000;

/** A request from a client address; the timeout is 60 s by default. */
export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly agent: Agent;
  readonly localAddress: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Sends a request; a failure becomes a response with status 0. */
export async function exchange(sent: Sent, body: unknown): Promise<AttackResponse & { cookie: string }> {
  const { url, headers, timeoutMs = TIMEOUT_MS, ...options } = sent;
  const bytes = Buffer.from(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
  const describing = body === undefined ? {} : { "content-type": "application/json", "content-length": bytes.length };
  const startedAt = performance.now();
  const responseOf = (status: number, text: string, cookie = "") => {
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? "";
    return { status, code, text, cookie, tookMs: performance.now() - startedAt };
  };
  return new Promise((resolve) => {
    const request = httpRequest(
      url,
      { ...options, timeout: timeoutMs, headers: { ...describing, ...headers } },
      (response) => {
        textOf(response).then(
          (text) => {
            resolve(responseOf(response.statusCode ?? 0, text, response.headers["set-cookie"]?.[0]?.split(";")[0]));
          },
          (error: unknown) => {
            resolve(responseOf(0, String(error)));
          },
        );
      },
    );
    request.on("timeout", () => request.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)));
    request.on("error", (error) => {
      resolve(responseOf(0, error.message));
    });
    request.end(bytes);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
