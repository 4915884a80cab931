import type { ClientSession, Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import { afterSignIn, type KnownPlaces, withoutVersion } from "../model/sign-in-places.rules.js";
import type { SignInPlace } from "../model/session.js";

export const SIGN_IN_PLACES = "sign_in_places";

/** Milliseconds that places are kept after the last sign-in. */
const KEPT_MS = 90 * 86_400_000;

interface PlacesDocument extends KnownPlaces {
  /** The id of the user. */
  _id: string;
  expires_at: Date;
}

export interface SignInPlaces {
  /** Records a sign-in in the session's transaction. @returns whether to notify the user */
  note(userId: string, place: SignInPlace, now: Date, tx: ClientSession): Promise<boolean>;
}

export function createSignInPlaces(db: Db): SignInPlaces {
  const places = db.collection<PlacesDocument>(SIGN_IN_PLACES);
  return {
    note: async (userId, { address, browser }, now, tx) => {
      const hashOf = (text: string): string => hashCredential(`${userId}\n${text}`);
      const found = await places.findOne({ _id: userId }, { session: tx });
      const seen = {
        ...{ address: hashOf(addressBlockOf(address ?? "")), browser: hashOf(withoutVersion(browser ?? "")) },
        now,
      };
      const { known, isNotified } = afterSignIn(found, seen);
      const expires_at = new Date(now.getTime() + KEPT_MS);
      await places.replaceOne({ _id: userId }, { ...known, expires_at }, { upsert: true, session: tx });
      return isNotified;
    },
  };
}
