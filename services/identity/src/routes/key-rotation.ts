import { createApiKey } from "@nts/shared/api-key";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import { finishRotation, rotateKey } from "@nts/shared/contract/keys";
import { hashCredential } from "@nts/shared/credential";
import { mount, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import { requireRevision } from "@nts/shared/revision";
import type { ChangeRights } from "../rights/change-rights.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { untilSaved } from "../storage/until-saved.js";
import {
  actingForOwnerOf,
  grantorOf,
  type GrantorSources,
  type OwnerSources,
  ownerOf,
  respondWithKey,
} from "./key-caller.js";
import { rotated } from "../model/key.rules.js";
import type { KeyStore } from "../storage/api-keys.js";

export interface KeyRotationRoutes extends GrantorSources, Pick<OwnerSources, "users"> {
  readonly keys: Pick<KeyStore, "get" | "findIn" | "update">;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
}

/** Operations to replace the secret of a key, and to end the one before it. */
export function mountKeyRotation(router: Router, routes: KeyRotationRoutes): void {
  const { keys, requireConfirmed, changeRights } = routes;

  mount(router, rotateKey, async ({ principal, params: { id }, query: { grace_seconds }, precondition, work }) => {
    const owner = ownerOf(await actingForOwnerOf(routes, principal, id));
    const { secret, publicId } = createApiKey();
    const next = { hash: hashCredential(secret), publicId };
    const saved = await untilSaved(work, async () => {
      const current = await keys.get(owner, id);
      requireRevision(precondition, current.revision);
      if (isAtLeast(current.permissions, "Admin")) await requireConfirmed(principal);
      const changes = rotated(current, next, grace_seconds, new Date());
      return changeRights(work, [id], (tx) => keys.update(owner, current, changes, tx));
    });
    return respond.data(secret, { revision: saved.revision });
  });

  mount(router, finishRotation, async ({ principal, params: { id }, precondition, work, cause }) => {
    const caller = await grantorOf(routes, await actingForOwnerOf(routes, principal, id), cause);
    const saved = await untilSaved(work, async () => {
      const current = await keys.get(caller, id);
      requireRevision(precondition, current.revision);
      if (current.previous === null) return current;
      return changeRights(work, [id], (tx) => keys.update(caller, current, { previous: null }, tx));
    });
    return respondWithKey(saved, caller);
  });
}
