import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { SessionStore } from "../storage/sessions.js";
import type { UserStore } from "../storage/users.js";
import { confirmedUntil } from "../model/confirmation.rules.js";
import { isGuarded } from "../model/user.js";

/**
 * Requires a recent code for what a hijacked session must not do. Users without a second factor are exempt, and API
 * keys too: an Owner's key was created by a confirmed session.
 *
 * @param always no exemptions: rejects callers that cannot give a code
 * @throws AppError `confirmation_required` · `session_required`
 */
export type RequireConfirmed = (principal: UserPrincipal, always?: boolean) => Promise<void>;

export function createRequireConfirmed(
  users: Pick<UserStore, "find">,
  sessions: Pick<SessionStore, "find">,
): RequireConfirmed {
  return async ({ kind, credentialId, userId, scope: { organizationId } }, always = false) => {
    if (kind === "key") {
      if (always) throw new AppError("session_required");
      return;
    }
    const user = await users.find(organizationId, userId);
    if (user === null || !isGuarded(user)) {
      if (always) throw new AppError("confirmation_required");
      return;
    }
    const session = await sessions.find(organizationId, userId, credentialId);
    const until = confirmedUntil(session?.confirmed_at);
    if (until === null || until <= new Date()) throw new AppError("confirmation_required");
  };
}
