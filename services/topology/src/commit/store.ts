import type { ClientSession } from "mongodb";
import type { Author } from "@nts/shared/author";
import { MOST_LINKS_OF_HOST } from "@nts/shared/contract";
import { KINDS, pluralOf } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { recorderOf } from "@nts/shared/writes/recorder";
import { ALL_COLLECTIONS, GUARDED, isPart, TOP_LEVEL } from "../kinds/index.js";
import { namedBy } from "../values/ends.rules.js";
import { byText } from "../storage/authorship.js";
import type { Entities, Entity } from "../storage/entities.js";
import { HOST_LINKS_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import type { Inventory, LockedHost } from "../storage/stores/host-locks.js";
import { checkAddresses } from "./addresses.js";
import { changedBindings, saveBindings } from "./bindings.js";
import {
  type AllChanges,
  byHost,
  type Changes,
  type ChangesOf,
  completed,
  createdIn,
  idsOf,
  statesAfter,
} from "./changes.rules.js";
import { changedEnds, missingEnds, type Unfound, withDependencies } from "./dependencies.js";
import { freeKeys } from "./free-keys.js";
import { inventoryChangesOf } from "./inventory.rules.js";
import { requireVlans, withLinks } from "./links.js";
import { newEnds, unfoundEnds, writtenLinks } from "./links.rules.js";
import { lockHosts } from "./on-hosts.js";
import { claimsOf, isMoved, isReaddressed, newAddressesIn, vlanClaimsOf } from "./references.rules.js";
import { requireRoom } from "./room.js";
import { replaceSubnet } from "./subnets.js";

// Stores changes of any kinds in a transaction, with a number of commands independent of theirs: first what makes room, then
// entities in the order of their references.

/** What is stored, and how; most changes need nothing else. */
export interface Storing {
  readonly changes: Changes;
  /** Hosts that the caller has locked, with what they gain and lose, because it decided by what is on them. */
  readonly hosts?: ReadonlyMap<string, LockedHost>;
  /** Further fields of the documents of new entities. */
  readonly more?: (entity: { readonly id: string }) => Record<string, unknown>;
  /** Called with claims on what does not exist, instead of refusing the first one. */
  readonly refuse?: (missing: readonly Unfound[]) => void;
  /** The changed services were read before the transaction: none is stored where one has changed since. */
  readonly areRead?: boolean;
  /** The new addresses were just found to be free in their subnets. */
  readonly areAddressesGiven?: boolean;
  /** What remains of children that become one, by the ids of those that are removed. */
  readonly replacedBy?: ReadonlyMap<string, string>;
  /** Dependencies on what is removed or moved are among the changes, or must not exist. */
  readonly areDependenciesDecided?: boolean;
  /** The authors of changed services, by id, if they are not that of the transaction. */
  readonly authors?: ReadonlyMap<string, Author | undefined>;
}

interface Step extends Omit<Storing, "changes" | "hosts" | "replacedBy"> {
  readonly storage: Storage;
  readonly tx: ClientSession;
  readonly scope: Scope;
  readonly changes: AllChanges;
  /** All existing hosts whose children change. */
  readonly hosts: ReadonlyMap<string, LockedHost>;
}

/**
 * Stores changes, with all that follows from them: counters, protection of what they refer to, bindings, search texts.
 *
 * @returns false where a service has changed since it was read; then nothing may be committed
 * @throws AppError `not_found` for a host · `invalid_reference` · `network_mismatch` · `ip_outside_subnet` · `validation_failed` for too many bindings
 */
export async function store(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { changes: given, hosts: locked = new Map(), replacedBy, ...storing }: Storing,
): Promise<boolean> {
  const whole = await withLinks(storage, tx, scope, { whole: completed(given), replacedBy });
  const changes =
    storing.areDependenciesDecided === true ? whole : await withDependencies(storage, tx, scope, { whole, replacedBy });
  await storage.database.turn(tx, scope, documentsIn(changes));
  const hosts = await lockedFor(storage, tx, scope, { changes, locked });
  // What moves to a new host is written before it.
  recorderOf(tx)?.expect(idsOf(changes.hosts.created));
  const step = { ...storing, storage, tx, scope, changes, hosts };
  await removeEntities(step);
  await createTopLevel(step);
  await reference(step);
  await replaceTopLevel(step);
  if (storing.areAddressesGiven !== true) await checkAddresses(storage, tx, scope, newAddressesIn(changes));
  await replaceOnHosts(step);
  await createHosts(step);
  return (await saveServices(step)) && (await saveDependencies(step)) && (await saveLinks(step));
}

/** Locks the hosts that are not locked yet. @throws AppError `not_found` */
async function lockedFor(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { changes, locked }: { changes: AllChanges; locked: ReadonlyMap<string, LockedHost> },
): Promise<ReadonlyMap<string, LockedHost>> {
  const others = new Map([...inventoryChangesOf(changes)].filter(([id]) => !locked.has(id)));
  const more = await lockHosts(storage, tx, scope, others);
  if (more.size !== others.size) throw new AppError("not_found", { entity: storage.hosts.name });
  const known = new Map([...locked, ...more]);
  // Whoever deletes a host sees what has become dependent on it.
  const ends = [
    ...changedEnds(changes).flatMap((one) => namedBy(one).host_id),
    ...writtenLinks(changes).flatMap((one) => one.ends.map(({ host_id }) => host_id)),
  ];
  const created = new Set(idsOf(changes.hosts.created));
  const atEnds = new Set(ends.filter((id) => !known.has(id) && !created.has(id)));
  const further = await lockHosts(storage, tx, scope, new Map([...atEnds].sort().map((id) => [id, {}])));
  return new Map([...known, ...further]);
}

/** About how many documents are created. */
function documentsIn(changes: AllChanges): number {
  return createdIn(changes).length + changes.services.created.reduce((sum, { bindings }) => sum + bindings.length, 0);
}

/** Deletes entities; their guards first, because concurrent writers conflict on them. */
async function removeEntities({ storage, tx, scope, changes }: Step): Promise<void> {
  const { guards, addresses } = storage;
  const { networks, hosts, interfaces, services, tags } = changes;
  if (networks.removed.length > 0) await guards.removeNetworks(tx, scope, idsOf(networks.removed));
  const guarded = GUARDED.flatMap((name) => idsOf(changes[pluralOf(name)].removed));
  if (guarded.length > 0) await guards.remove(tx, scope, guarded);
  // Tags do not belong to a network.
  if (tags.removed.length > 0) await guards.remove(tx, { ...scope, networks: "all" }, idsOf(tags.removed));
  const bound = services.removed.filter(({ bindings }) => bindings.length > 0);
  if (bound.length > 0) await storage.bindings.remove(tx, scope, { service_id: { $in: idsOf(bound) } });
  for (const kind of ALL_COLLECTIONS)
    if (!isPart(kind) && changes[kind].removed.length > 0)
      await storage[kind].remove(tx, scope, { _id: { $in: idsOf(changes[kind].removed) } });
  const gone = new Set(idsOf(hosts.removed));
  const shrunk = interfaces.removed.map(({ host_id }) => host_id).filter((id) => !gone.has(id));
  if (shrunk.length > 0) await storage.interfaces.removedFrom(tx, scope, [...new Set(shrunk)]);
  if (networks.removed.length > 0) await addresses.forgetNetworks(tx, scope, idsOf(networks.removed));
}

/** Creates entities other than hosts and their children, which refer to some of them. */
async function createTopLevel({ storage, tx, scope, changes, more = () => ({}) }: Step): Promise<void> {
  const { networks, tags } = changes;
  const { organizationId: organization_id } = scope;
  for (const name of TOP_LEVEL) {
    const { created } = changes[pluralOf(name)];
    const entities = storage[pluralOf(name)] as unknown as Entities<Entity>;
    await entities.insert(tx, scope, created, more);
  }
  const targets = [
    ...tags.created.map(({ id }) => ({ target: id, kind: "tag" as const, network_id: null })),
    ...networks.created.map(({ id }) => ({ target: id, kind: "network" as const, network_id: id })),
    ...GUARDED.flatMap((name) => {
      const { singular: kind, plural } = KINDS[name];
      return changes[plural].created.map(({ id, network_id }) => ({ target: id, kind, network_id }));
    }),
  ];
  if (targets.length === 0) return;
  await storage.guards.create(
    tx,
    targets.map((target) => ({ ...target, organization_id })),
  );
}

/** Protects what is referred to against deletion until the transaction ends, and updates counters. */
async function reference({ storage, tx, scope, changes, refuse = refuseFirst }: Step): Promise<void> {
  const claims = claimsOf(changes);
  const missing = await storage.guards.reference(tx, scope, claims);
  if (missing.size > 0) refuse(claims.filter(({ target }) => missing.has(target)));
  await requireVlans(storage, tx, scope, vlanClaimsOf(changes));
}

/** @throws AppError `invalid_reference` · `network_mismatch` */
function refuseFirst([first]: readonly Unfound[]): void {
  if (first !== undefined) throw new AppError(first.code ?? "invalid_reference", { path: first.path });
}

/** Stores links, after what they connect. */
async function saveLinks({
  storage,
  tx,
  scope,
  changes,
  hosts,
  more = () => ({}),
  refuse = refuseFirst,
}: Step): Promise<boolean> {
  const { created, changed } = changes.links;
  const unfound = unfoundEnds(changes, hosts);
  if (unfound.length > 0) refuse(unfound);
  const added = newEnds(changes);
  await requireRoom(storage.links, tx, scope, {
    ...{ noun: "links", most: MOST_LINKS_OF_HOST, hint: HOST_LINKS_INDEX, added },
  });
  await freeKeys(storage.links, tx, scope, { key: "ends", changes: changed });
  if (changed.length > 0) await storage.links.replace(tx, scope, statesAfter(changed));
  await storage.links.insert(tx, scope, created, more);
  return true;
}

/** Stores dependencies, after what they connect. */
async function saveDependencies(step: Step): Promise<boolean> {
  const { storage, tx, scope, changes, more = () => ({}), refuse = refuseFirst } = step;
  const { created, changed } = changes.dependencies;
  if (created.length + changed.length === 0) return true;
  const missing = await missingEnds(storage, tx, scope, step);
  if (missing.length > 0) refuse(missing);
  await freeKeys(storage.dependencies, tx, scope, { key: "ends", changes: changed });
  if (changed.length > 0) await storage.dependencies.replace(tx, scope, statesAfter(changed));
  await storage.dependencies.insert(tx, scope, created, more);
  return true;
}

async function replaceTopLevel({ storage, tx, scope, changes }: Step): Promise<void> {
  const renamed = changes.tags.changed.filter(({ before, after }) => before.entity.name !== after.entity.name);
  await freeKeys(storage.tags, tx, scope, { key: "name_key", changes: renamed });
  const renumbered = changes.vlans.changed.filter(({ before, after }) => before.entity.vid !== after.entity.vid);
  await freeKeys(storage.vlans, tx, scope, { key: "vid", changes: renumbered });
  for (const name of TOP_LEVEL) {
    const plural = pluralOf(name);
    const { changed } = changes[plural];
    if (plural === "subnets")
      for (const change of changes.subnets.changed) await replaceSubnet(storage, tx, scope, change);
    else if (changed.length > 0)
      await (storage[plural] as unknown as Entities<Entity>).replace(tx, scope, statesAfter<Entity>(changed));
  }
}

/** Replaces hosts, interfaces and ports: first, because new ones may get addresses or numbers that these release. */
async function replaceOnHosts({ storage, tx, scope, changes }: Step): Promise<void> {
  const { hosts, interfaces, ports } = changes;
  if (hosts.changed.length > 0) await storage.hosts.replace(tx, scope, statesAfter(hosts.changed));
  for (const { before, after } of hosts.changed)
    if (before.entity.name !== after.entity.name)
      await storage.services.renameHost(tx, scope, after.entity.id, after.entity.name);
  const renumbered = ports.changed.filter(
    ({ before, after }) =>
      before.entity.number !== after.entity.number || before.entity.protocol !== after.entity.protocol,
  );
  const readdressed = interfaces.changed.filter(isReaddressed);
  await freeKeys(storage.interfaces, tx, scope, { key: "host_id", changes: readdressed });
  await freeKeys(storage.ports, tx, scope, { key: "host_id", changes: renumbered });
  await storage.interfaces.replace(tx, scope, statesAfter(interfaces.changed));
  const gone = new Set(idsOf(hosts.removed));
  const left = interfaces.changed.filter(isMoved).map(({ before }) => before.entity.host_id);
  const shrunk = new Set(left.filter((id) => !gone.has(id)));
  if (shrunk.size > 0) await storage.interfaces.removedFrom(tx, scope, [...shrunk]);
  if (ports.changed.length > 0) await storage.ports.replace(tx, scope, statesAfter(ports.changed));
}

/** Creates hosts, interfaces and ports. */
async function createHosts({ storage, tx, scope, changes, more = () => ({}) }: Step): Promise<void> {
  const { hosts, interfaces, ports } = changes;
  const inventoryOf = inventoriesOf(changes);
  const interfacesOn = byHost(presentAfter(interfaces));
  const isNew = new Set(idsOf(hosts.created));
  if (hosts.created.length > 0)
    await storage.hosts.insert(tx, scope, hosts.created, (host) => ({
      lock: 0,
      inventory: inventoryOf(host.id),
      interfaces: interfacesOn.get(host.id) ?? [],
      ...more(host),
    }));
  const withHosts = interfaces.created.filter(({ host_id }) => isNew.has(host_id));
  await storage.interfaces.insertWithHosts(tx, scope, withHosts, more);
  const others = interfaces.created.filter(({ host_id }) => !isNew.has(host_id));
  if (others.length > 0) await storage.interfaces.insert(tx, scope, others, more);
  await storage.ports.insert(tx, scope, ports.created, more);
}

/** The inventories of new hosts, by id. */
export function inventoriesOf({ interfaces, ports, services }: AllChanges): (hostId: string) => Inventory {
  const interfacesOn = byHost(presentAfter(interfaces));
  const portsOn = byHost(presentAfter(ports));
  const servicesOn = byHost(presentAfter(services));
  return (hostId) => ({
    interfaces: idsOf(interfacesOn.get(hostId) ?? []),
    ports: idsOf(portsOn.get(hostId) ?? []),
    services: servicesOn.get(hostId)?.length ?? 0,
  });
}

function presentAfter<T>({ created, changed }: ChangesOf<T>): T[] {
  return [...created, ...statesAfter(changed).map(({ entity }) => entity)];
}

/** Stores services with their bindings. @returns false where one has changed since it was read */
async function saveServices(step: Step): Promise<boolean> {
  const { storage, tx, scope, changes, more = () => ({}), areRead = false } = step;
  const { created, changed } = changes.services;
  const hostNameOf = hostNamesIn(step);
  await storage.services.insert(tx, scope, created, (service) => ({
    host_name: hostNameOf(service.host_id),
    ...more(service),
  }));
  if (changed.length > 0) {
    const extra = fieldsOfChanged(step, hostNameOf);
    const states = statesAfter(changed);
    if (!areRead) await storage.services.replace(tx, scope, states, extra);
    else if (!(await storage.services.replaceRead(tx, scope, states, extra))) return false;
  }
  await saveBindings(storage, tx, scope, changedBindings(changes.services));
  return true;
}

function hostNamesIn({ changes, hosts }: Step): (hostId: string) => string {
  const named = [...changes.hosts.created, ...statesAfter(changes.hosts.changed).map(({ entity }) => entity)];
  const names = new Map([...hosts.values(), ...named].map(({ id, name }) => [id, name]));
  return (hostId) => names.get(hostId) ?? "";
}

/** Fields of changed services that are not members: they are no longer claimed, and some are on another host. */
function fieldsOfChanged(
  { scope, changes, authors }: Step,
  hostNameOf: (hostId: string) => string,
): (service: { readonly id: string; readonly host_id: string }) => Record<string, unknown> {
  const { changed } = changes.services;
  const moved = new Set(changed.filter(isMoved).map(({ after }) => after.entity.id));
  const revisions = new Map(changed.map(({ after }) => [after.entity.id, after.revision]));
  return ({ id, host_id }) => ({
    claimed: false,
    ...(moved.has(id) && { host_name: hostNameOf(host_id) }),
    ...(authors && { by: byText(authors.get(id), scope.organizationId, revisions.get(id) ?? 0) }),
  });
}
