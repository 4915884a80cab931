import type { Stats } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { JournalReader } from "../journal/read.js";
import type { Entities, Entity } from "../storage/entities.js";
import { addedUp, COUNTED, type Counts } from "../storage/guards.js";
import { BY_ID, creationIndex, SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { sizesOf, spaceOf } from "../values/address-space.js";
import type { ExactStats } from "./exact.rules.js";

// Counts in the database with sequential queries, because concurrent operations per organization are limited.

const MOST = { networks: 100, listed: 20, subnets: 500, read: 100_000 };
const DAYS = 7;
const DAY_MS = 86_400_000;

type Reads = Pick<Storage, "counted" | "networks" | "subnets" | "tags" | "views">;
type Reader = Pick<JournalReader, "ends" | "firstSince" | "count">;

export interface Counting {
  readonly scope: Scope;
  /** The scope including hidden networks, since the journal has their changes. */
  readonly rights: Scope;
  readonly now: Date;
}

/** Computes the statistics of a scope. */
export async function count(storage: Reads, reader: Reader, { scope, rights, now }: Counting): Promise<ExactStats> {
  const { counted, tags, views } = storage;
  const byNetwork = await counted.byNetwork(scope);
  const inNetworks = filled([...byNetwork.values()].reduce((sum, one) => addedUp(sum, one), {}));
  // Those of the whole organization are counted by no network.
  const ofViews = await views.count(scope, {}, creationIndex(scope.networks !== "all"));
  const totals = { ...inNetworks, views: ofViews };
  return {
    at: now.toISOString(),
    totals: { networks: byNetwork.size, ...totals, tags: await tags.count(scope, {}, SMALL_COLLECTION_INDEX) },
    networks: await largest(storage, scope, byNetwork),
    categories: await counted.byCategory(scope),
    virtualization: totals.hosts + totals.services > MOST.read ? [] : await virtualization(storage, scope),
    ports: await counted.byPort(scope, MOST.listed),
    subnets: await fullest(storage, scope),
    days: await changesByDay(reader, rights, now),
  };
}

/** Bindings are part of services. */
const SHOWN = COUNTED.filter((kind) => kind !== "bindings");
type Filled = Record<(typeof SHOWN)[number], number>;

function filled(counts: Counts): Filled {
  return Object.fromEntries(SHOWN.map((kind) => [kind, Math.max(0, counts[kind] ?? 0)])) as Filled;
}

async function largest(
  { networks }: Reads,
  scope: Scope,
  byNetwork: ReadonlyMap<string, Counts>,
): Promise<Stats["networks"]> {
  const sorted = [...byNetwork].sort(([, a], [, b]) => (b.hosts ?? 0) - (a.hosts ?? 0)).slice(0, MOST.networks);
  const found = await byId(
    networks,
    scope,
    sorted.map(([id]) => id),
  );
  return sorted.flatMap(([id, counts]) => {
    const network = found.get(id);
    return network === undefined ? [] : [{ id, name: network.name, ...filled(counts) }];
  });
}

async function virtualization({ counted }: Reads, scope: Scope): Promise<Stats["virtualization"]> {
  const hosts = await counted.byVirtualization(scope, "hosts", MOST.listed);
  const services = await counted.byVirtualization(scope, "services", MOST.listed);
  const types = [...new Set([...hosts.keys(), ...services.keys()])];
  return types
    .map((type) => ({ type, hosts: hosts.get(type) ?? 0, services: services.get(type) ?? 0 }))
    .sort((a, b) => b.hosts + b.services - a.hosts - a.services)
    .slice(0, MOST.listed);
}

async function fullest({ counted, subnets }: Reads, scope: Scope): Promise<ExactStats["subnets"]> {
  const bySubnet = await counted.bySubnet(scope, MOST.subnets);
  const found = await byId(subnets, scope, [...bySubnet.keys()]);
  return [...found.values()]
    .map((subnet) => {
      const { id, network_id, name, cidr } = subnet;
      const { size } = sizesOf(spaceOf(subnet));
      return { id, network_id, name, cidr, size, used: Math.min(Number(size), bySubnet.get(id) ?? 0) };
    })
    .sort((a, b) => b.used / Number(b.size) - a.used / Number(a.size) || b.used - a.used)
    .slice(0, MOST.listed);
}

async function byId<T extends Entity>(
  { readStored, within }: Entities<T>,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  const filter = { ...within(scope), _id: { $in: ids } };
  for await (const batch of readStored(scope, { filter, hint: BY_ID }))
    for (const { entity } of batch) found.set(entity.id, entity);
  return found;
}

/** The number of retained changes for each of the last days. */
async function changesByDay(reader: Reader, scope: Scope, now: Date): Promise<Stats["days"]> {
  const { last, gone } = await reader.ends(scope);
  const today = Math.floor(now.getTime() / DAY_MS);
  const days: Stats["days"] = [];
  let first = await reader.firstSince(scope, new Date((today - DAYS + 1) * DAY_MS), { first: gone + 1, last });
  for (let day = today - DAYS + 1; day <= today; day++) {
    const next =
      day === today ? last + 1 : await reader.firstSince(scope, new Date((day + 1) * DAY_MS), { first, last });
    const changes = await reader.count(scope, { first, last: next - 1 });
    days.push({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), changes });
    first = next;
  }
  return days;
}
