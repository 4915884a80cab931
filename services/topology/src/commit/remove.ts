import type { ClientSession } from "mongodb";
import { type KindOnHost, pluralOf, type PluralOf } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import { Discard } from "@nts/shared/mongo/transaction";
import { requireRevision } from "@nts/shared/revision";
import { afterCommit } from "@nts/shared/work";
import type { EntityIn, KindInNetworkAlone } from "../kinds/index.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { LINK_VLANS_INDEX, SUBNET_VLAN_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange } from "../storage/stores/host-locks.js";
import { unbound } from "./bindings.js";
import type { Changes } from "./changes.rules.js";
import { type Child, lockHosts, transactionOnHosts } from "./on-hosts.js";
import { closingGaps } from "./positions.js";
import { store } from "./store.js";
import type { Removing } from "./writer.js";

// Deletions that fit in one transaction, with a number of commands independent of the number of entities. Networks, hosts and
// tags are deleted with all that is in them, see `deletions`.

/** Deletes unused subnets. @throws AppError `not_found` · `precondition_failed` · `in_use` */
export async function commitSubnetRemoval(storage: Storage, removing: Removing): Promise<void> {
  const { addresses, interfaces, subnets } = storage;
  const { work, scope, ids } = removing;
  await commitRemoval(storage, "Subnet", removing, async (tx) => {
    // Who adds an interface meanwhile conflicts on the guards.
    if (await interfaces.useAny(tx, scope, ids)) throw new AppError("in_use", { entity: subnets.name });
  });
  await afterCommit(work, () => addresses.forget(scope, ids));
}

/** Deletes unused VLANs. @throws AppError `not_found` · `precondition_failed` · `in_use` */
export async function commitVlanRemoval(storage: Storage, removing: Removing): Promise<void> {
  const { links, subnets, vlans } = storage;
  const { scope, ids } = removing;
  await commitRemoval(storage, "Vlan", removing, async (tx) => {
    const most = { most: 1 };
    const used =
      (await subnets.countIn(tx, scope, { vlan_id: { $in: [...ids] } }, { ...most, hint: SUBNET_VLAN_INDEX })) ||
      (await links.countIn(tx, scope, { vlan_id: { $in: [...ids] } }, { ...most, hint: LINK_VLANS_INDEX }));
    if (used > 0) throw new AppError("in_use", { entity: vlans.name });
  });
}

/**
 * Deletes entities that are in a network and on no host.
 *
 * @param requireUnused throws if something refers to them, or they may not be deleted; by default nothing does
 * @throws AppError `not_found` · `precondition_failed`
 */
export async function commitRemoval<Name extends KindInNetworkAlone>(
  storage: Storage,
  name: Name,
  { work, scope, ids, precondition }: Removing,
  requireUnused: (tx: ClientSession, found: readonly EntityIn<PluralOf<Name>>[]) => Promise<void> = () =>
    Promise.resolve(),
): Promise<void> {
  const plural = pluralOf(name);
  const entities = storage[plural] as unknown as Entities<EntityIn<PluralOf<Name>> & Entity>;
  await storage.transaction(work, ids, async (tx) => {
    const found = await entities.findMany(scope, { _id: { $in: ids } }, tx);
    if (found.length !== ids.length) throw new AppError("not_found", { entity: name });
    for (const { revision } of found) requireRevision(precondition, revision);
    await requireUnused(
      tx,
      found.map(({ entity }) => entity),
    );
    const removed = { [plural]: { removed: found.map(({ entity }) => entity) } } as unknown as Changes;
    await store(storage, tx, scope, { changes: removed });
  });
}

/**
 * Deletes children of hosts, with the bindings to them; the lists of their hosts close up.
 *
 * @throws AppError `not_found` if one does not exist · `precondition_failed` · `too_many_changes`
 */
export async function commitRemovalFromHosts(
  storage: Storage,
  name: KindOnHost,
  { work, scope, ids, precondition }: Removing,
): Promise<void> {
  const entities = storage[pluralOf(name)] as unknown as Entities<Child>;
  await retryConflicts(work, async () => {
    const onHosts = await idsByHost(entities, scope, ids);
    const on = { work, scope, hostIds: [...onHosts.keys()] };
    return transactionOnHosts<"conflict" | null>(storage, on, async (tx) => {
      const locked = await lockHosts(storage, tx, scope, leaving(pluralOf(name), onHosts));
      const found = await entities.findMany(scope, { _id: { $in: ids } }, tx);
      const isWhereItWas = ({ entity: { id, host_id } }: Stored<Child>): boolean =>
        onHosts.get(host_id)?.has(id) === true;
      if (found.length !== ids.length || !found.every(isWhereItWas)) throw new Discard("conflict");
      if (locked.size !== onHosts.size) throw new AppError("not_found", { entity: entities.name });
      for (const { revision } of found) requireRevision(precondition, revision);
      const touched = [...locked.values()].map(({ network_id }) => ({ target: network_id, kind: "network" as const }));
      // Long transactions write shared documents first, to not be interrupted at the end.
      if (locked.size > 1) await storage.guards.reference(tx, scope, touched);
      const removed = { [pluralOf(name)]: { removed: found.map(({ entity }) => entity) } } as Changes;
      const changes = await withConsequences(storage, tx, scope, removed);
      await store(storage, tx, scope, { changes, hosts: locked });
      return null;
    });
  });
}

/** Adds what follows from deleted children: services lose the bindings to them, and others move up. */
export async function withConsequences(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { ports, interfaces, services }: Changes,
): Promise<Changes> {
  const now = new Date();
  const targets = [...(ports?.removed ?? []), ...(interfaces?.removed ?? [])].map(({ id }) => id);
  return {
    ports: { removed: ports?.removed ?? [] },
    interfaces: {
      removed: interfaces?.removed ?? [],
      changed: await closingGaps(storage.interfaces, tx, scope, { leaving: interfaces?.removed ?? [], now }),
    },
    services: {
      removed: services?.removed ?? [],
      changed: [
        ...(targets.length === 0 ? [] : await unbound(storage, tx, scope, { targets, now })),
        ...(await closingGaps(storage.services, tx, scope, { leaving: services?.removed ?? [], now })),
      ],
    },
  };
}

/** What hosts lose by the deletion of children. */
function leaving(
  kind: PluralOf<KindOnHost>,
  onHosts: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, InventoryChange> {
  return new Map(
    [...onHosts].map(([hostId, mine]) => [
      hostId,
      kind === "services" ? { services: -mine.size } : { remove: { [kind]: [...mine] } },
    ]),
  );
}

/** The ids on each host. @throws AppError `not_found` */
async function idsByHost(
  entities: Entities<Child>,
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
