import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import { Discard } from "@nts/shared/mongo/transaction";
import { transactionOnHosts } from "../hosts/on-host.js";
import { closeGaps } from "../hosts/shifts.js";
import { countsOfBindings, insertServices, saveServices, type ServiceChange } from "../hosts/write-services.js";
import { checkAddresses, type PlacedAddress, subnetClaims } from "../references/addresses-on.js";
import { type Claim, networkClaim, requireReferences, tagClaims } from "../references/claims.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { freeKeys } from "./free-keys.js";
import { hostsOf, lockLosers, withMovedServices } from "./moved-services.js";
import type { Target } from "./top-level.js";
import { type HostGroup, type HostPlan, isNothing, type Naming, planHost, type PresentHost } from "./plan.js";

// Writes hosts of an archive: new ones in batches, existing ones individually under their lock.

/** The hosts of an archive that already exist, by their ids in the archive. */
export async function presentHosts(
  { storage, scope }: Pick<Target, "storage" | "scope">,
  ids: readonly string[],
  { derived }: Naming,
  tx?: ClientSession,
): Promise<ReadonlyMap<string, PresentHost>> {
  const found = await storage.hosts.findWithChildren(
    scope,
    ids.flatMap((id) => [id, derived(id)]),
    tx,
  );
  const byId = new Map(found.map((one) => [one.host.entity.id, one]));
  return new Map(
    ids.flatMap((id) => {
      const present = byId.get(id) ?? byId.get(derived(id));
      return present === undefined ? [] : [[id, present] as const];
    }),
  );
}

/** Creates hosts with their children in one transaction. */
export async function createHosts({ storage, work, scope }: Target, plans: readonly HostPlan[]): Promise<void> {
  if (plans.length === 0) return;
  await storage.quota.require(scope);
  const all = <K extends keyof HostPlan>(kind: K): HostPlan[K]["created"] =>
    plans.flatMap((plan) => plan[kind].created as never[]);
  const hosts = all("hosts");
  const interfaces = all("interfaces");
  const ports = all("ports");
  const services = all("services");
  const claims = plans.flatMap((plan) =>
    plan.hosts.created.flatMap(({ network_id, tags }): Claim[] => [
      networkClaim(network_id, { ...countsOf(plan), hosts: 1 }),
      ...tagClaims(tags),
    ]),
  );
  const nameOf = new Map(hosts.map(({ id, name }) => [id, name]));
  const keys = hosts.map(({ id }) => id);
  await refusingDuplicates(() =>
    storage.transaction(work, keys, async (tx) => {
      const ofServices = services.flatMap(({ tags }) => tagClaims(tags));
      await requireReferences(storage.guards, tx, scope, [...claims, ...ofServices, ...subnetClaims(interfaces)]);
      await checkPlaces({ storage, work, scope }, tx, interfaces);
      const fields = new Map(plans.flatMap((plan) => plan.hosts.created.map(({ id }) => [id, childrenIn(plan)])));
      await storage.hosts.insert(tx, scope, hosts, ({ id }) => ({ lock: 0, ...fields.get(id) }));
      await storage.interfaces.insertWithHosts(tx, scope, interfaces);
      await storage.ports.insert(tx, scope, ports);
      const more = ({ host_id }: { host_id: string }): object => ({ host_name: nameOf.get(host_id) ?? "" });
      await insertServices(storage, tx, scope, { hostName: "", inserted: services, more });
    }),
  );
}

function childrenIn({ interfaces, ports, services }: HostPlan) {
  const inventory = {
    ports: ports.created.map(({ id }) => id),
    interfaces: interfaces.created.map(({ id }) => id),
    services: services.created.length,
  };
  return { inventory, interfaces: interfaces.created };
}

/**
 * Restores an existing host with the services that were moved to others, planned again inside the transaction.
 *
 * @throws AppError `not_found` if it was deleted
 */
export async function updateHost(target: Target, group: HostGroup, naming: Naming): Promise<HostPlan> {
  const { storage, work, scope } = target;
  await storage.quota.require(scope);
  return refusingDuplicates(() =>
    retryConflicts(work, async () => {
      const hostIds = hostsOf(await presentHost(target, group, naming));
      return transactionOnHosts<HostPlan | "conflict">(storage, { work, scope, hostIds }, async (tx) => {
        const present = await presentHost(target, group, naming, tx);
        // A service was moved again.
        if (hostsOf(present).some((id) => !hostIds.includes(id))) throw new Discard("conflict");
        const plan = planHost(group, present, naming, new Date());
        if (isNothing(plan)) throw new Discard(plan);
        await writeHost(target, tx, present, plan);
        return plan;
      });
    }),
  );
}

async function presentHost(target: Target, group: HostGroup, naming: Naming, tx?: ClientSession): Promise<PresentHost> {
  const found = await presentHosts(target, [group.host.id], naming, tx);
  const present = (await withMovedServices({ ...target, tx }, [group], found, naming)).get(group.host.id);
  if (present === undefined) throw new AppError("not_found", { entity: target.storage.hosts.name });
  return present;
}

async function writeHost(
  { storage, work, scope }: Target,
  tx: ClientSession,
  { host }: PresentHost,
  plan: HostPlan,
): Promise<void> {
  const { guards, hosts } = storage;
  const { id, network_id: networkId } = host.entity;
  const { interfaces, ports, services } = plan;
  const isMoved = ({ before }: ServiceChange): boolean => before.entity.host_id !== id;
  const movedBack = services.changed.filter(isMoved);
  const locked = await hosts.lock(tx, scope, id, {
    add: { interfaces: interfaces.created.map((one) => one.id), ports: ports.created.map((one) => one.id) },
    services: services.created.length + movedBack.length,
  });
  if (locked === null) throw new AppError("not_found", { entity: hosts.name });
  await lockLosers({ storage, scope }, tx, movedBack);
  const [next = null] = plan.hosts.changed.map(({ after }) => after);
  const moved = interfaces.changed.filter(
    ({ before, after }) =>
      before.entity.subnet_id !== after.entity.subnet_id || before.entity.ip_address !== after.entity.ip_address,
  );
  const addresses = [...interfaces.created, ...moved.map(({ after }) => after.entity)];
  await requireReferences(guards, tx, scope, [
    networkClaim(networkId, countsOf(plan)),
    ...subnetClaims(addresses),
    ...tagClaims(next?.entity.tags ?? [], host.entity.tags),
    ...services.created.flatMap(({ tags }) => tagClaims(tags)),
    ...services.changed.flatMap(({ before, after }) => tagClaims(after.entity.tags, before.entity.tags)),
  ]);
  await guards.reference(tx, scope, countsOfBindings(services.changed));
  await checkPlaces({ storage, work, scope }, tx, addresses);
  await freeKeys(storage.interfaces, tx, scope, { key: "host_id", changes: moved });
  await freeKeys(storage.ports, tx, scope, { key: "host_id", changes: ports.changed });
  // First, because a new interface or port may get an address or number that one of these releases.
  await storage.interfaces.replace(
    tx,
    scope,
    interfaces.changed.map(({ after }) => after),
  );
  await storage.interfaces.insert(tx, scope, interfaces.created);
  await storage.ports.replace(
    tx,
    scope,
    ports.changed.map(({ after }) => after),
  );
  await storage.ports.insert(tx, scope, ports.created);
  const hostName = next?.entity.name ?? locked.name;
  await insertServices(storage, tx, scope, { hostName, inserted: services.created });
  await saveServices(storage, tx, scope, { changes: services.changed.filter((change) => !isMoved(change)) });
  await saveServices(storage, tx, scope, { changes: movedBack, hostName });
  const gone = movedBack.map(({ before }) => before.entity);
  if (gone.length > 0) await closeGaps(tx, scope, storage.services, { gone, now: new Date() });
  if (next === null) return;
  // The lock already incremented the revision to this one.
  await hosts.replace(tx, scope, [next]);
  if (next.entity.name !== host.entity.name) await storage.services.renameHost(tx, scope, id, next.entity.name);
}

/** Counters of created children; bindings of existing services are counted separately. */
function countsOf({ interfaces, ports, services }: HostPlan) {
  return {
    interfaces: interfaces.created.length,
    ports: ports.created.length,
    services: services.created.length,
    bindings: services.created.reduce((sum, { bindings }) => sum + bindings.length, 0),
  };
}

async function checkPlaces(
  { storage, scope }: Target,
  tx: ClientSession,
  addresses: readonly (PlacedAddress & { readonly network_id: string })[],
): Promise<void> {
  for (const networkId of new Set(addresses.map(({ network_id }) => network_id)))
    await checkAddresses(storage, tx, scope, {
      networkId,
      addresses: addresses.filter(({ network_id }) => network_id === networkId),
    });
}
