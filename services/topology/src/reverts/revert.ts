import type { ClientSession } from "mongodb";
import type { Binding, Service } from "@nts/shared/contract";
import { KINDS_IN_NETWORKS, pluralOf } from "@nts/shared/contract/kinds";
import type { Scope } from "@nts/shared/http/tenancy";
import { afterCommit, type Work } from "@nts/shared/work";
import { COLLECTIONS } from "../journal/entries.rules.js";
import type { Notices } from "../deletions/notices.js";
import { transactionOnHosts } from "../hosts/on-host.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import { insertServices, moreBindings, saveServices } from "../hosts/write-services.js";
import { checkAddresses, subnetClaims } from "../references/addresses-on.js";
import { networkClaim, tagClaims } from "../references/claims.js";
import { replaceSubnet } from "../references/replace-subnet.js";
import { ALL_COLLECTIONS, isPart, TAGGED, TOP_LEVEL } from "../kinds/index.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Entities, Entity } from "../storage/entities.js";
import type { Reference } from "../storage/guards.js";
import type { Storage } from "../storage/storage.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { type Conflict, conflictOf, refuse } from "./conflict.rules.js";
import { dependents, inTheWay } from "./conflicts.js";
import { changesOfHosts, inventoriesOf, lockHosts, missingHosts, restoreHosts } from "./hosts.js";
import { idsOf, type Planned, plan, revisionIn, type Step } from "./planned.js";
import { byHost, type Undo } from "./undo.rules.js";

// Reverts a request in one transaction: deletions first, so that restored entities have their place, then restored entities in the
// order of their references.

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
      const step = { storage, tx, scope, planned };
      await removeCreated(step);
      await restoreTopLevel(step);
      await reference(step);
      await updateOthers(step);
      await restoreHosts(step);
      await writeServices(step, hosts);
      refuse([...(await dependents(storage, tx, scope, planned)), ...(await inTheWay(storage, tx, scope, planned))]);
      return planned;
    }),
  );
  await afterCommit(work, async () => {
    for (const { id } of planned.networks.removed) notices.networkDeleted(scope.organizationId, id);
    for (const { id } of planned.tags.removed) notices.tagDeleted(scope.organizationId, id);
    if (planned.subnets.removed.length > 0) await storage.addresses.forget(scope, idsOf(planned.subnets.removed));
  });
  const count = (of: keyof Reverted): number => COLLECTIONS.reduce((sum, kind) => sum + planned[kind][of].length, 0);
  return { restored: count("restored"), updated: count("updated"), removed: count("removed") };
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
  const parents = restoring.flatMap(({ before }) => [before?.network_id, before?.host_id].flatMap((id) => id ?? []));
  const ids = [...new Set([...places.map(({ id }) => id), ...parents])];
  const unfinished = new Set(await storage.deletions.unfinished(tx, scope.organizationId, ids));
  const isReserved = ({ id, before }: Undo): boolean =>
    [id, before?.network_id, before?.host_id].some((one) => one !== undefined && unfinished.has(one));
  refuse(restoring.filter(isReserved).map(({ kind, id }) => conflictOf(kind, id, "being_deleted")));
}

/** Deletes entities that the request created. */
async function removeCreated({ storage, tx, scope, planned }: Step): Promise<void> {
  const { networks, subnets, hosts, interfaces, services, tags } = planned;
  const gone = new Set(idsOf(hosts.removed));
  if (services.removed.length > 0)
    await storage.bindings.remove(tx, scope, { service_id: { $in: idsOf(services.removed) } });
  const targets = [...idsOf(subnets.removed), ...idsOf(tags.removed)];
  if (targets.length > 0) await removeGuards(storage, tx, scope, planned);
  for (const kind of ALL_COLLECTIONS)
    if (!isPart(kind) && planned[kind].removed.length > 0)
      await storage[kind].remove(tx, scope, { _id: { $in: idsOf(planned[kind].removed) } });
  const shrunk = interfaces.removed.map(({ host_id }) => host_id).filter((id) => !gone.has(id));
  if (shrunk.length > 0) await storage.interfaces.removedFrom(tx, scope, [...new Set(shrunk)]);
  if (networks.removed.length === 0) return;
  await storage.guards.removeNetworks(tx, scope, idsOf(networks.removed));
  await storage.addresses.forgetNetworks(tx, scope, idsOf(networks.removed));
}

async function removeGuards(
  { guards }: Storage,
  tx: ClientSession,
  scope: Scope,
  { subnets, tags }: Planned,
): Promise<void> {
  if (subnets.removed.length > 0) await guards.remove(tx, scope, idsOf(subnets.removed));
  // Tags do not belong to a network.
  if (tags.removed.length > 0) await guards.remove(tx, { ...scope, networks: "all" }, idsOf(tags.removed));
}

/** Restores entities other than hosts and their children, which refer to some of them. */
async function restoreTopLevel({ storage, tx, scope, planned }: Step): Promise<void> {
  const { networks, subnets, tags } = planned;
  const { organizationId: organization_id } = scope;
  const more = revisionIn(planned);
  for (const name of TOP_LEVEL) {
    const plural = pluralOf(name);
    await (storage[plural] as unknown as Entities<Entity>).insert(tx, scope, planned[plural].restored, more);
  }
  const targets = [
    ...tags.restored.map(({ id }) => ({ target: id, kind: "tag" as const, organization_id, network_id: null })),
    ...networks.restored.map(({ id }) => ({ target: id, kind: "network" as const, organization_id, network_id: id })),
    ...subnets.restored.map(({ id, network_id }) => ({
      target: id,
      kind: "subnet" as const,
      organization_id,
      network_id,
    })),
  ];
  if (targets.length > 0) await storage.guards.create(tx, targets);
}

/** Locks referenced entities against deletion, and updates the counters of networks. */
async function reference({ storage, tx, scope, planned }: Step): Promise<void> {
  const { networks, interfaces, services } = planned;
  const gone = new Set(idsOf(networks.removed));
  const all: Reference[] = [];
  for (const kind of KINDS_IN_NETWORKS.map(pluralOf)) {
    const of = ({ network_id }: { network_id: string }, by: number): Reference =>
      networkClaim(network_id, { [kind]: by });
    all.push(...planned[kind].restored.map((one) => of(one, 1)), ...planned[kind].removed.map((one) => of(one, -1)));
  }
  const bound = ({ network_id, bindings }: Service, sign: 1 | -1): Reference =>
    networkClaim(network_id, { bindings: sign * bindings.length });
  all.push(...services.restored.map((one) => bound(one, 1)), ...services.removed.map((one) => bound(one, -1)));
  for (const { current, next } of services.updated)
    all.push(networkClaim(next.entity.network_id, { bindings: moreBindings({ before: current, after: next }) }));
  for (const { current, next } of interfaces.updated)
    if (isElsewhere(current.entity, next.entity))
      all.push(networkClaim(next.entity.network_id, {}), ...subnetClaims([next.entity]));
  all.push(...subnetClaims(interfaces.restored));
  for (const kind of TAGGED) {
    all.push(...planned[kind].restored.flatMap(({ tags }) => tagClaims(tags)));
    all.push(...planned[kind].updated.flatMap(({ current, next }) => tagClaims(next.entity.tags, current.entity.tags)));
  }
  const missing = await storage.guards.reference(
    tx,
    scope,
    all.filter(({ target }) => !gone.has(target)),
  );
  const kindOf = new Map(all.map(({ target, kind }) => [target, kind]));
  refuse([...missing].map((id) => conflictOf(`${kindOf.get(id) ?? "network"}s`, id, "deleted")));
}

/** Resets updated entities, except services. */
async function updateOthers({ storage, tx, scope, planned }: Step): Promise<void> {
  const { subnets, hosts, interfaces, ports } = planned;
  for (const name of TOP_LEVEL) {
    const plural = pluralOf(name);
    if (plural === "subnets") for (const change of subnets.updated) await replaceSubnet(storage, tx, scope, change);
    else {
      const entities = storage[plural] as unknown as Entities<Entity>;
      await entities.replace(
        tx,
        scope,
        planned[plural].updated.map(({ next }) => next),
      );
    }
  }
  await storage.hosts.replace(
    tx,
    scope,
    hosts.updated.map(({ next }) => next),
  );
  for (const { current, next } of hosts.updated)
    if (current.entity.name !== next.entity.name)
      await storage.services.renameHost(tx, scope, next.entity.id, next.entity.name);
  for (const { current, next } of interfaces.updated)
    nextMacAddress(current.entity.mac_address, next.entity.mac_address ?? "");
  await storage.interfaces.replace(
    tx,
    scope,
    interfaces.updated.map(({ next }) => next),
  );
  await storage.ports.replace(
    tx,
    scope,
    ports.updated.map(({ next }) => next),
  );
  const placed = [
    ...interfaces.restored,
    ...interfaces.updated.flatMap(({ current, next }) =>
      isElsewhere(current.entity, next.entity) ? [next.entity] : [],
    ),
  ];
  for (const networkId of new Set(placed.map(({ network_id }) => network_id)))
    await checkAddresses(storage, tx, scope, {
      networkId,
      addresses: placed.filter((one) => one.network_id === networkId),
    });
}

async function writeServices(
  { storage, tx, scope, planned }: Step,
  locked: ReadonlyMap<string, LockedHost>,
): Promise<void> {
  const { hosts, services } = planned;
  const names = new Map([...locked.values()].map(({ id, name }) => [id, name]));
  for (const { id, name } of [...hosts.restored, ...hosts.updated.map(({ next }) => next.entity)]) names.set(id, name);
  const written = [...services.restored, ...services.updated.map(({ next }) => next.entity)];
  refuse(unboundTargets(planned, locked, written));
  const more = revisionIn(planned);
  const restored = byHost(services.restored);
  const changed = byHost(
    services.updated.map(({ current, next }) => ({ host_id: next.entity.host_id, before: current, after: next })),
  );
  for (const hostId of new Set(written.map(({ host_id }) => host_id))) {
    const hostName = names.get(hostId) ?? "";
    await saveServices(storage, tx, scope, { changes: changed.get(hostId) ?? [], hostName });
    await insertServices(storage, tx, scope, { hostName, inserted: restored.get(hostId) ?? [], more });
  }
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

function isElsewhere(
  one: { subnet_id: string; ip_address: string },
  other: { subnet_id: string; ip_address: string },
): boolean {
  return one.subnet_id !== other.subnet_id || one.ip_address !== other.ip_address;
}
