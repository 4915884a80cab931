/** Building blocks of attacks. */
import { setTimeout as sleep } from "node:timers/promises";
import { MERGE_PATCH_TYPE } from "@nts/shared/contract/upload";
import { mapConcurrently } from "../map-concurrently.js";
import type { RawSocket } from "../raw-socket.js";
import type { AttackResponse, Tenant } from "./attack.js";

const EMPTY_LINE = "\r\n\r\n";

/** The head of a request; `fields` are whole header lines. */
export function headOf(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, "Host: service.example", ...fields].join("\r\n") + EMPTY_LINE;
}

/** Waits until all connections are closed, at most this many milliseconds. */
export async function closedWithin(sockets: readonly RawSocket[], ms: number): Promise<void> {
  const patience = new AbortController();
  const late = sleep(ms, undefined, { signal: patience.signal }).catch(() => undefined);
  await Promise.race([Promise.all(sockets.map(({ closed }) => closed)), late]);
  patience.abort();
}

/** Statuses of the responses on connections; 0 for one without a response. */
export function statusesOf(sockets: readonly RawSocket[]): number[] {
  return sockets.flatMap((socket) => {
    const lines = [...socket.received().matchAll(/HTTP\/1\.1 (\d{3}) /g)];
    return lines.length === 0 ? [0] : lines.map(([, status]) => Number(status));
  });
}

/** The count of each value, such as "298 × 429, 2 × 200"; a status of 0 is no response. */
export function tally(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([status, count]) => `${count} × ${status === 0 ? "no response" : status}`).join(", ");
}

/** Closes connections at once. */
export function closeAll(sockets: readonly RawSocket[]): void {
  for (const socket of sockets) socket.close();
}

/** A network of a tenant with a subnet 10.0.0.0/8 in it. */
export async function createNetwork(tenant: Tenant): Promise<{ networkId: string; subnetId: string }> {
  const { id: networkId } = await tenant.data("POST", "/api/v1/networks", { name: "network" });
  const subnet = { network_id: networkId, cidr: "10.0.0.0/8", name: "subnet" };
  return { networkId, subnetId: (await tenant.data("POST", "/api/v1/subnets", subnet)).id };
}

/** Networks without anything in them. @returns their ids */
export function createNetworks(tenant: Tenant, count: number): Promise<string[]> {
  return mapConcurrently(count, 8, async (n) => {
    const { id } = await tenant.data("POST", "/api/v1/networks", { name: `network ${n}` });
    return id;
  });
}

/** Sends requests one after another until an attack has ended. @returns what the attack did, and all responses */
export async function alongside<T>(
  attacking: Promise<T>,
  send: (n: number) => Promise<AttackResponse>,
): Promise<[attack: T, own: AttackResponse[]]> {
  const over = new AbortController();
  const ended = attacking.finally(() => {
    over.abort();
  });
  const own: AttackResponse[] = [];
  while (!over.signal.aborted) own.push(await send(own.length));
  return [await ended, own];
}

/** The statuses of responses, as in {@link tally}, and the milliseconds of the slowest. */
export function summaryOf(responses: readonly AttackResponse[]): {
  readonly statuses: string;
  readonly slowestMs: number;
} {
  return {
    statuses: tally(responses.map(({ status }) => status)),
    slowestMs: Math.max(...responses.map(({ tookMs }) => tookMs)),
  };
}

/** The n-th change of the level of a tenant's key. */
export function changeLevel(tenant: Tenant, keyId: string, n: number): Promise<AttackResponse> {
  const headers = { "content-type": MERGE_PATCH_TYPE };
  return tenant.sendBySession("PATCH", `/api/v1/auth/keys/${keyId}`, { permissions: LEVELS[n % 2] }, headers);
}

const LEVELS = ["Admin", "Member"] as const;

/** A read of a tenant with another key than its own. */
export function readWith(key: string, tenant: Tenant, path = "/api/v1/networks"): Promise<AttackResponse> {
  return tenant.send("GET", path, undefined, { authorization: `Bearer ${key}` });
}

const MAX_ATTEMPTS = 5;

/** Creates a host with ports, and a service bound to each; retries conflicts. */
export async function createHostWithServices(
  tenant: Tenant,
  networkId: string,
  name: string,
  count: number,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const body = {
    network_id: networkId,
    name,
    ports: numbers.map((n) => ({ id: idOf(n), number: n, protocol: "Tcp" })),
    services: numbers.map((n) => ({
      name: `service ${n}`,
      service_definition: "nginx",
      bindings: [{ type: "Port", port_id: idOf(n) }],
    })),
  };
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await tenant.send("POST", "/api/v1/hosts", body);
    if (status === 200) return;
    if (status !== 409 || attempt === MAX_ATTEMPTS) throw new Error(`creating a host returned ${status}: ${text}`);
  }
}

/** Fails an attack. @throws Error with the message when the condition does not hold */
export function expectThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
