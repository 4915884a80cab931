import type { ClientSession } from "mongodb";
import type { KindOnHost, PluralOf } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import { Discard } from "@nts/shared/mongo/transaction";
import type { TransactionBody } from "@nts/shared/work";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange, LockedHost } from "../storage/stores/host-locks.js";
import type { Writer } from "./writer.js";

// Hosts are found first, because a transaction starts by locking them in id order; under the locks everything is read
// again, and if a child has moved, the write starts over.

/** Conflicting attempts before the transaction takes precedence. */
const PATIENT_ATTEMPTS = 3;

/** The hosts that a transaction locks. */
export interface OnHosts extends Writer {
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

/** A child of a host. */
export type Child = Entity & { readonly host_id: string; readonly network_id: string };

/**
 * Locks the host of a new child.
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

/** The number of children of a kind. */
export function countOn({ inventory }: LockedHost, kind: PluralOf<KindOnHost>): number {
  const children = inventory[kind];
  return typeof children === "number" ? children : children.length;
}

/** Locks hosts; a single one with one command. @returns those in the scope, by id */
export async function lockHosts(
  { hosts }: Pick<Storage, "hosts">,
  tx: ClientSession,
  scope: Scope,
  changes: ReadonlyMap<string, InventoryChange>,
): Promise<ReadonlyMap<string, LockedHost>> {
  const [first, ...more] = changes;
  if (first === undefined) return new Map();
  if (more.length > 0) return hosts.lockAll(tx, scope, changes);
  const host = await hosts.lock(tx, scope, ...first);
  return new Map(host === null ? [] : [[host.id, host]]);
}

/** A child under the lock of its host. */
export interface OnHost<T> {
  readonly tx: ClientSession;
  /** The host that it is on afterwards. */
  readonly host: LockedHost;
  /** That host, and the one that it leaves. */
  readonly locked: ReadonlyMap<string, LockedHost>;
  readonly current: Stored<T>;
}

export interface UpdatingOnHost<T> extends Writer {
  readonly id: string;
  /** The target host of a move. */
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
 * @throws AppError `not_found` · `invalid_reference` at `host_id` if the target host does not exist
 */
export async function updateOnHost<T extends Child>(
  storage: Pick<Storage, "hosts" | "services" | "transaction">,
  entities: Entities<T>,
  { work, scope, id, to, read, isChecked = false, isDone = () => false }: UpdatingOnHost<T>,
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
      const locked = new Map<string, LockedHost>();
      for (const hostId of ids) {
        const change = target === from ? {} : { services: hostId === from ? -1 : 1 };
        const host = await hosts.lock(tx, scope, hostId, change);
        if (host !== null) locked.set(hostId, host);
      }
      const current = isCurrent ? present : await entities.get(scope, id, tx);
      if (current.entity.host_id !== from) throw new Discard("conflict");
      const host = locked.get(target);
      // Children of a deleted host may still be stored.
      if (!locked.has(from)) throw new AppError("not_found", { entity: entities.name });
      if (host === undefined) throw new AppError("invalid_reference", { path: "host_id" });
      const written = await write({ tx, host, locked, current }).catch((error: unknown) => {
        // What is refused upon an older state may be right upon the present one.
        if (isCurrent && error instanceof AppError) return "conflict" as const;
        throw error;
      });
      if (written === "conflict") throw new Discard("conflict");
      return written;
    });
  });
}
