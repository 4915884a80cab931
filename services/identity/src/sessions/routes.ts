import { getCurrentUser, login, logout, postCurrentUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, mountAny, type Router, type UserCall } from "@nts/shared/http/mount";
import type { FailedLogins } from "../audit/failed-logins.js";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { Guess } from "../logins/guess.js";
import { networksOf } from "../scopes.rules.js";
import type { TopologyDirectory } from "../topology.js";
import { untilSaved } from "../until-saved.js";
import type { Passwords } from "../users/passwords.js";
import type { UserStore } from "../users/store.js";
import { userAnswer } from "../users/user.js";
import type { SessionCookies } from "./cookie.js";
import type { ReplaceSessions } from "./replace.js";
import { placeOf } from "./place.js";
import { startSession } from "./start.js";
import type { SessionStore } from "./store.js";

export interface SessionRoutes {
  readonly sessions: SessionStore;
  readonly sessionsPerUser: number;
  readonly users: UserStore;
  readonly replaceSessions: ReplaceSessions;
  readonly passwords: Passwords;
  readonly guess: Guess;
  readonly failedLogins: FailedLogins;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

export function mountSessions(router: Router, routes: SessionRoutes): void {
  const {
    sessions,
    sessionsPerUser,
    users,
    replaceSessions,
    passwords,
    guess,
    failedLogins,
    topology,
    cookies,
    changeRights,
  } = routes;

  mountAny(router, login, async (call) => {
    const { body: { email, password }, clientAddress, sessionHashes, cause, work } = call; // prettier-ignore
    const user = await users.findByEmail(email);
    const check = () => passwords.matches(user?.password_hash ?? null, password);
    const failures = await guess(email, clientAddress, check);
    if (user !== null && failures > 0) failedLogins.note(user, failures, work);
    if (user === null || failures > 0) throw new AppError("invalid_credentials");
    const scope = { organizationId: user.organization_id, networks: networksOf(user) };
    const data = userAnswer(user, await topology.networksIn(scope, cause));
    const { token, session } = startSession(user, new Date(), placeOf(call));
    // Whoever has too many signs in all the same: the session ends that was not used for longest.
    await untilSaved(work, async () => {
      const replaced = await sessions.idsOf(sessionHashes);
      const beyond = await sessions.idsBeyond(user._id, sessionsPerUser - 1, sessionHashes);
      return replaceSessions(work, [...replaced, ...beyond], [`user:${user._id}`], async (tx) => {
        if (!(await users.beginSession(user, tx))) throw new AppError("invalid_credentials");
        await sessions.insert(session, user, tx);
        return (await sessions.count(user._id, tx)) <= sessionsPerUser ? "begun" : "conflict";
      });
    });
    const cookie = cookies.replacing(sessionHashes.length, token);
    return answer.data(data, { revision: user.revision, headers: { "set-cookie": cookie } });
  });

  mountAny(router, logout, async ({ principal, sessionHashes, work }) => {
    const ended = await sessions.idsOf(sessionHashes);
    if (principal.kind === "session") ended.push(principal.credentialId);
    if (ended.length > 0) await changeRights(work, ended, (tx) => sessions.removeMany(ended, tx));
    return answer.data(null, { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } });
  });

  for (const operation of [getCurrentUser, postCurrentUser]) mount(router, operation, currentUser);

  async function currentUser({ principal, scope, cause }: UserCall<typeof getCurrentUser>) {
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    const networkIds = await topology.networksIn(scope, cause);
    return answer.data(userAnswer(user, networkIds), { revision: user.revision, volatile: true });
  }
}
