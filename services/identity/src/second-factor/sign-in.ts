import { AppError } from "@nts/shared/errors";
import type { ClientSession } from "mongodb";
import { actorFrom } from "../audit/notes.js";
import { trailOf } from "../audit/trail.js";
import type { SignedInBy } from "../providers/identity.rules.js";
import type { StartedSession, BeginSession, SigningIn } from "../sessions/begin.js";
import type { UserDocument } from "../users/user.js";
import type { Challenges } from "./challenges.js";

/** The request of a second step. */
interface SecondStep extends SigningIn {
  readonly body: { readonly challenge: string };
}

/**
 * Starts the session of a second step, and uses up its challenge.
 *
 * @param admit as in `BeginSession`
 * @param provider that signed the user in, unless with a password
 * @throws AppError `challenge_expired`
 */
export type SignInByCode = (
  call: SecondStep,
  user: UserDocument,
  admit: (tx: ClientSession) => Promise<void>,
  provider?: SignedInBy,
) => Promise<StartedSession>;

export function createSignInByCode(challenges: Pick<Challenges, "take">, beginSession: BeginSession): SignInByCode {
  return (call, user, admit, provider) => {
    const take = async (tx: ClientSession): Promise<void> => {
      trailOf(tx).actAs(actorFrom(user));
      if (!(await challenges.take(call.body.challenge, user, tx))) throw new AppError("challenge_expired");
      await admit(tx);
    };
    return beginSession(call, user, take, { confirmed: true, provider });
  };
}
