/**
 * Writers of the services of one host through two instances, with and without transactions, while services are created
 * and deleted, and readers watch the host. Returns all inconsistencies.
 */
import { deleteService, getHost, getService, updateService } from "@nts/shared/contract";
import { violationsIn } from "./invariants.js";
import type { Caller, Topology } from "./topology.js";
import { aHost, aNetwork, aService, echoOf, onPort } from "./topology-world.js";

const SERVICES = 4;
const WRITERS = 6;
const TEMPORARY_SERVICES = 6;

/** @param updates of each writer */
export async function writeOneHost(topology: Topology, updates: number): Promise<string[]> {
  const world = await aNetwork(topology.aCaller());
  const host = await aHost(world, { ports: 2, services: SERVICES });
  const sides = [world.owner, world.owner.via(1)] as const;
  const faults: string[] = [];
  const acknowledged = new Map<string, number[]>(host.services.map(({ id }) => [id, []]));
  let isWriting = true;

  /** Every update gives the service a new name; only some change the bindings as well. */
  const writer = async (own: number): Promise<void> => {
    const caller = sides[own % 2]!;
    for (let n = 0; n < updates; n++) {
      const service = host.services[(own + n * 3) % SERVICES]!;
      const bindings = [onPort(host.ports[Math.floor(n / 4) % 2])];
      const body = { ...echoOf(service), name: `${own} ${n}`, bindings };
      const { status, etag, text } = await caller.send(updateService, { params: service, body });
      if (status === 200) acknowledged.get(service.id)?.push(Number(etag?.slice(1, -1)));
      else faults.push(`an update was answered ${text}`);
    }
  };

  /** Services that are added after the others, changed, and deleted again. */
  const useTemporaryServices = async (): Promise<void> => {
    for (let n = 0; n < TEMPORARY_SERVICES; n++) {
      const guest = await aService({ owner: sides[n % 2]! }, host, { name: `guest ${n}` });
      await sides[0].call(updateService, { params: guest, body: { ...echoOf(guest), name: `guest ${n}, renamed` } });
      await sides[1].call(deleteService, { params: guest });
    }
  };

  const reader = async (caller: Caller): Promise<void> => {
    while (isWriting) {
      const { etag = "", text } = await caller.send(getHost, { params: host });
      const before = seen.get(etag) ?? text;
      if (before !== text) faults.push(`the ETag ${etag} of the host stood for two states`);
      seen.set(etag, before);
    }
  };

  const seen = new Map<string, string>();
  const writers = Promise.all([...Array.from({ length: WRITERS }, (_, own) => writer(own)), useTemporaryServices()]);
  const readers = Promise.all(sides.map(reader));
  await writers.finally(() => (isWriting = false));
  await readers;

  for (const { id } of host.services) faults.push(...(await lostUpdates(world.owner, id, acknowledged.get(id) ?? [])));
  return [...faults, ...(await violationsIn(topology.db))];
}

/** Each acknowledged update increments the revision by one, without duplicates. */
async function lostUpdates(owner: Caller, id: string, acknowledged: readonly number[]): Promise<string[]> {
  const { etag } = await owner.send(getService, { params: { id } });
  const recorded = [...acknowledged].sort((a, b) => a - b);
  const expected = recorded.map((_, n) => n + 2);
  const isWhole = JSON.stringify(recorded) === JSON.stringify(expected) && etag === `"${recorded.length + 1}"`;
  return isWhole
    ? []
    : [`the service is at ${etag ?? ""}; ${recorded.length} updates were acknowledged with ${recorded.join(", ")}`];
}
