/** Tenants of an attacked system, each at a client address of its own: all of 127.0.0.0/8 is this machine. */
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { openRawSocket } from "../raw-socket.js";
import type { Stack } from "../stack.js";
import type { AttackResponse, Target, Tenant } from "./attack.js";
import { exchange } from "./exchange.js";

const MAX_OPENING = 100;

let addresses = 0;

/** An unused client address. */
export function newAddress(): string {
  addresses++;
  return `127.9.${addresses >> 8}.${(addresses & 255) + 1}`;
}

/** The system as an attack sees it. */
export function targetOf(stack: Stack): Target {
  return { stack, url: stack.url, newTenant: (address) => newTenant(stack.url, address) };
}

async function newTenant(url: string, address = newAddress()): Promise<Tenant> {
  const agent = new Agent({ keepAlive: true });
  const sender =
    (own: Readonly<Record<string, string>>) =>
    (...[method, path, body, headers = {}]: Parameters<Tenant["send"]>) =>
      exchange({ url: url + path, method, agent, localAddress: address, headers: { ...own, ...headers } }, body);
  const anonymous = sender({});
  const email = `tenant-${address}-${randomUUID()}@example.com`;
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
