import { pullKeyChanges } from "@nts/shared/contract/internal";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import type { Acknowledgements } from "../rights/acknowledgements.js";
import type { KeyChangeLog } from "../storage/key-changes.js";
import { pageOf } from "../rights/key-change-page.rules.js";
import type { GatewayRegistry } from "../storage/gateways.js";

export interface KeyChangeRoutes {
  readonly keyChanges: KeyChangeLog;
  readonly registry: GatewayRegistry;
  readonly acknowledgements: Acknowledgements;
}

export function mountKeyChanges(router: Router, { keyChanges, registry, acknowledgements }: KeyChangeRoutes): void {
  mountAny(router, pullKeyChanges, async ({ query: { after, gateway, leaving } }) => {
    acknowledgements.note(gateway, after);
    // Registered before reading: a change is either included, or its author waits for this gateway.
    const live_gateways = await (leaving === true ? registry.remove(gateway) : registry.renew(gateway, after));
    const highest = await keyChanges.confirmed();
    const found = highest > after ? await keyChanges.after(after) : [];
    return respond.data({ ...pageOf(after, highest, found), live_gateways });
  });
}
