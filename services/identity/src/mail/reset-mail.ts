import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import { noteEvent } from "../storage/audit-notes.js";
import type { LinkTokens } from "../storage/link-tokens.js";
import type { Writer } from "./writers.js";
import type { AffiliationsOf } from "../storage/affiliations.js";
import { admitsPasswords } from "../model/organization.js";
import { newToken } from "../secrets/tokens.js";
import type { UserStore } from "../storage/users.js";
import { noPasswordLetter, resetLetter } from "./reset-letters.rules.js";

const LINK_MS = 3_600_000;

export interface ResetMailParts {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly affiliationsOf: AffiliationsOf;
  readonly linkTokens: Pick<LinkTokens, "insert">;
  readonly transaction: RunTransaction;
  readonly publicUrl: string;
}

/** Writes password reset mails; null without an account. Link tokens are created here, and stored as hashes. */
export function createResetMails(parts: ResetMailParts): Writer<"password_reset"> {
  const { users, affiliationsOf, linkTokens, transaction, publicUrl } = parts;
  return async ({ about: { email }, origin: { address, requestId }, attempts }) => {
    const user = await users.findByEmail(email);
    const affiliations = user === null ? [] : await affiliationsOf(user);
    if (user === null || affiliations.length === 0) return null;
    const occasion = { publicUrl, address };
    if (user.passwordless === true || !affiliations.some(({ organization }) => admitsPasswords(organization)))
      return { to: email, letter: noPasswordLetter(occasion) };
    const token = newToken();
    const work = { ...BACKGROUND, origin: { address, requestId: requestId ?? "" } };
    await transaction(work, [`user:${user._id}`], async (tx) => {
      const expiresAt = new Date(Date.now() + LINK_MS);
      await linkTokens.insert(token, { purpose: "password_reset", user, expiresAt }, tx);
      if (attempts === 1) noteEvent(tx, "user", user, { action: "password_reset_requested" });
    });
    return { to: email, letter: resetLetter(occasion, token, user.email_verified !== true) };
  };
}
