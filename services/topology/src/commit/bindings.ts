import type { ClientSession } from "mongodb";
import type { Binding, Service } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { withoutTargets } from "../hosts/bindings.rules.js";
import { HOST_BINDINGS_INDEX } from "../storage/indexes.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import {
  MOST_BINDINGS_ON_HOST,
  requireRoomForBindings,
  SHARE_OF_BINDINGS,
} from "../storage/stores/host-capacity.rules.js";
import { changedAtOnce, MOST_UNBOUND } from "./changed-at-once.js";
import { type Change, type ChangesOf, idsOf } from "./changes.rules.js";
import { isMoved, moreBindings } from "./references.rules.js";

// Bindings are parts of services; a copy of each is an entity of its own that can be listed.

/** What becomes of the bindings of a service. */
interface ChangedBindings {
  readonly hostId: string;
  readonly added: readonly Binding[];
  readonly removed: readonly Binding[];
  /** Those of a service that is on this host now, and was on another one. */
  readonly moved: readonly Binding[];
  /** The size of the service, if it has more bindings on its host than before. */
  readonly grownTo: number;
}

/** What becomes of bindings as services do. */
export function changedBindings({ created, changed }: ChangesOf<Service>): ChangedBindings[] {
  return [
    ...changed.map((change) => {
      const { bindings: before } = change.before.entity;
      const { bindings: after, host_id: hostId } = change.after.entity;
      const grownTo = isMoved(change) || moreBindings(change) > 0 ? after.length : 0;
      const added = without(after, before);
      const moved = isMoved(change) ? without(after, added) : [];
      return { hostId, added, removed: without(before, after), moved, grownTo };
    }),
    ...created.map(({ host_id: hostId, bindings }) => ({
      hostId,
      added: bindings,
      removed: [],
      moved: [],
      grownTo: bindings.length,
    })),
  ];
}

/** Keeps the copies in step with the services. @throws AppError `validation_failed` if a host would have too many */
export async function saveBindings(
  { bindings }: Pick<Storage, "bindings">,
  tx: ClientSession,
  scope: Scope,
  changed: readonly ChangedBindings[],
): Promise<void> {
  const removed = changed.flatMap((one) => one.removed.map(({ id }) => id));
  if (removed.length > 0) await bindings.remove(tx, scope, { _id: { $in: removed } });
  await bindings.insertOf(
    tx,
    scope,
    changed.map(({ hostId, added }) => ({ hostId, bindings: added })),
  );
  const moved = changed.filter((one) => one.moved.length > 0);
  for (const hostId of new Set(moved.map((one) => one.hostId))) {
    const ids = moved.filter((one) => one.hostId === hostId).flatMap((one) => idsOf(one.moved));
    await bindings.moveTo(tx, scope, hostId, ids);
  }
  const large = changed.filter(({ grownTo }) => grownTo > SHARE_OF_BINDINGS);
  for (const hostId of new Set(large.map((one) => one.hostId))) {
    const options = { most: MOST_BINDINGS_ON_HOST + 1, hint: HOST_BINDINGS_INDEX };
    requireRoomForBindings(await bindings.countIn(tx, scope, { host_id: hostId }, options));
  }
}

/**
 * The services without their bindings to deleted ports or interfaces.
 *
 * @param targets ids of the ports or interfaces
 * @throws AppError `too_many_changes`
 */
export async function unbound(
  { bindings, services }: Pick<Storage, "bindings" | "services">,
  tx: ClientSession,
  scope: Scope,
  { targets, now }: { targets: readonly string[]; now: Date },
): Promise<Change<Service>[]> {
  const bound = await bindings.countNaming(tx, scope, targets, MOST_UNBOUND + 1);
  if (bound.size === 0) return [];
  const removed = [...bound.values()].reduce((sum, count) => sum + count, 0);
  if (removed > MOST_UNBOUND) throw new AppError("too_many_changes", { limit: MOST_UNBOUND });
  const deleted = new Set(targets);
  const found = await changedAtOnce(services.findEach(scope, { _id: { $in: [...bound.keys()] } }, tx));
  return found.flatMap((before) => {
    const after = revised(before, { ...before.entity, bindings: withoutTargets(before.entity.bindings, deleted) }, now);
    return after === null ? [] : [{ before, after }];
  });
}

function without(bindings: readonly Binding[], others: readonly Binding[]): Binding[] {
  const ids = new Set(others.map(({ id }) => id));
  return bindings.filter(({ id }) => !ids.has(id));
}
