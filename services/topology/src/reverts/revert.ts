import type { ClientSession } from "mongodb";
import type { Binding, Link, Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { afterCommit, type Work } from "@nts/shared/work";
import { COLLECTIONS } from "../journal/entries.rules.js";
import type { Notices } from "../deletions/notices.js";
import { type ChangesOf, idsOf } from "../commit/changes.rules.js";
import { transactionOnHosts } from "../commit/on-hosts.js";
import type { Unfound } from "../commit/dependencies.js";
import { inventoriesOf, store } from "../commit/store.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Storage } from "../storage/storage.js";
import { type Ends, namedBy } from "../values/ends.rules.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { type Conflict, conflictOf, refuse } from "./conflict.rules.js";
import { dependents, inTheWay } from "./conflicts.js";
import { changesOfHosts, lockHosts, missingHosts } from "./hosts.js";
import { type Planned, plan, revisionIn } from "./planned.js";
import type { Undo } from "./undo.rules.js";

// Reverts a request in one transaction.

export interface Reverting {
  readonly work: Work;
  readonly scope: Scope;
  readonly undos: readonly Undo[];
}

export interface Reverted {
  readonly restored: number;
  readonly updated: number;
  readonly removed: number;
}

/** @throws AppError `revert_conflict` · `too_many_changes`, and the errors of the individual writes */
export async function revert(storage: Storage, notices: Notices, { work, scope, undos }: Reverting): Promise<Reverted> {
  const changes = changesOfHosts(undos);
  const hostIds = [...changes.keys()].sort();
  const planned = await refusingDuplicates(() =>
    transactionOnHosts(storage, { work, scope, hostIds }, async (tx) => {
      const restoring = undos.filter(({ after }) => after === null);
      await refuseUnfinished(storage, tx, scope, restoring);
      const hosts = await lockHosts(storage, tx, scope, changes);
      const { planned, conflicts } = await plan(storage, tx, scope, undos);
      refuse([...conflicts, ...missingHosts(hostIds, hosts, undos)]);
      requireFits(planned, hosts);
      const storing = {
        ...{ changes: planned, hosts, more: revisionIn(planned), refuse: refuseMissing },
        areDependenciesDecided: true,
      };
      await store(storage, tx, scope, storing);
      refuse([...(await dependents(storage, tx, scope, planned)), ...(await inTheWay(storage, tx, scope, planned))]);
      return planned;
    }),
  );
  await afterCommit(work, async () => {
    for (const { id } of planned.networks.removed) notices.networkDeleted(scope.organizationId, id);
    for (const { id } of planned.tags.removed) notices.tagDeleted(scope.organizationId, id);
    for (const { id } of planned.views.removed) notices.viewDeleted(scope.organizationId, id);
    if (planned.subnets.removed.length > 0) await storage.addresses.forget(scope, idsOf(planned.subnets.removed));
  });
  const count = (of: keyof ChangesOf<unknown>): number =>
    COLLECTIONS.reduce((sum, kind) => sum + planned[kind][of].length, 0);
  return { restored: count("created"), updated: count("changed"), removed: count("removed") };
}

/** Entities that a sweep is still deleting cannot be restored: they would be deleted again. */
async function refuseUnfinished(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  restoring: readonly Undo[],
): Promise<void> {
  if (restoring.length === 0) return;
  const places = restoring.filter(({ kind }) => ["networks", "hosts", "tags"].includes(kind));
  const parentsOf = ({ kind, before }: Undo): string[] => [
    ...[before?.network_id, before?.host_id].flatMap((id) => id ?? []),
    ...(kind === "dependencies" && before !== null ? namedBy(before as unknown as Ends).host_id : []),
    ...(kind === "links" && before !== null ? (before as unknown as Link).ends.map(({ host_id }) => host_id) : []),
  ];
  const parents = restoring.flatMap(parentsOf);
  const ids = [...new Set([...places.map(({ id }) => id), ...parents])];
  const unfinished = new Set(await storage.deletions.unfinished(tx, scope.organizationId, ids));
  const isReserved = (undo: Undo): boolean => [undo.id, ...parentsOf(undo)].some((one) => unfinished.has(one));
  refuse(restoring.filter(isReserved).map(({ kind, id }) => conflictOf(kind, id, "being_deleted")));
}

/** Checks that services are only bound to what is there, and that no interface would get another MAC address. */
function requireFits(planned: Planned, locked: ReadonlyMap<string, LockedHost>): void {
  const { interfaces, services } = planned;
  for (const { before, after } of interfaces.changed)
    nextMacAddress(before.entity.mac_address, after.entity.mac_address ?? "");
  refuse(unboundTargets(planned, locked, [...services.created, ...services.changed.map(({ after }) => after.entity)]));
}

/** Each missing target once. */
function refuseMissing(missing: readonly Unfound[]): void {
  const kinds = new Map(missing.map(({ target, kind }) => [target, kind]));
  refuse([...kinds].map(([id, kind]) => conflictOf(`${kind}s`, id, "deleted")));
}

/** Missing ports and interfaces that bindings would reference. */
function unboundTargets(
  planned: Planned,
  locked: ReadonlyMap<string, LockedHost>,
  services: readonly Service[],
): Conflict[] {
  const inventory = inventoriesOf(planned);
  const there = new Map<string, ReadonlySet<string>>();
  for (const hostId of new Set(services.map(({ host_id }) => host_id))) {
    const { ports, interfaces } = locked.get(hostId)?.inventory ?? inventory(hostId);
    there.set(hostId, new Set([...ports, ...interfaces]));
  }
  return services.flatMap(({ host_id, bindings }) => {
    const missing = bindings.flatMap(targetsOf).filter(([, id]) => there.get(host_id)?.has(id) !== true);
    return missing.map(([kind, id]) => conflictOf(kind, id, "deleted"));
  });
}

function targetsOf(binding: Binding): ["ports" | "interfaces", string][] {
  const at: ["interfaces", string][] = binding.interface_id === null ? [] : [["interfaces", binding.interface_id]];
  return binding.type === "Port" ? [["ports", binding.port_id], ...at] : at;
}
