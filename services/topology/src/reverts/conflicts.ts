import type { ClientSession, Filter } from "mongodb";
import { LISTED_CONFLICTS } from "@nts/shared/contract";
import { KIND_NAMES, type KindName, KINDS, pluralOf } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Journaled } from "../journal/entries.rules.js";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import { HOST_ORDER_INDEX } from "../storage/indexes.js";
import { TAGGED } from "../kinds/index.js";
import type { Storage } from "../storage/storage.js";
import { type Conflict, conflictOf } from "./conflict.rules.js";
import { idsOf } from "../commit/changes.rules.js";
import type { Planned } from "./planned.js";
import { misplaced } from "./undo.rules.js";

// Detects conflicts with entities that the request did not touch, after all writes and in the same transaction.

/** Maximum positions that are compared. */
const MOST_PLACES = 50_000;

/** Entities that still reference a deleted one. */
export async function dependents(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  planned: Planned,
): Promise<Conflict[]> {
  const find = async (kind: Journaled, filter: Filter<EntityDocument>): Promise<Conflict[]> => {
    const found: Conflict[] = [];
    const entities = storage[kind] as unknown as Entities<Entity>;
    for await (const { entity } of entities.findEach(scope, filter, tx)) {
      found.push(conflictOf(kind, entity.id, "depends"));
      if (found.length === LISTED_CONFLICTS) break;
    }
    return found;
  };
  const all: Conflict[] = [];
  const { interfaces, ports } = planned;
  const named = [...interfaces.removed, ...ports.removed].map(({ id }) => id);
  if (named.length > 0) {
    const bound = await storage.bindings.countNaming(tx, scope, named, LISTED_CONFLICTS);
    all.push(...[...bound.keys()].map((id) => conflictOf("services", id, "depends")));
  }
  for (const name of KIND_NAMES.toReversed()) {
    const ids = idsOf(planned[pluralOf(name)].removed);
    if (ids.length > 0)
      for (const [kind, field] of referrersTo(name)) all.push(...(await find(kind, { [field]: { $in: ids } })));
  }
  return all;
}

/** The kinds that refer to a kind, and the field in which they do. */
function referrersTo(name: KindName): (readonly [kind: Journaled, field: string])[] {
  if (name === "Tag") return TAGGED.map((kind) => [kind, "tags"] as const);
  const referring = KIND_NAMES.map((one) => KINDS[one]).filter(
    ({ parent, refersTo, mayReferTo, names }) =>
      parent === name || ([...refersTo, ...mayReferTo, ...names] as readonly string[]).includes(name),
  );
  return referring.map(({ plural }) => [plural, `${KINDS[name].singular}_id`] as const);
}

/** Children of hosts that occupy the position of a restored or moved one. */
export async function inTheWay(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  planned: Planned,
): Promise<Conflict[]> {
  const all: Conflict[] = [];
  const gone = new Set(idsOf(planned.hosts.removed));
  for (const kind of ["interfaces", "services"] as const) {
    const { removed, created, changed } = planned[kind];
    const moved = changed.flatMap(({ before, after }) => [before.entity, after.entity]);
    const hostIds = new Set(
      [...removed, ...created, ...moved].map(({ host_id }) => host_id).filter((id) => !gone.has(id)),
    );
    if (hostIds.size === 0) continue;
    const filter = { host_id: { $in: [...hostIds] } };
    const options = { projection: { host_id: 1, position: 1 }, hint: HOST_ORDER_INDEX, limit: MOST_PLACES + 1 };
    const places = (await storage[kind].selectIn(tx, scope, filter, options)) as unknown as Place[];
    if (places.length > MOST_PLACES) throw new AppError("too_many_changes", { limit: MOST_PLACES });
    const mine = new Set([...created, ...changed.map(({ after }) => after.entity)].map(({ id }) => id));
    const wrong = misplaced(places);
    // Of two at one position, report the one that the revert did not write.
    const others = wrong.filter(({ _id }) => !mine.has(_id));
    all.push(...(others.length > 0 ? others : wrong).map(({ _id }) => conflictOf(kind, _id, "in_the_way")));
  }
  return all;
}

interface Place {
  readonly _id: string;
  readonly host_id: string;
  readonly position: number;
}
