import type { ClientSession } from "mongodb";
import {
  confirmSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  loginSecondFactor,
  offerSecondFactor,
  renewRecoveryCodes,
} from "@nts/shared/contract/second-factor";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { FailedLogins } from "../audit/failed-logins.js";
import type { ChangeRights } from "../rights/change-rights.js";
import type { ThrottledCheck } from "../flows/sign-in/throttled-check.js";
import type { BeginSession } from "../flows/sign-in/begin-session.js";
import type { SessionStore } from "../storage/sessions.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import type { UserStore } from "../storage/users.js";
import { type UserDocument, type GuardedUser, isGuarded } from "../model/user.js";
import type { Challenges } from "../storage/challenges.js";
import { type CheckCode, createCheckCode } from "../flows/second-factor/check-code.js";
import { hashesOf, newRecoveryCodes } from "../secrets/second-factor-codes.js";
import { confirmedUntil } from "../model/confirmation.rules.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { mountFirstLogin } from "./first-login.js";
import { offered, requireOffer } from "../flows/second-factor/offer.js";
import type { SecretCipher } from "../secrets/secret-cipher.js";
import { createSignInByCode, type SignInByCode } from "../flows/second-factor/sign-in-by-code.js";
import type { SecondFactorStore } from "../storage/second-factors.js";

export interface SecondFactorRoutes {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly factors: SecondFactorStore;
  readonly challenges: Challenges;
  readonly cipher: SecretCipher;
  /** Counts wrong codes. */
  readonly throttledCodeCheck: ThrottledCheck;
  readonly requireConfirmed: RequireConfirmed;
  readonly beginSession: BeginSession;
  readonly confirmCaller: ConfirmCaller;
  readonly failedLogins: FailedLogins;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
}

type Given = SecondFactorRoutes & { readonly checkCode: CheckCode; readonly signIn: SignInByCode };

export function mountSecondFactors(router: Router, routes: SecondFactorRoutes): void {
  const { throttledCodeCheck, cipher, failedLogins, challenges, beginSession } = routes;
  const checkCode = createCheckCode({ throttledCheck: throttledCodeCheck, cipher, failedLogins });
  const given = { ...routes, checkCode, signIn: createSignInByCode(challenges, beginSession) };
  mountSecondStep(router, given);
  mountFirstLogin(router, given);
  mountSetUp(router, given);
  mountPresentFactor(router, given);
}

/** The second step of sign-in. */
function mountSecondStep(router: Router, { users, factors, challenges, checkCode, signIn }: Given): void {
  mountAny(router, loginSecondFactor, async (call) => {
    const { challenge, code } = call.body;
    const challenged = await challenges.find(challenge, new Date());
    const user = challenged && (await users.find(challenged.organization_id, challenged.user_id));
    if (user === null || !isGuarded(user)) throw new AppError("challenge_expired");
    const use = await checkCode(user, code, call);
    const admit = async (tx: ClientSession): Promise<void> => {
      if (!(await users.beginSession(user, tx))) throw new AppError("challenge_expired");
      if (!(await factors.use(user, use, tx))) throw new AppError("second_factor_invalid");
    };
    const started = await signIn(call, user, admit, { provider: challenged?.provider });
    return respond.data(started.user, started.extras);
  });
}

function mountSetUp(router: Router, routes: Given): void {
  const { users, sessions, factors, cipher, checkCode, requireConfirmed, confirmCaller } = routes;
  const { transaction, changeRights } = routes;

  mount(router, offerSecondFactor, async (call) => {
    const { principal, work } = call;
    const user = await confirmCaller(call, call.body.password);
    await requireConfirmed(principal);
    const { data, offer } = offered(user, cipher, new Date());
    await transaction(work, [`user:${user._id}`], async (tx) => {
      if (!(await factors.offer(user, offer, tx))) throw new AppError("write_conflict");
    });
    return respond.data(data);
  });

  mount(router, enableSecondFactor, async ({ principal, body: { code }, clientAddress, work }) => {
    const user = await userOf(users, principal);
    await requireConfirmed(principal);
    const now = new Date();
    const { step } = await requireOffer(user, code, { now, checkCode, request: { clientAddress, work } });
    const codes = newRecoveryCodes();
    const given = { recovery: hashesOf(codes), step, now };
    await changeRights(work, [user._id], async (tx) => {
      if (!(await factors.enable(user, given, tx))) throw new AppError("write_conflict");
      // They were started without it.
      await sessions.removeOthers(user._id, principal.credentialId, tx);
      await sessions.confirm(principal.credentialId, now, tx);
      return "enabled";
    });
    return respond.data({ recovery_codes: codes });
  });
}

/** Operations on an existing second factor. */
function mountPresentFactor(router: Router, routes: Given): void {
  const { users, sessions, factors, checkCode, requireConfirmed, transaction, changeRights } = routes;

  mount(router, getSecondFactor, async ({ principal }) => {
    const { credentialId, userId, scope } = principal;
    const { second_factor: factor } = await userOf(users, principal);
    const session = await sessions.find(scope.organizationId, userId, credentialId);
    return respond.data({
      enabled: factor !== undefined,
      enabled_at: factor?.since.toISOString() ?? null,
      recovery_codes_left: factor?.recovery.length ?? 0,
      confirmed_until: confirmedUntil(session?.confirmed_at)?.toISOString() ?? null,
    });
  });

  mount(router, confirmSecondFactor, async ({ principal, body: { code }, clientAddress, work }) => {
    const user = await guardedUser(users, principal);
    const use = await checkCode(user, code, { clientAddress, work });
    const now = new Date();
    // Gateways keep until when a session is confirmed.
    await changeRights(work, [principal.credentialId], async (tx) => {
      if (!(await factors.use(user, use, tx))) throw new AppError("second_factor_invalid");
      await sessions.confirm(principal.credentialId, now, tx);
      return "confirmed";
    });
    return respond.data({ confirmed_until: confirmedUntil(now)?.toISOString() ?? "" });
  });

  mount(router, renewRecoveryCodes, async ({ principal, work }) => {
    await requireConfirmed(principal);
    const codes = newRecoveryCodes();
    const user = await guardedUser(users, principal);
    await transaction(work, [`user:${user._id}`], async (tx) => {
      if (!(await factors.renewRecovery(user, hashesOf(codes), tx))) throw new AppError("write_conflict");
    });
    return respond.data({ recovery_codes: codes });
  });

  mount(router, disableSecondFactor, async ({ principal, work }) => {
    await requireConfirmed(principal);
    const user = await guardedUser(users, principal);
    await changeRights(work, [user._id], async (tx) => {
      if (!(await factors.disable(user, tx))) throw new AppError("write_conflict");
      return "disabled";
    });
    return respond.data(null);
  });
}

/** @throws AppError `session_expired` */
async function userOf(users: UserStore, { userId, scope }: UserPrincipal): Promise<UserDocument> {
  const user = await users.find(scope.organizationId, userId);
  if (user === null) throw new AppError("session_expired");
  return user;
}

/** @throws AppError `not_found` */
async function guardedUser(users: UserStore, principal: UserPrincipal): Promise<GuardedUser> {
  const user = await userOf(users, principal);
  if (!isGuarded(user)) throw new AppError("not_found", { entity: "SecondFactor" });
  return user;
}
