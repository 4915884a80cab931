import { deleteSession, listSessions, revokeOtherSessions } from "@nts/shared/contract/sessions";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { ChangeRights } from "../rights/change-rights.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import { respondWithList } from "../flows/respond-with-list.js";
import { sessionResponse, type SessionDocument } from "../model/session.js";
import type { SessionOwner, SessionStore } from "../storage/sessions.js";

export interface OwnSessionRoutes {
  readonly sessions: SessionStore;
  readonly cookies: SessionCookies;
  readonly changeRights: ChangeRights;
}

/** Operations on one's own sessions. */
export function mountOwnSessions(router: Router, { sessions, cookies, changeRights }: OwnSessionRoutes): void {
  mount(router, listSessions, ({ principal, query, work }) => {
    const now = new Date();
    const list = sessions.list(ownerOf(principal), query, now);
    const converter = () => (session: SessionDocument) => sessionResponse(session, principal.credentialId, now);
    return Promise.resolve(respondWithList(list, work, converter));
  });

  mount(router, deleteSession, async ({ principal, params: { id }, work }) => {
    const { organizationId, userId } = ownerOf(principal);
    const found = await sessions.find(organizationId, userId, id);
    const ended = found && (await changeRights(work, [id], (tx) => sessions.removeMany([id], tx)));
    if (ended !== "removed") throw new AppError("not_found", { entity: "Session" });
    const cookie = id === principal.credentialId ? cookies.replacing(1, null) : [];
    return respond.data(null, cookie.length === 0 ? {} : { headers: { "set-cookie": cookie } });
  });

  mount(router, revokeOtherSessions, async ({ principal, work }) => {
    const { userId, credentialId } = principal;
    const ended = await changeRights(work, [userId], (tx) => sessions.removeOthers(userId, credentialId, tx));
    return respond.data({ ended_count: ended === "conflict" ? 0 : ended });
  });
}

function ownerOf({ userId, scope }: UserPrincipal): SessionOwner {
  return { userId, organizationId: scope.organizationId };
}
