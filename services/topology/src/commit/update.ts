import type { HostRecord } from "@nts/shared/contract";
import { type KindOnHost, pluralOf, type PluralOf } from "@nts/shared/contract/kinds";
import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { Discard } from "@nts/shared/mongo/transaction";
import { requireRevision } from "@nts/shared/revision";
import { placeExisting, type Shift } from "../hosts/positions.rules.js";
import type { EntityIn, TopLevelKind } from "../kinds/index.js";
import { changesOf } from "../storage/changes.rules.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import type { Changes } from "./changes.rules.js";
import { hostRevisionIn } from "./host-revision.js";
import { type Child, countOn, transactionOnHosts, updateOnHost } from "./on-hosts.js";
import { type Positioned, shifted } from "./positions.js";
import { store } from "./store.js";
import type { Updating, Writer } from "./writer.js";

// Updates are decided for what is read first, so that one that changes nothing ends there, and again for what the transaction
// reads.

/** The next state of an entity. Pure, because it is decided several times. @throws AppError if it is refused */
export type Decide<T> = (current: T) => T;

/**
 * Updates an entity.
 *
 * @returns the resulting state, or the current one if nothing changes
 * @throws AppError `not_found` · `precondition_failed` · `already_exists`, and as {@link store}
 */
export async function commitUpdate<Name extends TopLevelKind>(
  storage: Storage,
  name: Name,
  { work, scope, id, precondition }: Updating,
  decide: Decide<EntityIn<PluralOf<Name>>>,
): Promise<Stored<EntityIn<PluralOf<Name>>>> {
  type T = EntityIn<PluralOf<Name>> & Entity;
  const entities = storage[pluralOf(name)] as unknown as Entities<T>;
  const next = (current: Stored<T>): Stored<T> | null => {
    requireRevision(precondition, current.revision);
    return revised(current, decide(current.entity), new Date());
  };
  const read = await entities.get(scope, id);
  if (next(read) === null) return read;
  return refusingDuplicates(() =>
    storage.transaction(work, [id], async (tx) => {
      const before = await entities.get(scope, id, tx);
      const after = next(before);
      if (after === null) throw new Discard(before);
      await store(storage, tx, scope, { changes: { [pluralOf(name)]: { changed: [{ before, after }] } } });
      return after;
    }),
  );
}

/**
 * The same for a child that stays on its host. A position beyond the end of its list is the last one.
 */
export async function commitUpdateOnHost<Name extends Exclude<KindOnHost, "Service">>(
  storage: Storage,
  name: Name,
  { work, scope, id, precondition }: Updating,
  decide: Decide<EntityIn<PluralOf<Name>>>,
): Promise<Stored<EntityIn<PluralOf<Name>>>> {
  type T = EntityIn<PluralOf<Name>> & Child & { readonly position?: number };
  const plural = pluralOf(name);
  const entities = storage[plural] as unknown as Entities<T>;
  const now = new Date();
  const decided = (current: Stored<T>): T => {
    requireRevision(precondition, current.revision);
    return decide(current.entity) as T;
  };
  const isDone = (current: Stored<T>): boolean => revised(current, decided(current), now) === null;
  return refusingDuplicates(() =>
    updateOnHost(storage, entities, { work, scope, id, isDone }, async ({ tx, host, locked, current }) => {
      const { next, shift } = placedAmong(countOn(host, plural), current.entity, decided(current));
      const after = revised(current, next, now);
      if (after === null) throw new Discard(current);
      const siblings = entities as unknown as Entities<Positioned>;
      const others = await shifted(siblings, tx, scope, { hostId: host.id, shift, except: id, now });
      const changes = { [plural]: { changed: [{ before: current, after }, ...others] } } as Changes;
      await store(storage, tx, scope, { changes, hosts: locked });
      return after;
    }),
  );
}

/** An item at its requested position among this many, and the shift of the others. */
function placedAmong<T extends { readonly position?: number }>(
  count: number,
  current: T,
  next: T,
): { readonly next: T; readonly shift: Shift | null } {
  if (current.position === undefined) return { next, shift: null };
  const { position, shift } = placeExisting(current.position, next.position, count);
  return { next: { ...next, position }, shift };
}

/**
 * The same for a host, whose revision covers its children.
 *
 * @param respond made in the transaction that has written it
 * @returns null if nothing changes
 */
export async function commitHostUpdate<R>(
  storage: Storage,
  { work, scope, id, precondition }: Updating,
  decide: Decide<HostRecord>,
  respond: (tx: ClientSession) => Promise<R>,
): Promise<R | null> {
  const { hosts, services } = storage;
  return transactionOnHosts(storage, { work, scope, hostIds: [id] }, async (tx) => {
    const before = await hosts.get(scope, id, tx);
    if (precondition !== null) requireRevision(precondition, await hostRevisionIn(storage, tx, scope, before));
    const after = revised(before, decide(before.entity), new Date());
    if (after === null) throw new Discard(null);
    if (precondition !== null) await services.lockAllOn(tx, scope, id);
    await store(storage, tx, scope, { changes: { hosts: { changed: [{ before, after }] } } });
    return respond(tx);
  });
}

/**
 * Says that hosts are known, atomically.
 *
 * @returns how many were not
 * @throws AppError `not_found`
 */
export async function commitKnown(
  storage: Storage,
  { work, scope, ids }: Writer & { readonly ids: readonly string[] },
): Promise<number> {
  const { hosts } = storage;
  return transactionOnHosts(storage, { work, scope, hostIds: [...ids].sort() }, async (tx) => {
    const found = await hosts.findMany(scope, { _id: { $in: [...ids] } }, tx);
    if (found.length !== ids.length) throw new AppError("not_found", { entity: hosts.name });
    const next = found.map((before) => ({ before, entity: { ...before.entity, is_known: true } }));
    const changed = changesOf(next, new Date());
    if (changed.length === 0) throw new Discard(0);
    await store(storage, tx, scope, { changes: { hosts: { changed } } });
    return changed.length;
  });
}
