import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange, LockedHost } from "./store.js";

// Writes to what stands on a host. The host is found first, because a transaction begins with its lock; under the lock
// everything is read again.

const MOVED = Symbol("the entity moved to another host meanwhile");

/** An entity under the lock of its host. */
export interface OnHost<T> {
  readonly session: ClientSession;
  readonly host: LockedHost;
  readonly current: Stored<T>;
}

/**
 * Runs a write to an existing entity under the lock of its host, and, when it is to move, of the host it moves to.
 *
 * @param to the id of the host it moves to; itself when it stays
 * @throws AppError `not_found` · `invalid_reference` at `host_id` for a host to move to that is not there
 */
export async function onHostOf<T extends Entity & { host_id: string }, Result>(
  { hosts, transaction }: Pick<Storage, "hosts" | "transaction">,
  entities: Entities<T>,
  { scope, id, to, change }: { scope: Scope; id: string; to?: string; change?: InventoryChange },
  write: (on: OnHost<T>) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const from = (await entities.get(scope, id)).entity.host_id;
    const target = to ?? from;
    const ids = [...new Set([from, target])].sort();
    const result = await transaction<Result | typeof MOVED>(ids, async (session) => {
      const locked = new Map<string, LockedHost | null>();
      for (const hostId of ids) {
        const changed = target === from ? (change ?? {}) : ({ services: hostId === from ? -1 : 1 } as const);
        locked.set(hostId, await hosts.lock(session, scope, hostId, changed));
      }
      const current = await entities.get(scope, id, session);
      if (current.entity.host_id !== from) throw new Discard(MOVED);
      const host = locked.get(target);
      if (host === null || host === undefined) throw new AppError("invalid_reference", { path: "host_id" });
      return write({ session, host, current });
    });
    if (result !== MOVED) return result;
  }
}

/**
 * Locks the host that a new entity names.
 *
 * @throws AppError `invalid_reference` at `host_id` · `network_mismatch` when the host is of another network
 */
export async function lockHostFor(
  { hosts }: Pick<Storage, "hosts">,
  session: ClientSession,
  scope: Scope,
  { hostId, networkId, change }: { hostId: string; networkId: string; change: InventoryChange },
): Promise<LockedHost> {
  const host = await hosts.lock(session, scope, hostId, change);
  if (host === null) throw new AppError("invalid_reference", { path: "host_id" });
  if (host.network_id !== networkId) throw new AppError("network_mismatch", { path: "network_id" });
  return host;
}
