import type { ClientSession } from "mongodb";
import type { Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.js";
import type { Storage } from "../storage/storage.js";
import { withoutTargets } from "./bindings.js";

// The only writers of services' bindings: each keeps the list view of bindings and its count equal to the services.
// The host is locked.

type Stores = Pick<Storage, "bindings" | "guards" | "services">;

/** Stores new services of one host with their bindings; counting them is the caller's. */
export async function insertServices(
  { bindings, services }: Stores,
  session: ClientSession,
  scope: Scope,
  { host, inserted }: { host: { id: string; name: string }; inserted: readonly Service[] },
): Promise<void> {
  await services.insert(session, scope, inserted, { host_name: host.name });
  await bindings.insert(
    session,
    scope,
    inserted.flatMap((service) => service.bindings),
    { host_id: host.id },
  );
}

/** Stores the next state of a service. @param host where it is then */
export async function saveService(
  { bindings, guards, services }: Stores,
  session: ClientSession,
  scope: Scope,
  { before, after, host }: { before: Stored<Service>; after: Stored<Service>; host: { id: string; name: string } },
): Promise<void> {
  await services.replace(session, scope, [after], { host_name: host.name });
  const held = new Set(after.entity.bindings.map(({ id }) => id));
  const had = new Set(before.entity.bindings.map(({ id }) => id));
  const gone = [...had].filter((id) => !held.has(id));
  const added = after.entity.bindings.filter(({ id }) => !had.has(id));
  if (gone.length > 0) await bindings.remove(session, scope, { _id: { $in: gone } });
  await bindings.insert(session, scope, added, { host_id: host.id });
  if (added.length !== gone.length)
    await guards.count(session, scope, after.entity.network_id, { bindings: added.length - gone.length });
}

/** Takes the bindings that name one of the ports or interfaces of a host off its services. */
export async function unbind(
  stores: Stores,
  session: ClientSession,
  scope: Scope,
  { host, targets, now }: { host: { id: string; name: string }; targets: readonly string[]; now: Date },
): Promise<void> {
  const naming = { $or: [{ port_id: { $in: targets } }, { interface_id: { $in: targets } }] };
  const bound = await stores.bindings.findMany(scope, naming, session);
  if (bound.length === 0) return;
  const serviceIds = [...new Set(bound.map(({ entity }) => entity.service_id))];
  const deleted = new Set(targets);
  for (const before of await stores.services.findMany(scope, { _id: { $in: serviceIds } }, session)) {
    const bindings = withoutTargets(before.entity.bindings, deleted);
    const after = revised(before, { ...before.entity, bindings }, now);
    if (after !== null) await saveService(stores, session, scope, { before, after, host });
  }
}
