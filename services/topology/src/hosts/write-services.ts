import type { ClientSession } from "mongodb";
import type { Binding, Service } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Author, authorOf } from "@nts/shared/author";
import { byText } from "../storage/authorship.js";
import type { Stored } from "../storage/entities.js";
import type { Reference } from "../storage/guards.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import { HOST_BINDINGS_INDEX } from "../storage/indexes.js";
import {
  MOST_BINDINGS_ON_HOST,
  requireRoomForBindings,
  SHARE_OF_BINDINGS,
} from "../storage/stores/host-capacity.rules.js";
import { changedAtOnce, MOST_UNBOUND } from "./changed-at-once.js";
import { withoutTargets } from "./bindings.rules.js";

// All writes of bindings, which keep the binding list in sync with the services. Callers count them and lock the hosts.

type Stores = Pick<Storage, "bindings" | "services">;

/** A service before and after. */
export interface ServiceChange {
  readonly before: Stored<Service>;
  readonly after: Stored<Service>;
}

/** Services to be stored on one host. */
export interface NewServices {
  readonly hostName: string;
  readonly inserted: readonly Service[];
  /** Further fields of their documents. */
  readonly more?: (service: Service) => object;
}

/** Inserts services of one host with their bindings. */
export async function insertServices(
  { bindings, services }: Stores,
  tx: ClientSession,
  scope: Scope,
  { hostName, inserted, more = () => ({}) }: NewServices,
): Promise<void> {
  await services.insert(tx, scope, inserted, (service) => ({ host_name: hostName, ...more(service) }));
  await bindings.insertOf(
    tx,
    scope,
    inserted.map(({ host_id, bindings: own }) => ({ hostId: host_id, bindings: own })),
  );
  await checkBindings(bindings, tx, scope, inserted);
}

/** Stores changed services. @param hostName of directly updated services, which may have moved to another host */
export async function saveServices(
  stores: Stores,
  tx: ClientSession,
  scope: Scope,
  { changes, hostName }: { changes: readonly ServiceChange[]; hostName?: string },
): Promise<void> {
  await stores.services.replace(
    tx,
    scope,
    changes.map(({ after }) => after),
    hostName === undefined ? {} : updatedOn(hostName),
  );
  await saveBindings(stores, tx, scope, changes);
}

/**
 * The same for one service.
 *
 * @param isChecked true for one that was read before the transaction
 * @returns false where that has changed since; then nothing is stored
 */
export async function saveService(
  stores: Stores,
  tx: ClientSession,
  scope: Scope,
  { change, hostName, isChecked }: { change: ServiceChange; hostName: string; isChecked: boolean },
): Promise<boolean> {
  if (isChecked) return saveReadServices(stores, tx, scope, [{ ...change, hostName, author: authorOf(tx) }]);
  await saveServices(stores, tx, scope, { changes: [change], hostName });
  return true;
}

/** A change of a service that was read before the transaction. */
export interface ReadChange extends ServiceChange {
  readonly hostName: string;
  readonly author: Author | undefined;
}

/** Stores changed services, each as its author. @returns false where one has changed since; then nothing may be committed */
export async function saveReadServices(
  stores: Stores,
  tx: ClientSession,
  scope: Scope,
  changes: readonly ReadChange[],
): Promise<boolean> {
  const extra = new Map(
    changes.map(({ after: { entity, revision }, hostName, author }) => [
      entity.id,
      { ...updatedOn(hostName), by: byText(author, scope.organizationId, revision) },
    ]),
  );
  const changed = changes.map(({ after }) => after);
  if (!(await stores.services.replaceRead(tx, scope, changed, ({ id }) => extra.get(id) ?? {}))) return false;
  await saveBindings(stores, tx, scope, changes);
  return true;
}

/** Counter changes of networks caused by service changes. */
export function countsOfBindings(changes: readonly ServiceChange[]): Reference[] {
  return changes.map((change) => ({
    target: change.after.entity.network_id,
    kind: "network",
    counts: { bindings: moreBindings(change) },
  }));
}

/** The change in the number of bindings. */
export function moreBindings({ before, after }: ServiceChange): number {
  return after.entity.bindings.length - before.entity.bindings.length;
}

/**
 * Removes bindings to deleted ports or interfaces from services.
 *
 * @param targets ids of the ports or interfaces
 * @throws AppError `too_many_changes`
 */
export async function unbound(
  { bindings, services }: Stores,
  tx: ClientSession,
  scope: Scope,
  { targets, now }: { targets: readonly string[]; now: Date },
): Promise<ServiceChange[]> {
  const bound = await bindings.countNaming(tx, scope, targets, MOST_UNBOUND + 1);
  if (bound.size === 0) return [];
  const gone = [...bound.values()].reduce((sum, count) => sum + count, 0);
  if (gone > MOST_UNBOUND) throw new AppError("too_many_changes", { limit: MOST_UNBOUND });
  const deleted = new Set(targets);
  const found = await changedAtOnce(services.findEach(scope, { _id: { $in: [...bound.keys()] } }, tx));
  return found.flatMap((before) => {
    const after = revised(before, { ...before.entity, bindings: withoutTargets(before.entity.bindings, deleted) }, now);
    return after === null ? [] : [{ before, after }];
  });
}

/** Fields of services that are updated themselves, and may be on another host now. */
function updatedOn(hostName: string) {
  return { host_name: hostName, claimed: false };
}

/** Stores what becomes of the bindings of services. */
async function saveBindings(
  { bindings }: Stores,
  tx: ClientSession,
  scope: Scope,
  changes: readonly ServiceChange[],
): Promise<void> {
  const parted = changes.map(({ before, after }) => ({
    hostId: after.entity.host_id,
    bindings: without(after.entity.bindings, before.entity.bindings),
    gone: without(before.entity.bindings, after.entity.bindings),
  }));
  const gone = parted.flatMap((one) => one.gone.map(({ id }) => id));
  if (gone.length > 0) await bindings.remove(tx, scope, { _id: { $in: gone } });
  await bindings.insertOf(tx, scope, parted);
  const grown = changes.filter((change) => isMoved(change) || moreBindings(change) > 0);
  await checkBindings(
    bindings,
    tx,
    scope,
    grown.map(({ after }) => after.entity),
  );
}

function isMoved({ before, after }: ServiceChange): boolean {
  return before.entity.host_id !== after.entity.host_id;
}

/** @param services with more bindings, or on another host. @throws AppError `validation_failed` */
async function checkBindings(
  bindings: Stores["bindings"],
  tx: ClientSession,
  scope: Scope,
  services: readonly Service[],
): Promise<void> {
  const large = services.filter((service) => service.bindings.length > SHARE_OF_BINDINGS);
  for (const hostId of new Set(large.map(({ host_id }) => host_id))) {
    const options = { most: MOST_BINDINGS_ON_HOST + 1, hint: HOST_BINDINGS_INDEX };
    requireRoomForBindings(await bindings.countIn(tx, scope, { host_id: hostId }, options));
  }
}

function without(bindings: readonly Binding[], others: readonly Binding[]): Binding[] {
  const ids = new Set(others.map(({ id }) => id));
  return bindings.filter(({ id }) => !ids.has(id));
}
