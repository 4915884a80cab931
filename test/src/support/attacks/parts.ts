/** Building blocks of attacks. */
import { setTimeout as sleep } from "node:timers/promises";
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
