import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { afterCommit } from "@nts/shared/work";
import { recorderOf } from "@nts/shared/writes/recorder";
import type { Removing } from "../commit/writer.js";
import { BETWEEN_HOSTS, ON_HOSTS } from "../kinds/index.js";
import { AT_ONCE } from "../storage/deletion-records.js";
import { addedUp, type Counts, type Reference } from "../storage/guards.js";
import { ON_HOST_INDEXES } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { requireHostRevision } from "../commit/host-revision.js";
import { transactionOnHosts } from "../commit/on-hosts.js";

/**
 * Deletes hosts with their children atomically. Large amounts are hidden at once and swept later.
 *
 * @param verify called when they are locked
 * @throws AppError `not_found` · `precondition_failed`
 */
export async function deleteHosts(
  storage: Storage,
  { work, scope, ids, precondition, verify }: Removing & { readonly verify?: (tx: ClientSession) => Promise<void> },
): Promise<void> {
  const { bindings, deletions, guards, hosts } = storage;
  const isHidden = await transactionOnHosts(storage, { work, scope, hostIds: ids }, async (tx) => {
    if (precondition !== null)
      for (const host of await hosts.findMany(scope, { _id: { $in: ids } }, tx))
        await requireHostRevision(storage, tx, scope, { host, precondition });
    const taken = await hosts.take(tx, scope, ids);
    if (taken.length !== ids.length) throw new AppError("not_found", { entity: hosts.name });
    await verify?.(tx);
    // A long transaction writes what it shares with others first, so that it is not interrupted at its end.
    if (ids.length > 1)
      await guards.reference(
        tx,
        scope,
        taken.map(({ network_id: target }) => ({ target, kind: "network" })),
      );
    await hosts.remove(tx, scope, { _id: { $in: ids } });
    const withServices = taken.flatMap(({ id, services }) => (services > 0 ? id : []));
    const bound = await bindings.countOn(tx, scope, withServices);
    const gone = taken.map(({ id, network_id, interfaces, ports, services }) => ({
      target: network_id,
      kind: "network" as const,
      counts: lessOf({ hosts: 1, interfaces, ports, services, bindings: bound.get(id) ?? 0 }),
    }));
    const all = [...gone, ...(await connectionsOf(storage, tx, scope, ids))];
    await guards.reference(tx, scope, all);
    const counts = sumOf(all);
    const isLarge = sizeOf(counts) > AT_ONCE;
    if (isLarge) {
      await deletions.hide(tx, scope.organizationId, "hosts", ids);
      for (const [kind, count] of Object.entries(counts)) if (kind !== "hosts") recorderOf(tx)?.count(kind, -count);
    } else {
      const there = ON_HOSTS.filter((kind) => (counts[kind] ?? 0) !== 0);
      for (const kind of there) await storage[kind].remove(tx, scope, { host_id: { $in: [...ids] } });
    }
    return isLarge;
  });
  if (isHidden) await afterCommit(work, deletions.known);
}

/** How many links and dependencies networks lose: those that hosts are at either end of. */
async function connectionsOf(
  storage: Storage,
  tx: ClientSession,
  { organizationId }: Scope,
  hostIds: readonly string[],
): Promise<Gone[]> {
  // By this field only, so that they are counted from the index; a list of two hosts is one document.
  const on = { organization_id: organizationId, host_id: { $in: [...hostIds] } };
  const counted = { $group: { _id: "$network_id", count: { $sum: 1 } } };
  const gone: Gone[] = [];
  for (const kind of BETWEEN_HOSTS) {
    const options = { session: tx, hint: ON_HOST_INDEXES[kind] };
    const { collection } = storage[kind];
    const found = await collection
      .aggregate<{ _id: string; count: number }>([{ $match: on }, counted], options)
      .toArray();
    for (const { _id, count } of found) gone.push({ target: _id, kind: "network", counts: { [kind]: -count } });
  }
  return gone;
}

/** What a network loses. */
interface Gone extends Reference {
  readonly counts: Counts;
}

function sumOf(gone: readonly { readonly counts: Counts }[]): Counts {
  return gone.reduce<Counts>((sum, { counts }) => addedUp(sum, counts), {});
}

function lessOf(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, -count]));
}

function sizeOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + Math.abs(count), 0);
}
