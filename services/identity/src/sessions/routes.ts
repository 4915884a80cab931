import { getCurrentUser, login, logout, postCurrentUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, mountAny, type Router, type UserCall } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { Guess } from "../logins/guess.js";
import { networksOf } from "../scopes.js";
import type { TopologyDirectory } from "../topology.js";
import type { Passwords } from "../users/passwords.js";
import type { UserStore } from "../users/store.js";
import { userAnswer } from "../users/user.js";
import type { SessionCookies } from "./cookie.js";
import { startSession } from "./start.js";
import type { SessionStore } from "./store.js";

export interface SessionRoutes {
  readonly sessions: SessionStore;
  readonly users: UserStore;
  readonly transaction: RunTransaction;
  readonly passwords: Passwords;
  readonly guess: Guess;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

export function mountSessions(router: Router, routes: SessionRoutes): void {
  const { sessions, users, transaction, passwords, guess, topology, cookies, changeRights } = routes;

  mountAny(router, login, async ({ body: { email, password }, clientAddress, cause }) => {
    const user = await users.findByEmail(email);
    const check = () => passwords.matches(user?.password_hash ?? null, password);
    const isRight = await guess(email, clientAddress, check);
    if (user === null || !isRight) throw new AppError("invalid_credentials");
    const scope = { organizationId: user.organization_id, networks: networksOf(user) };
    const data = userAnswer(user, await topology.networksIn(scope, cause));
    const { token, session } = startSession(user, new Date());
    await transaction([`user:${user._id}`], async (running) => {
      if (!(await users.beginSession(user, running))) throw new AppError("invalid_credentials");
      await sessions.insert(session, running);
    });
    return answer.data(data, { revision: user.revision, headers: { "set-cookie": cookies.carrying(token) } });
  });

  mountAny(router, logout, async ({ principal }) => {
    if (principal.kind === "session") {
      const { userId, credentialId } = principal;
      if ((await sessions.find(userId, credentialId)) !== null)
        await changeRights([credentialId], (transaction) => sessions.remove(userId, credentialId, transaction));
    }
    return answer.data(null, { headers: { "set-cookie": cookies.cleared() } });
  });

  for (const operation of [getCurrentUser, postCurrentUser]) mount(router, operation, currentUser);

  async function currentUser({ principal, scope, cause }: UserCall<typeof getCurrentUser>) {
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    const networkIds = await topology.networksIn(scope, cause);
    return answer.data(userAnswer(user, networkIds), { revision: user.revision, volatile: true });
  }
}
