import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import type { Counts } from "../storage/guards.js";
import { requireRevision } from "@nts/shared/revision";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange, LockedHost } from "./store.js";

// Writes to what stands on hosts. The hosts are found first, because a transaction begins with their locks, in the
// order of their ids; under the locks everything is read again, and found elsewhere, the write begins anew.

const MOVED = Symbol("an entity moved to another host meanwhile");

type OnAHost = Entity & { readonly host_id: string; readonly network_id: string };

/** An entity under the lock of its host. */
export interface OnHost<T> {
  readonly session: ClientSession;
  readonly host: LockedHost;
  readonly current: Stored<T>;
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

/**
 * Updates an entity under the lock of its host, and, when it is to move, of the host it moves to.
 *
 * @param to the id of the host it is to be on; left out, it stays
 * @throws AppError `not_found` · `invalid_reference` at `host_id` for a host to move to that is not there
 */
export async function updateOnHost<T extends OnAHost, Result>(
  { hosts, transaction }: Pick<Storage, "hosts" | "transaction">,
  entities: Entities<T>,
  { scope, id, to }: { scope: Scope; id: string; to?: string },
  write: (on: OnHost<T>) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const from = (await entities.get(scope, id)).entity.host_id;
    const target = to ?? from;
    const ids = [...new Set([from, target])].sort();
    const result = await transaction<Result | typeof MOVED>(ids, async (session) => {
      const locked = new Map<string, LockedHost | null>();
      for (const hostId of ids) {
        const change = target === from ? {} : { services: hostId === from ? -1 : 1 };
        locked.set(hostId, await hosts.lock(session, scope, hostId, change));
      }
      const current = await entities.get(scope, id, session);
      if (current.entity.host_id !== from) throw new Discard(MOVED);
      const host = locked.get(target) ?? null;
      if (host === null) throw new AppError("invalid_reference", { path: "host_id" });
      return write({ session, host, current });
    });
    if (result !== MOVED) return result;
  }
}

export interface Removal<T> {
  readonly scope: Scope;
  readonly ids: readonly string[];
  readonly ifMatch: readonly string[] | null;
  /** What the removal of these ids takes from the inventory of their host. */
  readonly change: (ids: readonly string[]) => InventoryChange;
  /** What goes with them, after they are gone; tells what the network has more (or less) by then. */
  readonly also: (on: {
    session: ClientSession;
    host: LockedHost;
    removed: readonly Stored<T>[];
    now: Date;
  }) => Promise<Counts>;
}

/**
 * Removes entities from their hosts: all of them or none.
 *
 * @throws AppError `not_found` when one of them is not there · `precondition_failed`
 */
export async function removeFromHosts<T extends OnAHost>(
  { guards, hosts, transaction }: Pick<Storage, "guards" | "hosts" | "transaction">,
  entities: Entities<T>,
  { scope, ids, ifMatch, change, also }: Removal<T>,
): Promise<void> {
  for (;;) {
    const onHosts = await idsByHost(entities, scope, ids);
    const result = await transaction<typeof MOVED | null>([...onHosts.keys()], async (session) => {
      for (const [hostId, mine] of onHosts) {
        const host = await hosts.lock(session, scope, hostId, change(mine));
        const removed = await entities.findMany(scope, { _id: { $in: mine }, host_id: hostId }, session);
        if (host === null || removed.length !== mine.length) throw new Discard(MOVED);
        for (const { revision } of removed) requireRevision(ifMatch, revision);
        await entities.remove(session, scope, { _id: { $in: mine } });
        await guards.count(session, scope, host.network_id, await also({ session, host, removed, now: new Date() }));
      }
      return null;
    });
    if (result !== MOVED) return;
  }
}

/** The ids on each host, hosts in the order of their ids. @throws AppError `not_found` */
async function idsByHost<T extends OnAHost>(
  entities: Entities<T>,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const filter = { ...entities.within(scope), _id: { $in: ids } };
  const found = await entities.collection
    .find(filter, { projection: { host_id: 1 } })
    .sort({ host_id: 1, _id: 1 })
    .toArray();
  if (found.length !== ids.length) throw new AppError("not_found", { entity: entities.name });
  const byHost = new Map<string, string[]>();
  for (const { _id, host_id } of found) byHost.set(String(host_id), [...(byHost.get(String(host_id)) ?? []), _id]);
  return byHost;
}
