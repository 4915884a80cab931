import type { Document } from "mongodb";
import type { HostRecord, Interface } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import { DEADLINES } from "@nts/shared/timing";
import { parseAddress } from "../values/addresses.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { BY_ID, HOST_ORDER_INDEX, type IndexKey, IP_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import type { Target } from "./apply.js";
import type { Covered } from "./file-coverage.js";
import { type Missed, missedOf, mayBeMissed } from "./sightings.rules.js";
import type { Remote } from "./thread.js";

// What a file covers but does not contain: interfaces at addresses without findings, and hosts of which all interfaces
// are missing. Read by index in batches.

/** Interfaces per batch. */
const BATCH = 500;

export interface Looking {
  readonly storage: Storage;
  readonly session: Remote;
  readonly target: Target;
  readonly isDry: boolean;
  /** Arrival of the file, in milliseconds. */
  readonly atMs: number;
}

/**
 * Yields what a file misses in batches, and records it unless nothing is to be written.
 *
 * @param found ids of the hosts in the file
 */
export async function* missingIn(
  looking: Looking,
  covered: Covered,
  found: ReadonlySet<string>,
): AsyncGenerator<readonly Missed[]> {
  /** Hosts that need no further check. */
  const known = new Set(found);
  for await (const some of coveredInterfaces(looking, covered)) {
    const { absent: interfaces } = await judged(looking, some);
    if (interfaces.length === 0) continue;
    const hostIds = [...new Set(interfaces.map(({ entity }) => entity.host_id))].filter((id) => !known.has(id));
    for (const id of hostIds) known.add(id);
    const hosts = await absentHosts(looking, hostIds);
    const missed = [
      ...hosts.map((one) => missedOf("hosts", one, one.entity.id, one.entity.name)),
      ...interfaces.map((one) => missedOf("interfaces", one, one.entity.host_id, one.entity.ip_address)),
    ];
    await noteMissed(looking, missed);
    yield missed;
  }
}

/** Records newly missed entities. */
export async function noteMissed({ storage, target, isDry, atMs }: Looking, missed: readonly Missed[]): Promise<void> {
  if (isDry) return;
  const byKind = new Map<Missed["kind"], string[]>();
  for (const { kind, id, since } of missed) if (since === null) putUnder(byKind, kind, id);
  for (const [kind, ids] of byKind)
    await storage.sightings.miss(target.scope, kind, ids, { atMs, author: target.work.author });
}

/** Interfaces at covered addresses, and others in between. */
async function* coveredInterfaces(
  looking: Looking,
  { addresses, absentBatches }: Covered,
): AsyncGenerator<readonly Stored<Interface>[]> {
  const first = addresses[0];
  const last = addresses.at(-1);
  if (first !== undefined && last !== undefined)
    yield* stored(looking, looking.storage.interfaces, { ip_key: { $gte: first.from, $lte: last.to } }, IP_INDEX);
  for (let batch = 0; batch < absentBatches; batch++) {
    const { ipAddresses } = await looking.session.absentIdentities(batch);
    const keys = ipAddresses.map((ip) => parseAddress(ip).key);
    yield* stored(looking, looking.storage.interfaces, { ip_key: { $in: keys } }, IP_INDEX);
  }
}

/** Interfaces at which the file found nothing and nobody else did since; and hosts that keep other interfaces. */
async function judged(
  { session, atMs }: Looking,
  interfaces: readonly Stored<Interface>[],
): Promise<{ readonly absent: Stored<Interface>[]; readonly others: Stored<Interface>[] }> {
  const identities = interfaces.map(({ entity }) => ({
    id: entity.id,
    ip: entity.ip_address,
    mac: entity.mac_address,
  }));
  const presence = await session.presenceOf(identities);
  const isAbsent = (one: Stored<Interface>, at: number): boolean => presence[at] === "absent" && mayBeMissed(one, atMs);
  return {
    absent: interfaces.filter(isAbsent),
    others: interfaces.filter((one, at) => presence[at] !== "lost" && !isAbsent(one, at)),
  };
}

/** Hosts all of whose interfaces are missed. */
async function absentHosts(looking: Looking, ids: readonly string[]): Promise<Stored<HostRecord>[]> {
  const { interfaces, hosts } = looking.storage;
  const present = new Set<string>();
  for await (const some of stored(looking, interfaces, { host_id: { $in: ids } }, HOST_ORDER_INDEX)) {
    const { others } = await judged(looking, some);
    for (const { entity, sighting } of others)
      if ((sighting?.missed_since ?? null) === null) present.add(entity.host_id);
  }
  const gone = ids.filter((id) => !present.has(id));
  const found: Stored<HostRecord>[] = [];
  for await (const some of stored(looking, hosts, { _id: { $in: gone } }, BY_ID)) found.push(...some);
  return found.filter((one) => mayBeMissed(one, looking.atMs));
}

function stored<T extends Entity>(
  { target: { scope } }: Looking,
  { readStored, within }: Pick<Entities<T>, "readStored" | "within">,
  condition: Document,
  hint: IndexKey,
): AsyncGenerator<readonly Stored<T>[]> {
  const filter = { ...within(scope), $and: [condition] };
  return readStored(scope, { filter, hint, mostRows: BATCH, maxTimeMS: DEADLINES.streamMs });
}
