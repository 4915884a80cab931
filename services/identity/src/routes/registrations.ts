import { register as registerOperation } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { actorFrom } from "../storage/audit-notes.js";
import { trailOf } from "../storage/audit-trail.js";
import type { InviteDocument } from "../model/invite.rules.js";
import { callerAt } from "../storage/mail-limits.js";
import type { Mail } from "../mail/mail.js";
import { admitsPasswords, DEFAULT_ORGANIZATION_NAME, requiresSecondFactor } from "../model/organization.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { networksOf } from "../model/scopes.rules.js";
import type { SessionCookies } from "../flows/sign-in/session-cookie.js";
import type { ReplaceSessions } from "../flows/sign-in/replace-sessions.js";
import type { NotePlace } from "../mail/sign-in-notice.js";
import { placeOf } from "../flows/sign-in/sign-in-place.js";
import { startSession } from "../flows/sign-in/start-session.js";
import type { SessionStore } from "../storage/sessions.js";
import type { TopologyDirectory } from "../topology/directory.js";
import type { Passwords } from "../secrets/passwords.js";
import type { RequireStrongPassword } from "../secrets/strength.js";
import type { UserStore } from "../storage/users.js";
import { userResponse } from "../model/user.js";
import type { NoteAccount, RegistrationRule, RequireOpenRegistration } from "../storage/first-account.js";
import type { Joining } from "../flows/registration/joining.js";
import type { SiteLimit } from "../storage/site-limit.js";
import { createRegisterUser, foundOrganization, type RegisterUser } from "../flows/registration/register-user.js";

const JOIN_HINT = "Sign in to the account with this address, and accept the invite: POST /api/v1/invites/accept.";

export interface RegistrationRoutes {
  readonly users: UserStore;
  readonly organizations: OrganizationStore;
  readonly joining: Joining;
  readonly sessions: SessionStore;
  readonly replaceSessions: ReplaceSessions;
  readonly passwords: Passwords;
  readonly requireStrong: RequireStrongPassword;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly registration: RegistrationRule;
  readonly requireOpenRegistration: RequireOpenRegistration;
  readonly noteAccount: NoteAccount;
  readonly siteLimit: SiteLimit;
  readonly mail: Mail;
  readonly notePlace: NotePlace;
}

export function mountRegistrations(router: Router, routes: RegistrationRoutes): void {
  const { users, organizations, joining, sessions, replaceSessions, passwords, topology, cookies } = routes;
  const { mail, notePlace, siteLimit, registration, requireOpenRegistration, noteAccount } = routes;

  mountAny(router, registerOperation, async (call) => {
    const { body, sessionHashes, clientAddress, cause, work } = call;
    const { email, password, invite_token, organization_name: name } = body;
    if (invite_token === undefined) {
      await requireOpenRegistration();
      await siteLimit.require(clientAddress, new Date());
    }
    const hash = invite_token === undefined ? null : hashCredential(invite_token);
    const invite = hash === null ? null : await joining.find(hash, new Date());
    const joined = invite && (await organizations.find(invite.organization_id));
    if (joined !== null && !admitsPasswords(joined)) throw new AppError("password_login_disabled");
    await routes.requireStrong(
      work,
      { path: "password", password },
      { email, organization: joined?.name ?? name ?? DEFAULT_ORGANIZATION_NAME },
    );
    const networkIds = invite === null ? [] : await topology.networksIn(scopeOf(invite), cause);
    const keys = hash === null ? [siteLimit.keyOf(clientAddress)] : [`invite:${hash}`];
    const replaced = await sessions.idsOf(sessionHashes);
    // A registration creates new documents only, so it conflicts with no other writer.
    const transaction: RunTransaction = (of, written, write) =>
      replaceSessions(of, { ended: replaced }, written, write) as ReturnType<typeof write>;
    const isMailed = mail.isConfigured && (await mail.may(callerAt(clientAddress), ["verification", email]));
    // With `first`, the founder is who runs the system.
    const awaitsVerification = mail.isConfigured && registration === "open";
    const registerUser = createRegisterUser({ users, transaction, passwords, noteAccount });
    const register = invite === null ? registerUser : explainingHowToJoin(registerUser);
    const made = await register(work, body, keys, async (candidate, tx) => {
      if (hash === null) {
        await requireOpenRegistration(tx);
        await siteLimit.count(clientAddress, candidate.now, tx);
      }
      trailOf(tx).actAs(actorFrom({ _id: candidate.id, email: candidate.email }));
      const user =
        hash === null
          ? await foundOrganization(organizations, { name, founder: candidate, awaitsVerification }, tx)
          : await joining.join(candidate, hash, tx);
      if (isMailed && user.email_verified !== true) await mail.promise("verification", { email }, work, tx);
      // Where a second factor is required, it is set up at sign-in.
      if (joined !== null && requiresSecondFactor(joined)) return { user, token: null };
      const { token, session } = startSession(user, candidate.now, placeOf(call));
      await sessions.insert(session, user, tx);
      await notePlace(user, session, work, tx);
      return { user, token };
    });
    mail.wake();
    return respond.data(userResponse(made.user, networkIds), {
      revision: made.user.revision,
      headers: { "set-cookie": cookies.replacing(sessionHashes.length, made.token) },
    });
  });
}

/** Joins with the existing account, if there is one. */
function explainingHowToJoin(registerUser: RegisterUser): RegisterUser {
  return async (...args) => {
    try {
      return await registerUser(...args);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "already_exists") throw error;
      throw new AppError("already_exists", { ...error.params, hint: JOIN_HINT }, error);
    }
  };
}

function scopeOf(invite: InviteDocument) {
  return { organizationId: invite.organization_id, networks: networksOf(invite) };
}
