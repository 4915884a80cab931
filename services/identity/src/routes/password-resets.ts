import { requestPasswordReset, resetPassword } from "@nts/shared/contract/mail";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { callerAt } from "../storage/mail-limits.js";
import type { LinkTokens } from "../storage/link-tokens.js";
import type { Mail } from "../mail/mail.js";
import type { AffiliationsOf } from "../storage/affiliations.js";
import { admitsPasswords } from "../model/organization.js";
import type { UserStore } from "../storage/users.js";
import type { RequireStrongPassword } from "../secrets/strength.js";
import type { ResetByLink } from "../flows/recovery/reset-by-link.js";

export interface PasswordResetRoutes {
  readonly mail: Mail;
  readonly linkTokens: Pick<LinkTokens, "find">;
  readonly users: Pick<UserStore, "findByEmail">;
  readonly affiliationsOf: AffiliationsOf;
  readonly requireStrong: RequireStrongPassword;
  readonly resetByLink: ResetByLink;
}

export function mountPasswordResets(router: Router, routes: PasswordResetRoutes): void {
  const { mail, linkTokens, users, affiliationsOf, requireStrong, resetByLink } = routes;

  // No account lookup here, so that neither response nor timing reveals whether one exists.
  mountAny(router, requestPasswordReset, async ({ body: { email }, clientAddress, work }) => {
    await mail.require(callerAt(clientAddress), ["reset", email]);
    await mail.promise("password_reset", { email }, work);
    mail.wake();
    return respond.data(null);
  });

  mountAny(router, resetPassword, async ({ body: { token, new_password: password }, work }) => {
    const link = await linkTokens.find(token, "password_reset", new Date());
    const user = link && (await users.findByEmail(link.email));
    const organizations = user === null ? [] : (await affiliationsOf(user)).map(({ organization }) => organization);
    if (user === null || organizations.length === 0) throw new AppError("link_expired");
    const admitting = organizations.find(admitsPasswords);
    if (admitting === undefined) throw new AppError("password_login_disabled");
    await requireStrong(work, { path: "new_password", password }, { email: user.email, organization: admitting.name });
    await resetByLink(work, user, token, password);
    return respond.data(null);
  });
}
