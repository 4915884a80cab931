import { type Binding, bindingKey, type Service, type ServiceUpdate } from "@nts/shared/contract";
import { type BindingJudge, keptCount } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";
import { serviceKind } from "../kinds/service.js";
import type { Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { bindingsOf, resolveBindings } from "./bindings.rules.js";
import { placeExisting, placeNew, type Shift } from "./positions.rules.js";

// Decides what becomes of a service by an update. How it is stored follows from what it concerns, see update-service.ts.

/**
 * What an update concerns: only the service's document; its bindings, too; or also other services of its host, another
 * host, or tags that could be deleted meanwhile.
 */
export type Extent = "document" | "bindings" | "others";

/** @param addsTags whether it gets a tag that is an entity */
export function extentOf(service: Service, request: ServiceUpdate, addsTags: boolean): Extent {
  const { host_id, network_id, position, bindings } = request;
  const keepsPlace = host_id === service.host_id && network_id === service.network_id && position === service.position;
  if (!keepsPlace || addsTags) return "others";
  const requested = new Set(bindings.map(bindingKey));
  const isBoundAsBefore =
    requested.size === service.bindings.length &&
    service.bindings.every((binding) => requested.has(bindingKey(binding)));
  return isBoundAsBefore ? "document" : "bindings";
}

/** Whether more bindings are requested than there are. */
export function addsBindings(service: Service, { bindings }: ServiceUpdate): boolean {
  return keptCount(bindings) > service.bindings.length;
}

/** Whether bindings are requested repeatedly, which a plan lists. */
export function repeatsBindings({ bindings }: ServiceUpdate): boolean {
  return new Set(bindings.map(bindingKey)).size < bindings.length;
}

/** The next state of a service by an update that concerns only its document; null if nothing changes. */
export function decideDocument(current: Stored<Service>, request: ServiceUpdate, now: Date): Stored<Service> | null {
  return revised(current, serviceKind.apply(current.entity, request), now);
}

/** The host of a service after its update, locked, with the rules for bindings to its ports and interfaces. */
export interface DecidingHost {
  readonly host: LockedHost;
  readonly judge: BindingJudge;
  readonly now: Date;
  readonly newId: () => string;
}

export interface Decided {
  /** Null if nothing changes. */
  readonly next: Stored<Service> | null;
  /** Of other services on its host. */
  readonly shift: Shift | null;
  /** To another host, so that its position on the former one is closed. */
  readonly isMoved: boolean;
}

/**
 * What becomes of a service and of others on its host.
 *
 * @throws AppError `network_mismatch` · `binding_cross_host` · `binding_conflict`
 */
export function decideOnHost(
  current: Stored<Service>,
  request: ServiceUpdate,
  { host, judge, now, newId }: DecidingHost,
): Decided {
  const { entity } = current;
  const { id: serviceId, network_id: networkId } = entity;
  if (request.network_id !== networkId || host.network_id !== networkId)
    throw new AppError("network_mismatch", { path: "network_id" });
  const owner = { serviceId, networkId, now: now.toISOString(), newId };
  const bindings: Binding[] = bindingsOf(resolveBindings(request.bindings, judge), entity.bindings, owner);
  const isMoved = host.id !== entity.host_id;
  const { position, shift } = isMoved
    ? placeNew(request.position, host.inventory.services - 1)
    : placeExisting(entity.position, request.position, host.inventory.services);
  const placed = { bindings, host_id: host.id, position };
  return { next: revised(current, { ...serviceKind.apply(entity, request), ...placed }, now), shift, isMoved };
}
