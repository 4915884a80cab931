import type { ClientSession, Filter } from "mongodb";
import { LISTED_CONFLICTS } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Journaled } from "../journal/entries.rules.js";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import { HOST_ORDER_INDEX } from "../storage/indexes.js";
import { TAGGED_KINDS } from "../storage/kinds.js";
import type { Storage } from "../storage/storage.js";
import { type Conflict, conflictOf } from "./conflict.rules.js";
import { idsOf, type Planned } from "./planned.js";
import { misplaced } from "./undo.rules.js";

// Detects conflicts with entities that the request did not touch, after all writes and in the same transaction.

/** Maximum positions that are compared. */
const MOST_PLACES = 50_000;

/** Entities that still reference a deleted one. */
export async function dependents(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { networks, subnets, hosts, interfaces, ports, tags }: Planned,
): Promise<Conflict[]> {
  const find = async (kind: keyof Planned & Journaled, filter: Filter<EntityDocument>): Promise<Conflict[]> => {
    const found: Conflict[] = [];
    const entities = storage[kind] as unknown as Entities<Entity>;
    for await (const { entity } of entities.findEach(scope, filter, tx)) {
      found.push(conflictOf(kind, entity.id, "depends"));
      if (found.length === LISTED_CONFLICTS) break;
    }
    return found;
  };
  const all: Conflict[] = [];
  const named = [...interfaces.removed, ...ports.removed].map(({ id }) => id);
  if (named.length > 0) {
    const bound = await storage.bindings.countNaming(tx, scope, named, LISTED_CONFLICTS);
    all.push(...[...bound.keys()].map((id) => conflictOf("services", id, "depends")));
  }
  if (hosts.removed.length > 0)
    for (const kind of ["interfaces", "ports", "services"] as const)
      all.push(...(await find(kind, { host_id: { $in: idsOf(hosts.removed) } })));
  if (subnets.removed.length > 0)
    all.push(...(await find("interfaces", { subnet_id: { $in: idsOf(subnets.removed) } })));
  if (networks.removed.length > 0)
    for (const kind of ["subnets", "hosts"] as const)
      all.push(...(await find(kind, { network_id: { $in: idsOf(networks.removed) } })));
  if (tags.removed.length > 0)
    for (const kind of TAGGED_KINDS) all.push(...(await find(kind, { tags: { $in: idsOf(tags.removed) } })));
  return all;
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
    const { removed, restored, updated } = planned[kind];
    const moved = updated.flatMap(({ current, next }) => [current.entity, next.entity]);
    const hostIds = new Set([...removed, ...restored, ...moved].map(({ host_id }) => host_id).filter((id) => !gone.has(id))); // prettier-ignore
    if (hostIds.size === 0) continue;
    const filter = { host_id: { $in: [...hostIds] } };
    const options = { projection: { host_id: 1, position: 1 }, hint: HOST_ORDER_INDEX, limit: MOST_PLACES + 1 }; // prettier-ignore
    const places = (await storage[kind].selectIn(tx, scope, filter, options)) as unknown as Place[];
    if (places.length > MOST_PLACES) throw new AppError("too_many_changes", { limit: MOST_PLACES });
    const mine = new Set([...restored, ...updated.map(({ next }) => next.entity)].map(({ id }) => id));
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
