import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Work } from "@nts/shared/work";
import { actorFrom } from "../../storage/audit-notes.js";
import { trailOf } from "../../storage/audit-trail.js";
import type { InviteStore } from "../../storage/invites.js";
import type { KeyStore } from "../../storage/api-keys.js";
import type { LoginFailureStore } from "../../storage/login-failures.js";
import type { LinkTokens } from "../../storage/link-tokens.js";
import type { VerifiedAddresses } from "../../storage/verified-addresses.js";
import { accountOfCodes } from "../../model/second-factor.js";
import type { ChangePassword } from "./change-password.js";
import type { UserDocument } from "../../model/user.js";

/**
 * Sets a password with a mailed link. For an address never verified before, everything created earlier is revoked, as
 * its owner is unknown.
 *
 * @throws AppError `link_expired` if the link is used or invalid
 */
export type ResetByLink = (work: Work, user: UserDocument, token: string, password: string) => Promise<void>;

export interface ResetByLinkOptions {
  readonly linkTokens: Pick<LinkTokens, "take">;
  readonly addresses: VerifiedAddresses;
  readonly change: ChangePassword;
  readonly failures: Pick<LoginFailureStore, "removeAllOf">;
  readonly keys: Pick<KeyStore, "removeAllOf">;
  readonly invites: Pick<InviteStore, "removeAllOf">;
}

export function createResetByLink(options: ResetByLinkOptions): ResetByLink {
  const { linkTokens, addresses, change, failures, keys, invites } = options;

  async function prove(user: UserDocument, tx: ClientSession): Promise<UserDocument | null> {
    if (user.email_verified === true) return (await addresses.verify(user, tx)) ? user : null;
    for (const belongings of [keys, invites]) await belongings.removeAllOf(user, tx);
    return addresses.takeOver(user, tx);
  }

  return async (work, user, token, password) => {
    const also = async (tx: ClientSession): Promise<UserDocument | null> => {
      trailOf(tx).actAs(actorFrom(user));
      return (await linkTokens.take(token, "password_reset", user, tx)) ? prove(user, tx) : null;
    };
    const done = await change(work, user, password, { also });
    if (!done) throw new AppError("link_expired");
    await failures.removeAllOf(user.email);
    // Wrong codes of a remaining second factor still count.
    if (user.email_verified !== true) await failures.removeAllOf(accountOfCodes(user));
  };
}
