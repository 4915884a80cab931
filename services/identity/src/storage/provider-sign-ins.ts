import type { Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import { createMakeRoom } from "./pending-room.js";
import { decrypt, encrypt, keyFrom } from "../secrets/encryption.js";

// Started provider sign-ins, each valid once, for ten minutes, in the browser that started it. The return path may
// contain an invite token, so it is encrypted with the state, of which only the hash is stored.

export const SIGN_INS = "provider_sign_ins";

/** Maximum seconds of a sign-in. */
export const SIGN_IN_SECONDS = 600;

/** Per address block; a further one replaces the oldest. */
const MOST_OF_ADDRESS = 50;
const MOST_IN_ALL = 20_000;

/** The session that requested a link. */
export interface LinkingUser {
  readonly userId: string;
  readonly organizationId: string;
  readonly sessionId: string;
}

/** The purpose of a sign-in. */
export interface SignInPurpose {
  /** The id of the provider. */
  readonly provider: string;
  readonly returnTo: string;
  /** Hash of the invite token; null without an invite. */
  readonly invite: string | null;
  /** Null for a sign-in. */
  readonly link: LinkingUser | null;
}

/** A pending sign-in. */
export interface PendingSignIn extends SignInPurpose {
  readonly nonce: string;
  readonly verifier: string;
}

interface SignInDocument extends Omit<PendingSignIn, "returnTo"> {
  /** Hash of the state. */
  _id: string;
  /** Hash of the cookie. */
  browser: string;
  address_block: string;
  /** Where to return to, encrypted, because it may contain the token of an invite. */
  sealed_return_to: string;
  created_at: Date;
  expires_at: Date;
}

export interface SignInStore {
  /** @param secrets as sent; state and cookie are stored as hashes */
  insert(
    pending: PendingSignIn,
    secrets: { readonly state: string; readonly cookie: string; readonly address: string },
    now: Date,
  ): Promise<void>;
  /** Uses it up; null if it is used, expired, or of another provider or browser. @param browsers hashes of cookies */
  take(state: string, provider: string, browsers: readonly string[], now: Date): Promise<PendingSignIn | null>;
}

export function createSignInStore(
  db: Db,
  { mostOfAddress = MOST_OF_ADDRESS, mostInAll = MOST_IN_ALL } = {},
): SignInStore {
  const pending = db.collection<SignInDocument>(SIGN_INS);
  const makeRoom = createMakeRoom(db, SIGN_INS, { mostOfAddress, mostInAll });

  return {
    insert: async ({ returnTo, ...given }, { state, cookie, address }, now) => {
      const address_block = addressBlockOf(address);
      const _id = hashCredential(state);
      await makeRoom(address_block);
      await pending.insertOne({
        ...{ _id, ...given, browser: hashCredential(cookie), address_block, created_at: now },
        sealed_return_to: encrypt(returningKey(state), returnTo, _id),
        expires_at: new Date(now.getTime() + SIGN_IN_SECONDS * 1000),
      });
    },
    take: async (state, provider, browsers, now) => {
      const its = { _id: hashCredential(state), provider, browser: { $in: [...browsers] } };
      const taken = await pending.findOneAndDelete({ ...its, expires_at: { $gt: now } });
      if (taken === null) return null;
      return { ...taken, returnTo: decrypt(returningKey(state), taken.sealed_return_to, taken._id) };
    },
  };
}

const returningKey = (state: string): Buffer => keyFrom(state, "path to return to");
