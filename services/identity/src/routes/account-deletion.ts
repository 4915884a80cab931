import { deleteCurrentUser } from "@nts/shared/contract/users";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { requireRevision } from "@nts/shared/revision";
import type { ChangeRights } from "../rights/change-rights.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import { untilSaved } from "../storage/until-saved.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import type { RemoveAccount } from "../flows/leaving/remove-user.js";
import type { UserStore } from "../storage/users.js";

export interface AccountDeletionRoute {
  readonly users: Pick<UserStore, "get">;
  readonly removeAccount: RemoveAccount;
  readonly confirmCaller: ConfirmCaller;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly cookies: SessionCookies;
  readonly webhooks: Pick<WebhookPausing, "pause">;
}

/** The operation to delete one's own account. */
export function mountAccountDeletion(router: Router, routes: AccountDeletionRoute): void {
  const { users, removeAccount, confirmCaller, requireConfirmed, changeRights, cookies, webhooks } = routes;

  mount(router, deleteCurrentUser, async (call) => {
    const { principal, scope, body, precondition, sessionHashes, work } = call;
    await confirmCaller(call, body.password);
    await requireConfirmed(principal);
    await untilSaved(work, async () => {
      const current = await users.get(scope.organizationId, principal.userId);
      requireRevision(precondition, current.revision);
      return changeRights(work, [current._id], (tx) => removeAccount(current, tx));
    });
    await webhooks.pause(work, { user_id: principal.userId });
    return respond.data(null, { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } });
  });
}
