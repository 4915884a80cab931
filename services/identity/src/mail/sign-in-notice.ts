import type { ClientSession } from "mongodb";
import type { Work } from "@nts/shared/work";
import { linkTo, type Letter, senderAt } from "./letter.rules.js";
import type { Mail } from "./mail.js";
import type { Writer } from "./writers.js";
import type { UserDocument } from "../model/user.js";
import type { SignInPlaces } from "../storage/sign-in-places.js";
import type { SignInPlace } from "../model/session.js";

/** Records where a session started, in its transaction, and mails the user about a new place. */
export type NotePlace = (user: UserDocument, place: SignInPlace, work: Work, tx: ClientSession) => Promise<void>;

export function createNotePlace(places: SignInPlaces, mail: Mail): NotePlace {
  return async (user, place, work, tx) => {
    if (!mail.isConfigured) return;
    const now = new Date();
    const isNotified = await places.note(user._id, place, now, tx);
    // Others may read the mail of an unverified address.
    if (!isNotified || user.email_verified !== true) return;
    await mail.promise("new_sign_in", { email: user.email, browser: place.browser, at: now }, work, tx);
  };
}

/** Writes mails about sign-ins from new places. */
export function createSignInNotices(publicUrl: string): Writer<"new_sign_in"> {
  return ({ about: { email, browser, at }, origin: { address } }) =>
    Promise.resolve({ to: email, letter: noticeLetter(publicUrl, { browser, at, address }) });
}

function noticeLetter(
  publicUrl: string,
  { browser, at, address }: { readonly browser: string | null; readonly at: Date; readonly address: string },
): Letter {
  const { host } = new URL(publicUrl);
  const time = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return {
    subject: "New sign-in to your account",
    opening: [
      `Someone, probably you, signed in to your account at ${host} with a new browser or from a new address.`,
      `${time}, ${browser ?? "an unknown browser"}, from ${address === "" ? "an unknown address" : address}.`,
    ],
    action: { label: "View your sessions", url: linkTo(publicUrl, "/settings") },
    closing: ["If it was you, no action is required. Otherwise, change your password, which ends all other sessions."],
    sender: senderAt(publicUrl),
  };
}
