import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { Discard } from "@nts/shared/mongo/transaction";
import { transactionOnHosts } from "../hosts/on-host.js";
import { countsOfBindings, insertServices, saveServices } from "../hosts/write-services.js";
import { checkAddresses, type PlacedAddress, subnetClaims } from "../references/addresses-on.js";
import { type Claim, networkClaim, requireReferences, tagClaims } from "../references/claims.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { moveServicesBack, withMovedServices } from "./moved-services.js";
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
  const found = await storage.hosts.findWithChildren(scope, ids.flatMap((id) => [id, derived(id)]), tx); // prettier-ignore
  const byId = new Map(found.map((one) => [one.host.entity.id, one]));
  return new Map(ids.flatMap((id) => {
    const present = byId.get(id) ?? byId.get(derived(id));
    return present === undefined ? [] : [[id, present] as const];
  })); // prettier-ignore
}

/** Creates hosts with their children in one transaction. */
export async function createHosts({ storage, work, scope }: Target, plans: readonly HostPlan[]): Promise<void> {
  if (plans.length === 0) return;
  await storage.quota.require(scope);
  const all = <K extends keyof HostPlan>(kind: K): HostPlan[K]["created"] => plans.flatMap((plan) => plan[kind].created as never[]); // prettier-ignore
  const [hosts, interfaces, ports, services] = [all("hosts"), all("interfaces"), all("ports"), all("services")];
  const claims = plans.flatMap((plan) => plan.hosts.created.flatMap(({ network_id, tags }): Claim[] => [networkClaim(network_id, { ...countsOf(plan), hosts: 1 }), ...tagClaims(tags)])); // prettier-ignore
  const nameOf = new Map(hosts.map(({ id, name }) => [id, name]));
  const keys = hosts.map(({ id }) => id);
  await refusingDuplicates(() =>
    storage.transaction(work, keys, async (tx) => {
      const ofServices = services.flatMap(({ tags }) => tagClaims(tags));
      await requireReferences(storage.guards, tx, scope, [...claims, ...ofServices, ...subnetClaims(interfaces)]);
      await checkPlaces({ storage, work, scope }, tx, interfaces);
      for (const plan of plans) {
        const own = plan.interfaces.created;
        const inventory = {
          ports: plan.ports.created.map(({ id }) => id),
          interfaces: own.map(({ id }) => id),
          services: plan.services.created.length,
        };
        await storage.hosts.insert(tx, scope, plan.hosts.created, { lock: 0, inventory, interfaces: own });
      }
      await storage.interfaces.insertWithHosts(tx, scope, interfaces);
      await storage.ports.insert(tx, scope, ports);
      const more = ({ host_id }: { host_id: string }): object => ({ host_name: nameOf.get(host_id) ?? "" });
      await insertServices(storage, tx, scope, { hostName: "", inserted: services, more });
    }),
  );
}

/** Restores an existing host, planned again inside the transaction. @throws AppError `not_found` if it was deleted */
export async function updateHost(target: Target, group: HostGroup, naming: Naming): Promise<HostPlan> {
  const { storage, work, scope } = target;
  await storage.quota.require(scope);
  const ids = [group.host.id];
  const there = (await withMovedServices(target, [group], await presentHosts(target, ids, naming), naming)).get(
    group.host.id,
  );
  if (there !== undefined) await moveServicesBack(target, there);
  const hostId = there?.host.entity.id ?? "";
  return refusingDuplicates(() =>
    transactionOnHosts(storage, { work, scope, hostIds: [hostId] }, async (tx) => {
      const present = (await presentHosts(target, [hostId], naming, tx)).get(hostId);
      if (present === undefined) throw new AppError("not_found", { entity: storage.hosts.name });
      const plan = planHost(group, present, naming, new Date());
      if (isNothing(plan)) throw new Discard(plan);
      await writeHost(target, tx, present, plan);
      return plan;
    }),
  );
}

async function writeHost({ storage, work, scope }: Target, tx: ClientSession, { host }: PresentHost, plan: HostPlan): Promise<void> {
  const { guards, hosts } = storage;
  const { id, network_id: networkId } = host.entity;
  const { interfaces, ports, services } = plan;
  const locked = await hosts.lock(tx, scope, id, {
    add: { interfaces: interfaces.created.map((one) => one.id), ports: ports.created.map((one) => one.id) },
    services: services.created.length,
  });
  if (locked === null) throw new AppError("not_found", { entity: hosts.name });
  const [next = null] = plan.hosts.changed.map(({ after }) => after);
  const moved = interfaces.changed.filter(({ before, after }) => before.entity.subnet_id !== after.entity.subnet_id || before.entity.ip_address !== after.entity.ip_address); // prettier-ignore
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
  // First, because a new interface may get an address that one of these releases.
  await storage.interfaces.replace(tx, scope, interfaces.changed.map(({ after }) => after)); // prettier-ignore
  await storage.interfaces.insert(tx, scope, interfaces.created);
  await storage.ports.insert(tx, scope, ports.created);
  await storage.ports.replace(tx, scope, ports.changed.map(({ after }) => after)); // prettier-ignore
  const hostName = next?.entity.name ?? locked.name;
  await insertServices(storage, tx, scope, { hostName, inserted: services.created });
  await saveServices(storage, tx, scope, { changes: services.changed });
  if (next === null) return;
  // The lock already incremented the revision to this one.
  await hosts.replace(tx, scope, [next]);
  if (next.entity.name !== host.entity.name) await storage.services.renameHost(tx, scope, id, next.entity.name);
} // prettier-ignore

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
