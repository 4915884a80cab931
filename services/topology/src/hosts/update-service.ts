import { type Binding, type BindingInput, bindingKey, type Service, type ServiceUpdate } from "@nts/shared/contract";
import { bindingJudge, type BindingJudge, keptCount } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { Discard } from "@nts/shared/mongo/transaction";
import { type Precondition, requireRevision } from "@nts/shared/revision";
import type { Work } from "@nts/shared/work";
import type { JointUpdate, JointUpdates } from "./joint-updates.js";
import { updateOnHost } from "./on-host.js";
import { placeExisting, placeNew } from "./positions.rules.js";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import type { Stored } from "../storage/entities.js";
import { reportRemovedBindings } from "./removed-bindings.js";
import { revised } from "../storage/revisions.rules.js";
import { applyShift, closeGaps } from "./shifts.js";
import type { Storage } from "../storage/storage.js";
import { bindingsOf, resolveBindings } from "./bindings.rules.js";
import { moreBindings, saveService } from "./write-services.js";
import { serviceKind } from "../kinds/service.js";

/** A service update. */
export interface Asked {
  readonly work: Work;
  readonly scope: Scope;
  readonly id: string;
  /** The host named by the request. */
  readonly to: string | undefined;
  /** The requested state for the current one. */
  readonly asked: (current: Service) => ServiceUpdate;
  /** Revisions that the caller accepts; null if not specified. */
  readonly precondition: Precondition | null;
}

/** Conflicts before the write is left to the transaction, which has a deadline. */
const MOST_ATTEMPTS = 16;

/**
 * Updates a service.
 *
 * @param jointly for updates that may be written together with those of other requests
 * @returns the resulting state, or the current one if nothing changes
 * @throws AppError `quota_exceeded` if it adds bindings, which count as entities
 */
export async function updateOne(storage: Storage, asked: Asked, jointly?: JointUpdates): Promise<Stored<Service>> {
  const { services, shortWrites } = storage;
  const { work, scope, id } = asked;
  const read = await services.get(scope, id);
  const next = nextInPlace(read, asked);
  const isPlanned = work.unit !== undefined && repeatsBindings(read.entity, asked);
  if (next === null && !isPlanned) return read;
  if (next === "not in place" && addsBindings(read.entity, asked)) await storage.quota.require(scope);
  // The stored revision may differ from the read one while deleted tags are on it.
  const isAsStored = scope.hidden === undefined || scope.hidden.tags.size === 0;
  if (!isAsStored || work.unit !== undefined) return updateInTransaction(storage, asked, { read, isChecked: false });
  return shortWrites.inTurn(read, async (newest) => {
    let current = newest;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const next = nextInPlace(current, asked);
      if (next === null) return current;
      if (next === "not in place") return updateOutOfPlace(storage, asked, current, jointly);
      const outcome = await shortWrites.write(work, scope, next);
      if (outcome === "written") return next;
      if (outcome === "locked") break;
      const again = await services.get(scope, id);
      if (again.revision === current.revision) break;
      current = again;
    }
    return updateInTransaction(storage, asked, { read: current, isChecked: true });
  });
}

function updateOutOfPlace(
  storage: Storage,
  asked: Asked,
  current: Stored<Service>,
  jointly: JointUpdates | undefined,
): Promise<Stored<Service>> {
  const alone = (): Promise<Stored<Service>> => updateInTransaction(storage, asked, { read: current, isChecked: true });
  const joint = jointUpdate(current, asked);
  const { work, scope } = asked;
  return jointly === undefined || joint === null ? alone() : jointly({ ...joint, work, scope, current, alone });
}

/** The update of a service that keeps its host and position, and gets no tag that could be deleted; null for others. */
function jointUpdate(
  current: Stored<Service>,
  { asked, precondition }: Asked,
): Pick<JointUpdate, "bindings" | "next"> | null {
  const { entity, revision } = current;
  const body = asked(entity);
  const { network_id, bindings, tags } = body;
  if (!keepsPlace(entity, body) || tagClaims(tags, entity.tags).length > 0) return null;
  return {
    bindings: entity.bindings.length + bindings.length,
    next: (host) => {
      requireRevision(precondition, revision);
      if (host.network_id !== network_id) throw new AppError("network_mismatch", { path: "network_id" });
      const now = new Date();
      const bound = boundBy(bindingJudge(host.inventory), entity, bindings, now);
      return revised(current, { ...serviceKind.apply(entity, body), bindings: bound }, now);
    },
  };
}

/** The requested bindings of a service, as its host allows them. @throws AppError `binding_cross_host` · `binding_conflict` */
function boundBy(judge: BindingJudge, service: Service, requested: readonly BindingInput[], now: Date): Binding[] {
  const owner = { serviceId: service.id, networkId: service.network_id, now: now.toISOString(), newId };
  return bindingsOf(resolveBindings(requested, judge), service.bindings, owner);
}

function keepsPlace(service: Service, { host_id, network_id, position }: ServiceUpdate): boolean {
  return host_id === service.host_id && network_id === service.network_id && position === service.position;
}

/** Whether a service keeps host, position and bindings, so that these need no validation. */
function staysInPlace(service: Service, body: ServiceUpdate): boolean {
  const asked = new Set(body.bindings.map(bindingKey));
  return (
    keepsPlace(service, body) &&
    asked.size === service.bindings.length &&
    service.bindings.every((binding) => asked.has(bindingKey(binding)))
  );
}

/**
 * The next state of a service that stays in place and gets no tag that could be deleted concurrently; null if nothing
 * changes.
 *
 * @throws AppError `precondition_failed`
 */
function nextInPlace(
  current: Stored<Service>,
  { asked, precondition }: Asked,
): Stored<Service> | "not in place" | null {
  const { entity, revision } = current;
  const body = asked(entity);
  if (!staysInPlace(entity, body) || tagClaims(body.tags, entity.tags).length > 0) return "not in place";
  requireRevision(precondition, revision);
  return revised(current, serviceKind.apply(entity, body), new Date());
}

function addsBindings(service: Service, { asked }: Asked): boolean {
  return keptCount(asked(service).bindings) > service.bindings.length;
}

/** Whether a plan of the update lists bindings of the request that are not written. */
function repeatsBindings(service: Service, { asked }: Asked): boolean {
  const { bindings } = asked(service);
  return new Set(bindings.map(bindingKey)).size < bindings.length;
}

/** @param isChecked whether it is stored only where it has the revision that was read, so that it need not be read again */
function updateInTransaction(
  storage: Storage,
  { work, scope, id, to, asked, precondition }: Asked,
  { read, isChecked }: { readonly read: Stored<Service>; readonly isChecked: boolean },
): Promise<Stored<Service>> {
  const { guards, services } = storage;
  const now = new Date();
  const updating = { work, scope, id, read, isChecked, ...(to !== undefined && { to }) };
  return updateOnHost(storage, services, updating, async ({ tx, host, current }) => {
    const { entity } = current;
    requireRevision(precondition, current.revision);
    const body = asked(entity);
    if (body.network_id !== entity.network_id || host.network_id !== entity.network_id)
      throw new AppError("network_mismatch", { path: "network_id" });
    const judge = bindingJudge(host.inventory);
    reportRemovedBindings(tx, body.bindings, judge);
    const bindings = boundBy(judge, entity, body.bindings, now);
    const moves = host.id !== entity.host_id;
    const { position, shift } = moves
      ? placeNew(body.position, host.inventory.services - 1)
      : placeExisting(entity.position, body.position, host.inventory.services);
    const said = serviceKind.apply(entity, body);
    const next = revised(current, { ...said, bindings, host_id: host.id, position }, now);
    if (next === null) throw new Discard(current);
    const change = { before: current, after: next };
    const more = moreBindings(change);
    const counted = more === 0 ? [] : [networkClaim(entity.network_id, { bindings: more })];
    await requireReferences(guards, tx, scope, [...tagClaims(said.tags, entity.tags), ...counted]);
    const saving = { change, hostName: host.name, isChecked };
    if (!(await saveService(storage, tx, scope, saving))) return "conflict";
    await applyShift(tx, scope, services, { hostId: host.id, shift, except: id, now });
    if (moves) await closeGaps(tx, scope, services, { gone: [entity], now });
    return next;
  });
}
