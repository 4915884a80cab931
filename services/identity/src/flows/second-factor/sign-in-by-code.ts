import { AppError } from "@nts/shared/errors";
import type { ClientSession } from "mongodb";
import { actorFrom } from "../../storage/audit-notes.js";
import { trailOf } from "../../storage/audit-trail.js";
import type { StartedSession, BeginSession, SignedIn, SigningIn } from "../sign-in/begin-session.js";
import type { UserDocument } from "../../model/user.js";
import type { Challenges } from "../../storage/challenges.js";

/** The request of a second step. */
interface SecondStep extends SigningIn {
  readonly body: { readonly challenge: string };
}

/**
 * Starts the session of a second step, and uses up its challenge.
 *
 * @param admit as in `BeginSession`
 * @param how `provider` that signed the user in, unless with a password, and `changed` as in `BeginSession`
 * @throws AppError `challenge_expired`
 */
export type SignInByCode = (
  call: SecondStep,
  user: UserDocument,
  admit: (tx: ClientSession) => Promise<void>,
  how?: Pick<SignedIn, "provider" | "changed">,
) => Promise<StartedSession>;

export function createSignInByCode(challenges: Pick<Challenges, "take">, beginSession: BeginSession): SignInByCode {
  return (call, user, admit, how) => {
    const take = async (tx: ClientSession): Promise<void> => {
      trailOf(tx).actAs(actorFrom(user));
      if (!(await challenges.take(call.body.challenge, user, tx))) throw new AppError("challenge_expired");
      await admit(tx);
    };
    return beginSession(call, user, take, { ...how, confirmedAt: new Date() });
  };
}
