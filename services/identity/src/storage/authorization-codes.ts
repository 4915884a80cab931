import type { ClientSession, Db } from "mongodb";
import type { Permission } from "@nts/shared/contract/endpoint";
import { hashCredential } from "@nts/shared/credential";
import { createMakeRoom } from "./pending-room.js";

// Codes with which assistants get the access that a person has given. Only hashes are stored. A code that was used stays until
// it expires, so that a second use is noticed.

export const AUTHORIZATION_CODES = "authorization_codes";

/** For an assistant to exchange its code. */
export const CODE_SECONDS = 120;
/** For which a second use is noticed. */
const KEPT_SECONDS = 600;
/** Of a user. */
const MOST_OF_USER = 20;
const MOST_IN_ALL = 20_000;

/** What a person has consented to. */
export interface Consent {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly user_id: string;
  readonly organization_id: string;
  /** The session in which it was given. */
  readonly session_id: string;
  readonly permissions: Permission;
  /** null for those of the user. */
  readonly network_ids: string[] | null;
  /** See `Scope`; absent for others. */
  readonly is_unverified?: true;
  /** Of the key that it becomes. */
  readonly key_id: string;
}

interface CodeDocument extends Consent {
  /** Hash of the code. */
  readonly _id: string;
  /** The user, see {@link createMakeRoom}. */
  readonly address_block: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used?: true;
}

export type FoundCode = Consent & { readonly isUsed: boolean; readonly isLate: boolean };

export interface AuthorizationCodes {
  /** @param code as given out */
  insert(code: string, consent: Consent, now: Date): Promise<void>;
  find(code: string, now: Date): Promise<FoundCode | null>;
  /** @returns false if it is used already */
  use(code: string, tx: ClientSession): Promise<boolean>;
}

export function createAuthorizationCodes(db: Db): AuthorizationCodes {
  const codes = db.collection<CodeDocument>(AUTHORIZATION_CODES);
  const makeRoom = createMakeRoom(db, AUTHORIZATION_CODES, { mostOfAddress: MOST_OF_USER, mostInAll: MOST_IN_ALL });
  return {
    insert: async (code, consent, now) => {
      await makeRoom(consent.user_id);
      await codes.insertOne({
        ...{ _id: hashCredential(code), ...consent, address_block: consent.user_id },
        ...{ created_at: now, expires_at: new Date(now.getTime() + KEPT_SECONDS * 1_000) },
      });
    },
    find: async (code, now) => {
      const found = await codes.findOne({ _id: hashCredential(code) });
      if (found === null) return null;
      const { created_at, used } = found;
      return { ...found, isUsed: used === true, isLate: now.getTime() - created_at.getTime() > CODE_SECONDS * 1_000 };
    },
    use: async (code, tx) => {
      const unused = { _id: hashCredential(code), used: { $exists: false } };
      return (await codes.updateOne(unused, { $set: { used: true } }, { session: tx })).matchedCount === 1;
    },
  };
}
