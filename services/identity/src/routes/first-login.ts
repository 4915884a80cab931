import type { ClientSession } from "mongodb";
import { enableSecondFactorAtLogin, offerSecondFactorAtLogin } from "@nts/shared/contract/second-factor";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { SessionStore } from "../storage/sessions.js";
import type { UserStore } from "../storage/users.js";
import { type UserDocument, isGuarded } from "../model/user.js";
import type { Challenged, Challenges } from "../storage/challenges.js";
import type { CheckCode } from "../flows/second-factor/check-code.js";
import { hashesOf, newRecoveryCodes } from "../secrets/second-factor-codes.js";
import { offered, requireOffer } from "../flows/second-factor/offer.js";
import type { SecretCipher } from "../secrets/secret-cipher.js";
import type { SignInByCode } from "../flows/second-factor/sign-in-by-code.js";
import type { SecondFactorStore } from "../storage/second-factors.js";

export interface FirstLoginRoutes {
  readonly users: UserStore;
  readonly sessions: Pick<SessionStore, "removeAllOf">;
  readonly factors: SecondFactorStore;
  readonly challenges: Challenges;
  readonly cipher: SecretCipher;
  readonly checkCode: CheckCode;
  readonly signIn: SignInByCode;
  readonly transaction: RunTransaction;
}

/** Sign-in for users who must set up a second factor first; until then there is no session. */
export function mountFirstLogin(router: Router, routes: FirstLoginRoutes): void {
  const { users, sessions, factors, challenges, cipher, checkCode, signIn, transaction } = routes;

  mountAny(router, offerSecondFactorAtLogin, async ({ body: { challenge }, work }) => {
    const { user } = await challengedUser(challenge);
    const { data, offer } = offered(user, cipher, new Date());
    await transaction(work, [`user:${user._id}`], async (tx) => {
      if (!(await factors.offer(user, offer, tx))) throw new AppError("challenge_expired");
    });
    return respond.data(data);
  });

  mountAny(router, enableSecondFactorAtLogin, async (call) => {
    const { challenge, code } = call.body;
    const { user, provider } = await challengedUser(challenge);
    const now = new Date();
    const { step } = await requireOffer(user, code, { now, checkCode, request: call });
    const recovery_codes = newRecoveryCodes();
    const given = { recovery: hashesOf(recovery_codes), step, now };
    const admit = async (tx: ClientSession): Promise<void> => {
      if (!(await factors.enable(user, given, tx))) throw new AppError("challenge_expired");
      await sessions.removeAllOf(user, tx);
    };
    // Gateways may have rejected the user's keys and sessions for the lack of it.
    const started = await signIn(call, user, admit, { provider, changed: [user._id] });
    return respond.data({ user: { ...started.user, second_factor: true }, recovery_codes }, started.extras);
  });

  /** @throws AppError `challenge_expired`, also if there is a second factor by now */
  async function challengedUser(challenge: string): Promise<Pick<Challenged, "provider"> & { user: UserDocument }> {
    const challenged = await challenges.find(challenge, new Date());
    const user = challenged && (await users.find(challenged.organization_id, challenged.user_id));
    if (user === null || isGuarded(user)) throw new AppError("challenge_expired");
    return { user, ...(challenged?.provider && { provider: challenged.provider }) };
  }
}
