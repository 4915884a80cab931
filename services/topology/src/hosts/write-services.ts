import type { ClientSession } from "mongodb";
import type { Binding, Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Stored } from "../storage/entities.js";
import type { Reference } from "../storage/guards.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import { withoutTargets } from "./bindings.rules.js";

// The only writers of services' bindings: each keeps the list view of bindings equal to the services. Counting them is the
// caller's. The hosts are locked.

type Stores = Pick<Storage, "bindings" | "services">;

/** A service as it was, and as it is to be. */
export interface ServiceChange {
  readonly before: Stored<Service>;
  readonly after: Stored<Service>;
}

/** Stores new services of one host with their bindings. */
export async function insertServices(
  { bindings, services }: Stores,
  tx: ClientSession,
  scope: Scope,
  { hostName, inserted }: { hostName: string; inserted: readonly Service[] },
): Promise<void> {
  await services.insert(tx, scope, inserted, { host_name: hostName });
  await bindings.insertOf(tx, scope, inserted.map(({ host_id, bindings: own }) => ({ hostId: host_id, bindings: own }))); // prettier-ignore
}

/** Stores the next states of services. @param hostName of services that are updated themselves, and may be on another host now */
export async function saveServices(
  { bindings, services }: Stores,
  tx: ClientSession,
  scope: Scope,
  { changes, hostName }: { changes: readonly ServiceChange[]; hostName?: string },
): Promise<void> {
  const extra = hostName === undefined ? {} : { host_name: hostName, claimed: false };
  await services.replace(
    tx,
    scope,
    changes.map(({ after }) => after),
    extra,
  );
  const parted = changes.map(({ before, after }) => ({
    hostId: after.entity.host_id,
    bindings: without(after.entity.bindings, before.entity.bindings),
    gone: without(before.entity.bindings, after.entity.bindings),
  }));
  const gone = parted.flatMap((one) => one.gone.map(({ id }) => id));
  if (gone.length > 0) await bindings.remove(tx, scope, { _id: { $in: gone } });
  await bindings.insertOf(tx, scope, parted);
}

/** What networks have more (or less) of by changes of services. */
export function countsOfBindings(changes: readonly ServiceChange[]): Reference[] {
  return changes.map((change) => ({
    target: change.after.entity.network_id,
    kind: "network",
    counts: { bindings: moreBindings(change) },
  }));
}

/** How many bindings more there are. */
export function moreBindings({ before, after }: ServiceChange): number {
  return after.entity.bindings.length - before.entity.bindings.length;
}

/**
 * What becomes of the services that are bound to ports or interfaces which are removed.
 *
 * @param targets ids of the ports or interfaces
 */
export async function unbound(
  { bindings, services }: Stores,
  tx: ClientSession,
  scope: Scope,
  { targets, now }: { targets: readonly string[]; now: Date },
): Promise<ServiceChange[]> {
  const naming = { $or: [{ port_id: { $in: targets } }, { interface_id: { $in: targets } }] };
  const bound = await bindings.findMany(scope, naming, tx);
  if (bound.length === 0) return [];
  const serviceIds = [...new Set(bound.map(({ entity }) => entity.service_id))];
  const deleted = new Set(targets);
  const found = await services.findMany(scope, { _id: { $in: serviceIds } }, tx);
  return found.flatMap((before) => {
    const after = revised(before, { ...before.entity, bindings: withoutTargets(before.entity.bindings, deleted) }, now);
    return after === null ? [] : [{ before, after }];
  });
}

function without(bindings: readonly Binding[], others: readonly Binding[]): Binding[] {
  const ids = new Set(others.map(({ id }) => id));
  return bindings.filter(({ id }) => !ids.has(id));
}
