import { actInOrganization } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { ChangeRights } from "../rights/change-rights.js";
import type { AffiliationsOf } from "../storage/affiliations.js";
import type { UserStore } from "../storage/users.js";
import { switchFaultOf, type SignInProofOf } from "../model/sign-in-proof.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import type { ReadCurrentUser } from "../flows/sign-in/current-user.js";
import { continueSession } from "../flows/sign-in/start-session.js";
import type { SessionStore } from "../storage/sessions.js";

export interface ActingRoute {
  readonly users: Pick<UserStore, "find" | "beginSession">;
  readonly sessions: Pick<SessionStore, "find" | "removeMany" | "insert">;
  readonly affiliationsOf: AffiliationsOf;
  readonly signInProofOf: SignInProofOf;
  readonly readCurrentUser: ReadCurrentUser;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

/** The operation to continue a session in another of the user's organizations, with a new token. */
export function mountActing(router: Router, routes: ActingRoute): void {
  const { users, sessions, affiliationsOf, signInProofOf, readCurrentUser, cookies, changeRights } = routes;

  mount(router, actInOrganization, async (call) => {
    const { principal, scope, body, sessionHashes, cause, work } = call;
    const { userId, credentialId } = principal;
    const user = await users.find(scope.organizationId, userId);
    const before = await sessions.find(scope.organizationId, userId, credentialId);
    if (user === null || before === null) throw new AppError("session_expired");
    const all = await affiliationsOf(user);
    const next = all.find(({ organization }) => organization._id === body.organization_id);
    if (next === undefined) throw new AppError("invalid_reference", { path: "organization_id" });
    const data = await readCurrentUser(next.user, cause);
    const { revision } = next.user;
    if (next.organization._id === before.organization_id) return respond.data(data, { revision });
    const bar = switchFaultOf(next.organization, signInProofOf(before, user));
    if (bar !== null) throw new AppError(bar);
    const { token, session } = continueSession(before, next.user, new Date());
    await changeRights(work, [before._id], async (tx) => {
      const ended = await sessions.removeMany([before._id], tx);
      if (ended === "conflict" || !(await users.beginSession(next.user, tx))) throw new AppError("session_expired");
      await sessions.insert(session, next.user, tx);
      return "begun";
    });
    return respond.data(data, { revision, headers: { "set-cookie": cookies.replacing(sessionHashes.length, token) } });
  });
}
