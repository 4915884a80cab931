import { type Letter, linkTo, senderAt } from "../mail/letter.rules.js";

/** The origin and cause of a mail. */
export interface Occasion {
  readonly publicUrl: string;
  /** Of the requesting client. */
  readonly address: string;
}

/** @param isTakeOver the address was never verified before */
export function resetLetter({ publicUrl, address }: Occasion, token: string, isTakeOver: boolean): Letter {
  const { host } = new URL(publicUrl);
  const takenOver =
    "This address was never verified. Whoever made the account without proving the address loses it: its API keys, invites, second factor and linked sign-in providers are removed, too."; // prettier-ignore
  return {
    subject: "Reset your password",
    opening: [`Somebody, probably you, asked for a new password for your account at ${host}.`],
    action: { label: "Choose a new password", url: linkTo(publicUrl, `/reset-password#token=${token}`) },
    closing: [
      "The link works once, within one hour. When you use it, all your sessions end.",
      ...(isTakeOver ? [takenOver] : []),
      `If it was not you, ignore this mail: nothing has changed.${askedFrom(address)}`,
    ],
    sender: senderAt(publicUrl),
  };
}

/** For accounts without a password. */
export function noPasswordLetter({ publicUrl, address }: Occasion): Letter {
  const { host } = new URL(publicUrl);
  return {
    subject: "Your account has no password",
    opening: [
      `Somebody, probably you, asked for a new password for your account at ${host}.`,
      "This account signs in with an identity provider instead, so there is no password to reset.",
    ],
    action: { label: "Sign in", url: linkTo(publicUrl, "/sign-in") },
    closing: [`If it was not you, ignore this mail: nothing has changed.${askedFrom(address)}`],
    sender: senderAt(publicUrl),
  };
}

function askedFrom(address: string): string {
  return address === "" ? "" : ` The request came from ${address}.`;
}
