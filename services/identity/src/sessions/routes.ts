import { getCurrentUser, login, logout, postCurrentUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, mountAny, type Router, type UserCall } from "@nts/shared/http/mount";
import type { ChangeRights } from "../key-changes/change-rights.js";
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
  readonly passwords: Passwords;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

export function mountSessions(router: Router, routes: SessionRoutes): void {
  const { sessions, users, passwords, topology, cookies, changeRights } = routes;

  mountAny(router, login, async ({ body: { email, password }, requestId }) => {
    const user = await users.findByEmail(email);
    const isRight = await passwords.matches(user?.password_hash ?? null, password);
    if (user === null || !isRight) throw new AppError("invalid_credentials");
    const scope = { organizationId: user.organization_id, networks: networksOf(user) };
    const data = userAnswer(user, await topology.networksIn(scope, requestId));
    const { token, session } = startSession(user, new Date());
    await sessions.insert(session);
    return answer.data(data, { revision: user.revision, headers: { "set-cookie": cookies.carrying(token) } });
  });

  mountAny(router, logout, async ({ principal }) => {
    if (principal.kind === "session") {
      const { userId, credentialId } = principal;
      if (await sessions.exists(userId, credentialId))
        await changeRights([credentialId], (transaction) => sessions.remove(userId, credentialId, transaction));
    }
    return answer.data(null, { headers: { "set-cookie": cookies.cleared() } });
  });

  for (const operation of [getCurrentUser, postCurrentUser]) mount(router, operation, currentUser);

  async function currentUser({ principal, scope, requestId }: UserCall<typeof getCurrentUser>) {
    const user = await users.find(scope.organizationId, principal.userId);
    if (user === null) throw new AppError("session_expired");
    const networkIds = await topology.networksIn(scope, requestId);
    return answer.data(userAnswer(user, networkIds), { revision: user.revision, volatile: true });
  }
}
