import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { TransactionBody, Work } from "@nts/shared/work";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import type { Counts, Reference } from "../storage/guards.js";
import { type Precondition, requireRevision } from "@nts/shared/revision";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange, LockedHost } from "../storage/stores/host-locks.js";

// Writes to children of hosts. Hosts are found first, because a transaction starts by locking them in id order; under
// the locks everything is read again, and if a child has moved, the write starts over.

/** Conflicting attempts before the transaction takes precedence. */
const PATIENT_ATTEMPTS = 3;

/** The hosts that a transaction locks. */
export interface OnHosts {
  readonly work: Work;
  readonly scope: Scope;
  readonly hostIds: readonly string[];
  /** Its further write keys. */
  readonly keys?: readonly string[];
}

/**
 * Runs a transaction on many hosts. Writers of single hosts could make it conflict again and again, so after some
 * attempts it blocks them.
 */
export function transactionOnHosts<T>(
  { hosts, services, transaction }: Pick<Storage, "hosts" | "services" | "transaction">,
  { work, scope, hostIds, keys = [] }: OnHosts,
  body: TransactionBody<T>,
): Promise<T> {
  return hosts.reserved.during({ work, scope, hostIds }, (reserving) =>
    transaction(work, [...keys, ...hostIds], async (tx, attempt = 0) => {
      if (attempt < PATIENT_ATTEMPTS || work.unit?.isDry === true) return body(tx, attempt);
      await services.claim(scope, hostIds);
      return hostIds.length > 1 ? reserving(tx, () => body(tx, attempt)) : body(tx, attempt);
    }),
  );
}

type OnAHost = Entity & { readonly host_id: string; readonly network_id: string };

/** An entity under the lock of its host. */
export interface OnHost<T> {
  readonly tx: ClientSession;
  readonly host: LockedHost;
  readonly current: Stored<T>;
}

/**
 * Locks the host of a new entity.
 *
 * @throws AppError `invalid_reference` at `host_id` · `network_mismatch` if the host is in another network
 */
export async function lockHostFor(
  { hosts }: Pick<Storage, "hosts">,
  tx: ClientSession,
  scope: Scope,
  { hostId, networkId, change }: { hostId: string; networkId: string; change: InventoryChange },
): Promise<LockedHost> {
  const host = await hosts.lock(tx, scope, hostId, change);
  if (host === null) throw new AppError("invalid_reference", { path: "host_id" });
  if (host.network_id !== networkId) throw new AppError("network_mismatch", { path: "network_id" });
  return host;
}

export interface Updating<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly id: string;
  readonly to?: string;
  /** The entity as recently read, if available. */
  readonly read?: Stored<T>;
  /** The write itself verifies that `read` is still the stored state, so it is not read again under the lock. */
  readonly isChecked?: boolean;
  /** Whether the update changes nothing of a state: then there is no transaction to undo. */
  readonly isDone?: (current: Stored<T>) => boolean;
}

/**
 * Updates an entity under the lock of its host and, for a move, of the target host.
 *
 * @param to id of the target host; absent to stay
 * @throws AppError `not_found` · `invalid_reference` at `host_id` if the target host does not exist
 */
export async function updateOnHost<T extends OnAHost>(
  storage: Pick<Storage, "hosts" | "services" | "transaction">,
  entities: Entities<T>,
  { work, scope, id, to, read, isChecked = false, isDone = () => false }: Updating<T>,
  write: (on: OnHost<T>) => Promise<Stored<T> | "conflict">,
): Promise<Stored<T>> {
  const { hosts } = storage;
  let known = read;
  return retryConflicts(work, async () => {
    const present = known ?? (await entities.get(scope, id));
    const isCurrent = known !== undefined && isChecked;
    known = undefined;
    if (isDone(present)) return present;
    const from = present.entity.host_id;
    const target = to ?? from;
    const ids = [...new Set([from, target])].sort();
    const on = { work, scope, hostIds: ids };
    return transactionOnHosts<Stored<T> | "conflict">(storage, on, async (tx) => {
      const locked = new Map<string, LockedHost | null>();
      for (const hostId of ids) {
        const change = target === from ? {} : { services: hostId === from ? -1 : 1 };
        locked.set(hostId, await hosts.lock(tx, scope, hostId, change));
      }
      const current = isCurrent ? present : await entities.get(scope, id, tx);
      if (current.entity.host_id !== from) throw new Discard("conflict");
      const host = locked.get(target) ?? null;
      // Children of a deleted host may still be stored.
      if (locked.get(from) === null) throw new AppError("not_found", { entity: entities.name });
      if (host === null) throw new AppError("invalid_reference", { path: "host_id" });
      const written = await write({ tx, host, current }).catch((error: unknown) => {
        // What is refused upon an older state may be right upon the present one.
        if (isCurrent && error instanceof AppError) return "conflict" as const;
        throw error;
      });
      if (written === "conflict") throw new Discard("conflict");
      return written;
    });
  });
}

/** Entities being deleted from their locked hosts. */
export interface Removing<T> {
  readonly tx: ClientSession;
  readonly hosts: ReadonlyMap<string, LockedHost>;
  readonly removed: readonly Stored<T>[];
  readonly now: Date;
}

export interface Removal<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly ids: readonly string[];
  readonly precondition: Precondition | null;
  /** The side effects of deleting these ids on their host. */
  readonly change: (ids: readonly string[]) => InventoryChange;
  /** What is deleted with them; returns the change of the networks' counters. */
  readonly also: (removing: Removing<T>) => Promise<readonly Reference[]>;
}

/**
 * Deletes entities atomically, with a number of commands independent of their number.
 *
 * @throws AppError `not_found` if one does not exist · `precondition_failed`
 */
export async function removeFromHosts<T extends OnAHost>(
  storage: Pick<Storage, "guards" | "hosts" | "services" | "transaction">,
  entities: Entities<T>,
  { work, scope, ids, precondition, change, also }: Removal<T>,
): Promise<void> {
  const { guards, hosts } = storage;
  await retryConflicts(work, async () => {
    const onHosts = await idsByHost(entities, scope, ids);
    const on = { work, scope, hostIds: [...onHosts.keys()] };
    return transactionOnHosts<"conflict" | null>(storage, on, async (tx) => {
      const changes = new Map([...onHosts].map(([hostId, mine]) => [hostId, change([...mine])]));
      const locked = await lockEach(hosts, tx, scope, changes);
      const removed = await entities.findMany(scope, { _id: { $in: ids } }, tx);
      const isWhereItWas = ({ entity: { id, host_id } }: Stored<T>): boolean => onHosts.get(host_id)?.has(id) === true;
      if (removed.length !== ids.length || !removed.every(isWhereItWas)) throw new Discard("conflict");
      if (locked.size !== onHosts.size) throw new AppError("not_found", { entity: entities.name });
      for (const { revision } of removed) requireRevision(precondition, revision);
      const touched = [...locked.values()].map(({ network_id }) => ({ target: network_id, kind: "network" as const }));
      // Long transactions write shared documents first, to not be interrupted at the end.
      if (locked.size > 1) await guards.reference(tx, scope, touched);
      await entities.remove(tx, scope, { _id: { $in: ids } });
      await guards.reference(tx, scope, await also({ tx, hosts: locked, removed, now: new Date() }));
      return null;
    });
  });
}

/** Counter changes of networks, by the entities that cause them. */
export function countsOf<T extends { readonly network_id: string }>(
  entities: readonly T[],
  counts: (entity: T) => Counts,
): Reference[] {
  return entities.map((entity) => ({ target: entity.network_id, kind: "network", counts: counts(entity) }));
}

async function lockEach(
  hosts: Storage["hosts"],
  tx: ClientSession,
  scope: Scope,
  changes: ReadonlyMap<string, InventoryChange>,
): Promise<ReadonlyMap<string, LockedHost>> {
  const [first, ...more] = changes;
  if (first === undefined || more.length > 0) return hosts.lockAll(tx, scope, changes);
  const host = await hosts.lock(tx, scope, ...first);
  return new Map(host === null ? [] : [[host.id, host]]);
}

/** The ids on each host. @throws AppError `not_found` */
async function idsByHost<T extends OnAHost>(
  entities: Entities<T>,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = await entities.select(scope, { _id: { $in: ids } }, { projection: { host_id: 1 } });
  if (found.length !== ids.length) throw new AppError("not_found", { entity: entities.name });
  const byHost = new Map<string, Set<string>>();
  for (const { _id, host_id } of found) {
    const mine = byHost.get(String(host_id)) ?? new Set();
    byHost.set(String(host_id), mine.add(_id));
  }
  return byHost;
}
