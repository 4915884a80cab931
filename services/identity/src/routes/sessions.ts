import { getCurrentUser, login, logout, postCurrentUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, mountAny, type Router, type UserCall } from "@nts/shared/http/mount";
import type { FailedLogins } from "../audit/failed-logins.js";
import type { ChangeRights } from "../rights/change-rights.js";
import type { ThrottledCheck } from "../flows/sign-in/throttled-check.js";
import type { AffiliationsOf } from "../storage/affiliations.js";
import { admitsPasswords, requiresSecondFactor } from "../model/organization.js";
import { CHALLENGE_SECONDS, type Challenges } from "../storage/challenges.js";
import { isGuarded } from "../model/user.js";
import type { Passwords } from "../secrets/passwords.js";
import type { UserStore } from "../storage/users.js";
import type { BeginSession } from "../flows/sign-in/begin-session.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import type { ReadCurrentUser } from "../flows/sign-in/current-user.js";
import type { SessionStore } from "../storage/sessions.js";

export interface SessionRoutes {
  readonly sessions: SessionStore;
  readonly users: UserStore;
  readonly affiliationsOf: AffiliationsOf;
  readonly readCurrentUser: ReadCurrentUser;
  readonly beginSession: BeginSession;
  readonly challenges: Pick<Challenges, "issue">;
  readonly passwords: Passwords;
  readonly throttledCheck: ThrottledCheck;
  readonly failedLogins: FailedLogins;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

export function mountSessions(router: Router, routes: SessionRoutes): void {
  const { sessions, users, affiliationsOf, readCurrentUser, beginSession, challenges, passwords } = routes;
  const { throttledCheck, failedLogins, cookies, changeRights } = routes;

  mountAny(router, login, async (call) => {
    const {
      body: { email, password },
      clientAddress,
      work,
    } = call;
    const account = await users.findByEmail(email);
    const check = () => passwords.matches(account?.password_hash ?? null, password, work);
    const failures = await throttledCheck(email, clientAddress, check);
    if (account !== null && failures > 0) failedLogins.note(account, failures, work);
    if (account === null || failures > 0) throw new AppError("invalid_credentials");
    // Only checked after the correct password, so that timing reveals nothing to others.
    const affiliations = await affiliationsOf(account);
    if (affiliations.length === 0) throw new AppError("invalid_credentials");
    const admitting = affiliations.find(({ organization }) => admitsPasswords(organization));
    if (admitting === undefined) throw new AppError("password_login_disabled");
    const { user, organization } = admitting;
    const set_up = !isGuarded(user);
    if (!set_up || requiresSecondFactor(organization)) {
      const challenge = await challenges.issue(user, clientAddress, new Date());
      throw new AppError("second_factor_required", { challenge, expires_in_seconds: CHALLENGE_SECONDS, set_up });
    }
    const started = await beginSession(call, user, async (tx) => {
      if (!(await users.beginSession(user, tx))) throw new AppError("invalid_credentials");
    });
    return respond.data(started.user, started.extras);
  });

  mountAny(router, logout, async ({ principal, sessionHashes, work }) => {
    const ended = await sessions.idsOf(sessionHashes);
    if (principal.kind === "session") ended.push(principal.credentialId);
    if (ended.length > 0) await changeRights(work, ended, (tx) => sessions.removeMany(ended, tx));
    return respond.data(null, { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } });
  });

  for (const operation of [getCurrentUser, postCurrentUser]) mount(router, operation, currentUser);

  async function currentUser({ principal, scope, cause }: UserCall<typeof getCurrentUser>) {
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    return respond.data(await readCurrentUser(user, cause), { revision: user.revision, volatile: true });
  }
}
