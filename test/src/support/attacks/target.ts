/** Tenants of an attacked system, each at a client address of its own: all of 127.0.0.0/8 is this machine. */
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { openRawSocket } from "../raw-socket.js";
import type { Stack } from "../stack.js";
import type { AttackResponse, Target, Tenant } from "./attack.js";

const TIMEOUT_MS = 60_000;
const MAX_OPENING = 100;

let addresses = 0;

/** An unused client address. */
export function newAddress(): string {
  addresses++;
  return `127.9.${addresses >> 8}.${(addresses & 255) + 1}`;
}

/** The system as an attack sees it. */
export function targetOf(stack: Stack): Target {
  return { stack, url: stack.url, newTenant: () => newTenant(stack.url) };
}

async function newTenant(url: string): Promise<Tenant> {
  const address = newAddress();
  const agent = new Agent({ keepAlive: true });
  const sender =
    (own: Readonly<Record<string, string>>) =>
    (...[method, path, body, headers = {}]: Parameters<Tenant["send"]>) =>
      exchange({ url: url + path, method, agent, localAddress: address, headers: { ...own, ...headers } }, body);
  const anonymous = sender({});
  const email = `tenant-${address}-${process.pid}-${Date.now()}@example.com`;
  const password = "correct horse battery staple";
  const registered = await anonymous("POST", "/api/auth/register", { email, password });
  const { id: userId, organization_id: organizationId } = dataOf<{ id: string; organization_id: string }>(registered);
  const session = sender({ cookie: registered.cookie });
  const body = { name: "key", organization_id: organizationId, user_id: userId, tags: [], permissions: "Owner" };
  const newKey = async (more: object = {}): Promise<string> =>
    dataOf<{ key: string }>(await session("POST", "/api/v1/auth/keys", { ...body, ...more })).key;
  const key = await newKey();
  const send = sender({ authorization: `Bearer ${key}` });
  return {
    organizationId,
    userId,
    address,
    key,
    ...{ email, password, cookie: registered.cookie },
    keyLine: `Authorization: Bearer ${key}`,
    send,
    newKey,
    sendBySession: session,
    bySession: async (method, path, body) => {
      dataOf(await session(method, path, body));
    },
    data: async (method, path, body) => dataOf(await send(method, path, body)),
    connect: async (count, { reads = true } = {}) => {
      const sockets = [];
      while (sockets.length < count) {
        const length = Math.min(MAX_OPENING, count - sockets.length);
        const opening = Array.from({ length }, () => openRawSocket(url, { from: address, reads }));
        sockets.push(...(await Promise.all(opening)));
      }
      return sockets;
    },
  };
}

function dataOf<T>({ status, text }: AttackResponse): T {
  if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: T }).data;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly agent: Agent;
  readonly localAddress: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request; a failure becomes a response with status 0. */
async function exchange(sent: Sent, body: unknown): Promise<AttackResponse & { cookie: string }> {
  const { url, headers, ...options } = sent;
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
      { ...options, timeout: TIMEOUT_MS, headers: { ...describing, ...headers } },
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
    request.on("timeout", () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`)));
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
