import { type Letter, linkTo, senderAt } from "./letter.rules.js";

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
    "This address was never verified. Everything that was set up without proof of the address is removed, too: API keys, invites, second factor and linked sign-in providers.";
  return {
    subject: "Reset your password",
    opening: [`Someone, probably you, requested a new password for your account at ${host}.`],
    action: { label: "Choose a new password", url: linkTo(publicUrl, `/reset-password#token=${token}`) },
    closing: [
      "The link can be used once, within one hour. Using it ends all your sessions.",
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
      `Someone, probably you, requested a new password for your account at ${host}.`,
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
