import type { Service, ServiceUpdate } from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { newId } from "@nts/shared/ids";
import { Discard } from "@nts/shared/mongo/transaction";
import { type Precondition, requireRevision } from "@nts/shared/revision";
import type { JointUpdate, JointUpdates } from "./joint-updates.js";
import type { Stored } from "../storage/entities.js";
import {
  addsBindings,
  decideDocument,
  decideOnHost,
  type Extent,
  extentOf,
  repeatsBindings,
} from "../hosts/service-update.rules.js";
import type { Storage } from "../storage/storage.js";
import { updateOnHost } from "./on-hosts.js";
import { closingGaps, shifted } from "./positions.js";
import { tagClaims } from "./references.rules.js";
import { reportRemovedBindings } from "./removed-bindings.js";
import { store } from "./store.js";
import type { Updating } from "./writer.js";

// Stores what service-update.rules.ts decides, in the cheapest way that is safe: one conditional update if only the
// service's document changes; a transaction shared with other requests if its bindings do; otherwise one of its own.

/** An update of a service. */
export interface ServiceUpdateRequest extends Updating {
  /** The host named by the request. */
  readonly to: string | undefined;
  /** The requested state for the current one. */
  readonly requested: (current: Service) => ServiceUpdate;
}

/** Conflicts before the write is left to the transaction, which has a deadline. */
const MOST_ATTEMPTS = 16;

/**
 * Updates a service.
 *
 * @param jointly for updates that may be written together with those of other requests
 * @returns the resulting state, or the current one if nothing changes
 * @throws AppError `quota_exceeded` if it adds bindings, which count as entities · `precondition_failed`
 */
export async function updateStoredService(
  storage: Storage,
  request: ServiceUpdateRequest,
  jointly: JointUpdates,
): Promise<Stored<Service>> {
  const { work, scope, id, requested, precondition } = request;
  const read = await storage.services.get(scope, id);
  const body = requested(read.entity);
  const extent = extentFor(read, body);
  const isUnchanged = extent === "document" && documentOf(read, body, precondition) === null;
  if (isUnchanged && !(work.unit !== undefined && repeatsBindings(body))) return read;
  if (extent !== "document" && addsBindings(read.entity, body)) await storage.quota.require(scope);
  // The stored revision may differ from the read one while deleted tags are on it.
  const isAsStored = scope.hidden === undefined || scope.hidden.tags.size === 0;
  if (!isAsStored || work.unit !== undefined) return inTransaction(storage, request, { read, isChecked: false });
  return storage.shortWrites.inTurn(read, (newest) => withoutTransaction(storage, request, { newest, jointly }));
}

function extentFor({ entity }: Stored<Service>, body: ServiceUpdate): Extent {
  return extentOf(entity, body, tagClaims(body.tags, entity.tags).length > 0);
}

/** The next document, where it alone changes; null if nothing does. @throws AppError `precondition_failed` */
function documentOf(
  current: Stored<Service>,
  body: ServiceUpdate,
  precondition: Precondition | null,
): Stored<Service> | null {
  requireRevision(precondition, current.revision);
  return decideDocument(current, body, new Date());
}

/** Replaces the document, unless more is to be written, or others keep changing it. */
async function withoutTransaction(
  storage: Storage,
  request: ServiceUpdateRequest,
  { newest, jointly }: { readonly newest: Stored<Service>; readonly jointly: JointUpdates },
): Promise<Stored<Service>> {
  const { work, scope, id, requested, precondition } = request;
  let current = newest;
  const alone = (): Promise<Stored<Service>> => inTransaction(storage, request, { read: current, isChecked: true });
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const body = requested(current.entity);
    const extent = extentFor(current, body);
    if (extent === "others") return alone();
    if (extent === "bindings") return jointly(jointUpdate(current, request, { body, alone }));
    const next = documentOf(current, body, precondition);
    if (next === null) return current;
    const outcome = await storage.shortWrites.write(work, scope, next);
    if (outcome === "written") return next;
    if (outcome === "locked") break;
    const again = await storage.services.get(scope, id);
    if (again.revision === current.revision) break;
    current = again;
  }
  return alone();
}

function jointUpdate(
  current: Stored<Service>,
  { work, scope, precondition }: ServiceUpdateRequest,
  { body, alone }: { readonly body: ServiceUpdate; readonly alone: JointUpdate["alone"] },
): JointUpdate {
  const next: JointUpdate["next"] = (host) => {
    requireRevision(precondition, current.revision);
    const on = { host, judge: bindingJudge(host.inventory), now: new Date(), newId };
    const decided = decideOnHost(current, body, on);
    return decided.shift === null ? decided.next : null;
  };
  return { work, scope, current, bindings: current.entity.bindings.length + body.bindings.length, next, alone };
}

/** @param isChecked whether it is stored only where it has the revision that was read, so that it need not be read again */
function inTransaction(
  storage: Storage,
  { work, scope, id, to, requested, precondition }: ServiceUpdateRequest,
  { read, isChecked }: { readonly read: Stored<Service>; readonly isChecked: boolean },
): Promise<Stored<Service>> {
  const { services } = storage;
  const now = new Date();
  const updating = { work, scope, id, read, isChecked, ...(to !== undefined && { to }) };
  return updateOnHost(storage, services, updating, async ({ tx, host, locked, current }) => {
    const { entity } = current;
    requireRevision(precondition, current.revision);
    const body = requested(entity);
    const judge = bindingJudge(host.inventory);
    const { next, shift, isMoved } = decideOnHost(current, body, { host, judge, now, newId });
    reportRemovedBindings(tx, body.bindings, judge);
    if (next === null) throw new Discard(current);
    const changed = [
      { before: current, after: next },
      ...(await shifted(services, tx, scope, { hostId: host.id, shift, except: id, now })),
      ...(await closingGaps(services, tx, scope, { leaving: isMoved ? [entity] : [], now })),
    ];
    const storing = { changes: { services: { changed } }, hosts: locked, areRead: isChecked };
    return (await store(storage, tx, scope, storing)) ? next : "conflict";
  });
}
