import { sendVerification, verifyEmail } from "@nts/shared/contract/mail";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { callerAt } from "../storage/mail-limits.js";
import type { LinkTokens } from "../storage/link-tokens.js";
import type { Mail } from "../mail/mail.js";
import type { VerifiedAddresses } from "../storage/verified-addresses.js";
import type { TopologyDirectory } from "../topology/directory.js";
import type { UserStore } from "../storage/users.js";
import { userResponse } from "../model/user.js";

export interface AddressRoutes {
  readonly mail: Mail;
  readonly linkTokens: Pick<LinkTokens, "take">;
  readonly addresses: Pick<VerifiedAddresses, "verify">;
  readonly users: Pick<UserStore, "find">;
  readonly topology: Pick<TopologyDirectory, "networksIn">;
  readonly transaction: RunTransaction;
}

/** Operations to verify one's own email address. */
export function mountAddresses(router: Router, routes: AddressRoutes): void {
  const { mail, linkTokens, addresses, users, topology, transaction } = routes;

  mount(router, sendVerification, async ({ principal, scope, clientAddress, work }) => {
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    if (user.email_verified === true) return respond.data(null);
    const { email } = user;
    await mail.require(callerAt(clientAddress), ["verification", email]);
    await mail.promise("verification", { email }, work);
    mail.wake();
    return respond.data(null);
  });

  mount(router, verifyEmail, async ({ principal, scope, body: { token }, cause, work }) => {
    const { userId } = principal;
    const user = await users.find(scope.organizationId, userId);
    if (user === null) throw new AppError("session_expired");
    await transaction(work, [`user:${userId}`], async (tx) => {
      const isTaken = await linkTokens.take(token, "verification", user, tx);
      if (!isTaken || !(await addresses.verify(user, tx))) throw new AppError("link_expired");
    });
    const verified = await users.find(scope.organizationId, userId);
    if (verified === null) throw new AppError("session_expired");
    const networkIds = await topology.networksIn(scope, cause);
    return respond.data(userResponse(verified, networkIds), { revision: verified.revision });
  });
}
