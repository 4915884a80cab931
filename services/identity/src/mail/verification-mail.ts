import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import { linkTo, type Letter, senderAt } from "./letter.rules.js";
import type { LinkTokens } from "../storage/link-tokens.js";
import type { Writer } from "./writers.js";
import { newToken } from "../secrets/tokens.js";
import type { UserStore } from "../storage/users.js";

const LINK_MS = 3 * 86_400_000;

export interface VerificationMailParts {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly linkTokens: Pick<LinkTokens, "insert">;
  readonly transaction: RunTransaction;
  readonly publicUrl: string;
}

/** Writes mails with a verification link; null if the address is already verified or gone. */
export function createVerificationMails(parts: VerificationMailParts): Writer<"verification"> {
  const { users, linkTokens, transaction, publicUrl } = parts;
  return async ({ about: { email } }) => {
    const user = await users.findByEmail(email);
    if (user === null || user.email_verified === true) return null;
    const token = newToken();
    const expiresAt = new Date(Date.now() + LINK_MS);
    await transaction(BACKGROUND, [`user:${user._id}`], (tx) =>
      linkTokens.insert(token, { purpose: "verification", user, expiresAt }, tx),
    );
    return { to: email, letter: verificationLetter(publicUrl, token) };
  };
}

function verificationLetter(publicUrl: string, token: string): Letter {
  const { host } = new URL(publicUrl);
  return {
    subject: "Verify your email address",
    opening: [`Someone, probably you, created an account with this address at ${host}.`],
    action: { label: "Verify this address", url: linkTo(publicUrl, `/verify-email#token=${token}`) },
    closing: [
      "The link can be used once, within three days. You have to be signed in to the account.",
      "If it was not you, ignore this mail: the account cannot be verified without it. To take over the account, reset its password.",
    ],
    sender: senderAt(publicUrl),
  };
}
