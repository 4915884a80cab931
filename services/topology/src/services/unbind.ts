import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { revised } from "../storage/revisions.js";
import { withoutTargets } from "./bindings.js";
import type { ServiceStore } from "./store.js";

/** Takes the bindings that name a port or interface off the services of its host, which is locked. */
export async function unbind(
  session: ClientSession,
  scope: Scope,
  services: ServiceStore,
  { hostId, target, now }: { hostId: string; target: string; now: Date },
): Promise<void> {
  const deleted = new Set([target]);
  const onHost = await services.findMany(scope, { host_id: hostId }, session);
  const changed = onHost.flatMap((service) => {
    const bindings = withoutTargets(service.entity.bindings, deleted);
    if (bindings.length === service.entity.bindings.length) return [];
    const next = revised(service, { ...service.entity, bindings }, now);
    return next === null ? [] : [next];
  });
  await services.replace(session, scope, changed);
}
