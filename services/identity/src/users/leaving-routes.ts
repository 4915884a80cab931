import { leaveOrganization } from "@nts/shared/contract/organizations";
import { deleteCurrentUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { newId } from "@nts/shared/ids";
import { requireRevision } from "@nts/shared/revision";
import { actorFrom } from "../audit/notes.js";
import { trailOf } from "../audit/trail.js";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { OrganizationStore } from "../organizations/store.js";
import type { RequireConfirmed } from "../second-factor/confirmed.js";
import { isGuarded } from "../second-factor/factor.js";
import type { Sealer } from "../second-factor/seal.js";
import { foundOrganization } from "../registrations/register-user.js";
import type { SessionCookies } from "../sessions/cookie.js";
import { placeOf } from "../sessions/place.js";
import { startSession } from "../sessions/start.js";
import type { SessionStore } from "../sessions/store.js";
import { untilSaved } from "../until-saved.js";
import type { ConfirmCaller } from "./confirm-caller.js";
import type { RemoveUser } from "./remove-user.js";
import type { UserStore } from "./store.js";
import { userAnswer, type UserDocument } from "./user.js";

export interface LeavingRoutes {
  readonly users: Pick<UserStore, "get" | "insert">;
  readonly sessions: Pick<SessionStore, "insert">;
  readonly organizations: Pick<OrganizationStore, "insert">;
  readonly removeUser: RemoveUser;
  readonly confirmCaller: ConfirmCaller;
  readonly requireConfirmed: RequireConfirmed;
  readonly sealer: Sealer;
  readonly changeRights: ChangeRights;
  readonly cookies: SessionCookies;
  readonly registration: "open" | "invite";
}

/** Operations by which somebody goes. */
export function mountLeaving(router: Router, routes: LeavingRoutes): void {
  const { users, sessions, organizations, removeUser, confirmCaller, requireConfirmed } = routes;
  const { sealer, changeRights, cookies, registration } = routes;

  mount(router, deleteCurrentUser, async (call) => {
    const { principal, scope, body, ifMatch, sessionHashes, work } = call;
    await confirmCaller(call, body.password);
    await requireConfirmed(principal);
    await untilSaved(work, async () => {
      const current = await users.get(scope.organizationId, principal.userId);
      requireRevision(ifMatch, current.revision);
      return changeRights(work, [current._id], (tx) => removeUser(current, tx));
    });
    return answer.data(null, { headers: { "set-cookie": cookies.replacing(sessionHashes.length, null) } });
  });

  mount(router, leaveOrganization, async (call) => {
    const { principal, scope, body, sessionHashes, work } = call;
    if (registration === "invite") throw new AppError("registration_closed");
    const { email, password_hash: passwordHash, passwordless } = await confirmCaller(call, body.password);
    // The provider stays with the organization, or does not know the new one.
    if (passwordless === true) throw new AppError("last_sign_in");
    await requireConfirmed(principal);
    const founder = { id: newId(), email, passwordHash, now: new Date() };
    const made = await untilSaved(work, async () => {
      const current = await users.get(scope.organizationId, principal.userId);
      // Another password has been set meanwhile.
      if (current.password_hash !== passwordHash) throw new AppError("invalid_credentials");
      return changeRights(work, [current._id], async (tx) => {
        if ((await removeUser(current, tx)) === "conflict") return "conflict";
        trailOf(tx).actAs(actorFrom({ _id: founder.id, email }));
        const founded = await foundOrganization(organizations, { name: body.organization_name, founder }, tx);
        const user = withFactorOf(current, founded, sealer);
        await users.insert(user, tx);
        const { token, session } = startSession(user, founder.now, placeOf(call));
        await sessions.insert(session, user, tx);
        return { user, token };
      });
    });
    return answer.data(userAnswer(made.user, []), {
      revision: made.user.revision,
      headers: { "set-cookie": cookies.replacing(sessionHashes.length, made.token) },
    });
  });
}

/** Who leaves takes the second factor along, sealed for the new id. The hash of the password is as it was beside it. */
function withFactorOf(former: UserDocument, user: UserDocument, sealer: Sealer): UserDocument {
  if (!isGuarded(former)) return user;
  const { second_factor } = former;
  const secret = sealer.seal(sealer.open(second_factor.secret, former._id), user._id);
  return { ...user, second_factor: { ...second_factor, secret } };
}
