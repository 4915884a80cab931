import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import type { FailedLogins } from "../../audit/failed-logins.js";
import type { ThrottledCheck } from "./throttled-check.js";
import type { SignInProofOf } from "../../model/sign-in-proof.js";
import type { SessionStore } from "../../storage/sessions.js";
import { isOfSeveral } from "../../model/memberships.rules.js";
import type { Passwords } from "../../secrets/passwords.js";
import type { UserStore } from "../../storage/users.js";
import type { UserDocument } from "../../model/user.js";

/** Milliseconds after its start in which a session proves the caller's identity. */
const FRESH_MS = 300_000;

/** A request with a session. */
export interface ConfirmedCall {
  readonly principal: UserPrincipal;
  readonly clientAddress: string;
  readonly work: Work;
}

/**
 * Re-authenticates the caller, to protect unattended browsers: by password or, without one, by a session that just
 * started.
 *
 * @throws AppError `invalid_credentials` · `login_throttled` · `reauthentication_required` · `session_expired`
 */
export type ConfirmCaller = (call: ConfirmedCall, password: string | undefined) => Promise<UserDocument>;

export interface ConfirmCallerOptions {
  readonly users: Pick<UserStore, "find">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly passwords: Pick<Passwords, "matches">;
  readonly throttledCheck: ThrottledCheck;
  readonly failedLogins: FailedLogins;
  readonly signInProofOf: SignInProofOf;
}

export function createConfirmCaller(options: ConfirmCallerOptions): ConfirmCaller {
  const { users, sessions, passwords, throttledCheck, failedLogins, signInProofOf } = options;

  async function requirePassword(user: UserDocument, password: string, call: ConfirmedCall): Promise<void> {
    const check = () => passwords.matches(user.password_hash, password, call.work);
    const failures = await throttledCheck(user.email, call.clientAddress, check);
    if (failures === 0) return;
    failedLogins.note(user, failures, call.work);
    throw new AppError("invalid_credentials");
  }

  async function requireFresh(user: UserDocument, { principal }: ConfirmedCall): Promise<void> {
    const { scope, userId, credentialId } = principal;
    const session = await sessions.find(scope.organizationId, userId, credentialId);
    if (session === null) throw new AppError("session_expired");
    // Its start proves no more than the session that confirmed it.
    if (session.by_device === true) throw new AppError("reauthentication_required");
    if (Date.now() - session.created_at.getTime() > FRESH_MS) throw new AppError("reauthentication_required");
    // A provider of one organization does not count for others.
    if (isOfSeveral(user) && signInProofOf(session, user).provider === "bound")
      throw new AppError("reauthentication_required");
  }

  return async (call, password) => {
    const { scope, userId } = call.principal;
    const user = await users.find(scope.organizationId, userId);
    if (user === null) throw new AppError("session_expired");
    await (password === undefined ? requireFresh(user, call) : requirePassword(user, password, call));
    return user;
  };
}
