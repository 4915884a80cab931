import type { ClientSession } from "mongodb";
import { leaveOrganization } from "@nts/shared/contract/organizations";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { ChangeRights } from "../rights/change-rights.js";
import type { AffiliationsOf } from "../storage/affiliations.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { RegistrationRule } from "../storage/first-account.js";
import type { Mail } from "../mail/mail.js";
import { foundOrganization } from "../flows/registration/register-user.js";
import { networksOf } from "../model/scopes.rules.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { switchFaultOf, type SignInProofOf } from "../model/sign-in-proof.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import { placeOf } from "../flows/sign-in/sign-in-place.js";
import type { SessionDocument } from "../model/session.js";
import { startSession } from "../flows/sign-in/start-session.js";
import type { SessionStore } from "../storage/sessions.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { untilSaved } from "../storage/until-saved.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import { isOfSeveral, membershipsOf } from "../model/memberships.rules.js";
import type { RemoveUser } from "../flows/leaving/remove-user.js";
import type { UserStore } from "../storage/users.js";
import { userResponse, type UserDocument } from "../model/user.js";

export interface LeaveRoute {
  readonly users: Pick<UserStore, "get" | "join" | "beginSession">;
  readonly sessions: Pick<SessionStore, "find" | "insert">;
  readonly organizations: Pick<OrganizationStore, "insert">;
  readonly mail: Pick<Mail, "isConfigured">;
  readonly affiliationsOf: AffiliationsOf;
  readonly signInProofOf: SignInProofOf;
  readonly topology: Pick<TopologyDirectory, "networksIn">;
  readonly removeUser: RemoveUser;
  readonly confirmCaller: ConfirmCaller;
  readonly requireConfirmed: RequireConfirmed;
  readonly changeRights: ChangeRights;
  readonly cookies: SessionCookies;
  readonly registration: RegistrationRule;
  readonly webhooks: Pick<WebhookPausing, "pause">;
}

/** Where the user continues. */
interface Next {
  readonly user: UserDocument;
  /** What the new session keeps of the current one; null if a new sign-in is required. */
  readonly kept: Pick<SessionDocument, "provider" | "confirmed_at"> | null;
}

/** The operation to leave an organization. */
export function mountLeave(router: Router, routes: LeaveRoute): void {
  const { users, sessions, topology, removeUser, confirmCaller, requireConfirmed } = routes;
  const { changeRights, cookies, registration } = routes;
  const nextOf = createChoosing(routes);
  const foundOwn = createFounding(routes);

  mount(router, leaveOrganization, async (call) => {
    const { principal, scope, body, sessionHashes, cause, work } = call;
    const caller = await confirmCaller(call, body.password);
    if (!isOfSeveral(caller)) {
      if (registration !== "open") throw new AppError("registration_closed");
      // The provider belongs to the organization, or does not know the new one.
      if (caller.passwordless === true) throw new AppError("last_sign_in");
    }
    await requireConfirmed(principal);
    const made = await untilSaved(work, async () => {
      const current = await users.get(scope.organizationId, principal.userId);
      // The password has changed meanwhile.
      if (current.password_hash !== caller.password_hash) throw new AppError("invalid_credentials");
      const others = isOfSeveral(current) ? await nextOf(current, principal.credentialId) : null;
      return changeRights(work, [current._id], async (tx) => {
        const { user, kept } = others ?? { user: await foundOwn(current, body.organization_name, tx), kept: {} };
        // A second factor, or another password, since then has ended the session.
        if (!(await users.beginSession(current, tx))) return "conflict";
        if ((await removeUser(current, tx)) === "conflict") return "conflict";
        if (kept === null) return { user, token: null };
        const { token, session } = startSession(user, new Date(), placeOf(call));
        await sessions.insert({ ...session, ...kept }, user, tx);
        return { user, token };
      });
    });
    const { user, token } = made;
    await routes.webhooks.pause(work, { organization_id: scope.organizationId, user_id: principal.userId });
    const networks = { organizationId: user.organization_id, networks: networksOf(user) };
    return respond.data(userResponse(user, await topology.networksIn(networks, cause)), {
      revision: user.revision,
      headers: { "set-cookie": cookies.replacing(sessionHashes.length, token) },
    });
  });
}

/** Chooses the first other organization that accepts the session, if any. */
function createChoosing({ sessions, affiliationsOf, signInProofOf }: LeaveRoute) {
  return async (user: UserDocument, sessionId: string): Promise<Next> => {
    const session = await sessions.find(user.organization_id, user._id, sessionId);
    if (session === null) throw new AppError("session_expired");
    const shown = signInProofOf(session, user);
    const others = (await affiliationsOf(user)).filter(({ organization: { _id } }) => _id !== user.organization_id);
    const going = others.find(({ organization }) => switchFaultOf(organization, shown) === null);
    const next = going ?? others[0];
    // All others are deleted, but not purged yet.
    if (next === undefined) throw new AppError("write_conflict");
    const { provider, confirmed_at } = session;
    const kept = { ...(provider && { provider }), ...(confirmed_at && { confirmed_at }) };
    return { user: next.user, kept: going === undefined ? null : kept };
  };
}

/** Creates an organization for an account without another, which joins it. */
function createFounding({ users, organizations, mail }: LeaveRoute) {
  return async (account: UserDocument, name: string | undefined, tx: ClientSession): Promise<UserDocument> => {
    const { _id: id, email, password_hash: passwordHash } = account;
    const founder = { id, email, passwordHash, now: new Date() };
    const awaitsVerification = mail.isConfigured && account.email_verified !== true;
    const founded = await foundOrganization(organizations, { name, founder, awaitsVerification }, tx);
    const [membership] = membershipsOf(founded);
    const joined = membership === undefined ? "missing" : await users.join(id, membership, tx);
    if (typeof joined === "string") throw new AppError("write_conflict");
    return joined;
  };
}
