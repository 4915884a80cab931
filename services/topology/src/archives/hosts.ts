import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { retryConflicts } from "@nts/shared/mongo/retry-conflicts";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Service } from "@nts/shared/contract";
import { unbound } from "../commit/bindings.js";
import { type Change, idsOf } from "../commit/changes.rules.js";
import { commitNew } from "../commit/create.js";
import { transactionOnHosts } from "../commit/on-hosts.js";
import { closingGaps } from "../commit/positions.js";
import { isMoved } from "../commit/references.rules.js";
import { store } from "../commit/store.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { hostsOf, withMovedChildren } from "./moved-children.js";
import type { Target } from "./top-level.js";
import {
  type HostGroup,
  type HostPlan,
  isNothing,
  type Naming,
  planHost,
  type PresentHost,
  type Writes,
} from "./plan.js";

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
export async function createHosts(target: Target, plans: readonly HostPlan[]): Promise<void> {
  if (plans.length === 0) return;
  const created = <K extends keyof HostPlan>(kind: K): { readonly created: HostPlan[K]["created"] } => ({
    created: plans.flatMap((plan) => plan[kind].created as never[]),
  });
  await commitNew(target.storage, target, {
    hosts: created("hosts"),
    interfaces: created("interfaces"),
    ports: created("ports"),
    services: created("services"),
  });
}

/**
 * Restores an existing host with the children that were moved to others, planned again inside the transaction.
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
        // A child was moved again.
        if (hostsOf(present).some((id) => !hostIds.includes(id))) throw new Discard("conflict");
        const plan = planHost(group, present, naming, new Date());
        if (isNothing(plan)) throw new Discard(plan);
        await storePlan(target, tx, plan);
        return plan;
      });
    }),
  );
}

async function presentHost(target: Target, group: HostGroup, naming: Naming, tx?: ClientSession): Promise<PresentHost> {
  const found = await presentHosts(target, [group.host.id], naming, tx);
  const present = (await withMovedChildren({ ...target, tx }, [group], found, naming)).get(group.host.id);
  if (present === undefined) throw new AppError("not_found", { entity: target.storage.hosts.name });
  return present;
}

/** Stores what is planned for an existing host. The children of hosts that lose some move up. */
async function storePlan({ storage, scope }: Target, tx: ClientSession, plan: HostPlan): Promise<void> {
  const now = new Date();
  const leaving = <T extends { readonly host_id: string }>({ changed }: Writes<T>): T[] =>
    changed.filter(isMoved).map(({ before }) => before.entity);
  const interfaces = await closingGaps(storage.interfaces, tx, scope, { leaving: leaving(plan.interfaces), now });
  const moved = [...leaving(plan.interfaces), ...leaving(plan.ports)];
  const unboundServices = await unbound(storage, tx, scope, { targets: idsOf(moved), now });
  const movedUp = await closingGaps(storage.services, tx, scope, { leaving: leaving(plan.services), now });
  const planned = new Set(plan.services.changed.map(({ before }) => before.entity.id));
  const services = together(movedUp, unboundServices).filter(({ before }) => !planned.has(before.entity.id));
  const changes = {
    ...plan,
    services: { ...plan.services, changed: [...plan.services.changed, ...services] },
    interfaces: { ...plan.interfaces, changed: [...plan.interfaces.changed, ...interfaces] },
  };
  await store(storage, tx, scope, { changes });
}

/** Services that move up, that lose bindings to what left their hosts, or both. */
function together(movedUp: readonly Change<Service>[], unboundServices: readonly Change<Service>[]): Change<Service>[] {
  const byId = new Map(movedUp.map((change) => [change.before.entity.id, change]));
  for (const change of unboundServices) {
    const { before, after } = change;
    const other = byId.get(before.entity.id);
    const both = { ...after, entity: { ...after.entity, position: (other ?? change).after.entity.position } };
    byId.set(before.entity.id, { before, after: both });
  }
  return [...byId.values()];
}
