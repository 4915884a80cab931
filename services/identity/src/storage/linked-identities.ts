import type { ClientSession } from "mongodb";
import { hashCredential } from "@nts/shared/credential";
import { noteAccountEvent } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Forms, openDocuments } from "./documents.js";
import { userWhereLast } from "../model/memberships.rules.js";
import type { UserDocument } from "../model/user.js";
import type { LinkedIdentity } from "../model/linked-identity.rules.js";

export const LOGOUT_TOKENS = "logout_tokens";

/** The stored identifier of a provider account or session: kind, issuer, and id there. */
export function nameAt({ id, issuer }: { readonly id: string; readonly issuer: string }, what: string): string {
  return hashCredential(`${id}\n${issuer}\n${what}`);
}

/** Linked provider accounts. Writes return false if the state differs from what was read. */
export interface IdentityStore {
  /** A lookup without organization, for sign-ins. Returns the user of the organization used last. */
  findByKey(key: string): Promise<UserDocument | null>;
  /** @throws the database's duplicate key error if it is linked to another user */
  link(user: UserDocument, identity: LinkedIdentity, tx: ClientSession): Promise<boolean>;
  unlink(user: UserDocument, identity: LinkedIdentity, tx: ClientSession): Promise<boolean>;
  /**
   * Hands an account to whoever verified its address: the old password is removed. @param passwordHash of a random
   * password
   */
  takeOver(user: UserDocument, identity: LinkedIdentity, passwordHash: string, tx: ClientSession): Promise<boolean>;
  noteUse(
    user: UserDocument,
    identity: Pick<LinkedIdentity, "key" | "email">,
    now: Date,
    tx: ClientSession,
  ): Promise<void>;
  /** @throws the database's duplicate key error if the token was used before */
  useToken(name: string, expiresAt: Date, tx: ClientSession): Promise<void>;
}

export function createIdentityStore({ db }: Pick<Database, "db">, forms?: Forms): IdentityStore {
  const documents = openDocuments(db, "users", forms);
  const { collection: users } = documents;
  const tokens = db.collection<{ _id: string; expires_at: Date }>(LOGOUT_TOKENS);

  /** Adds or removes an identity, unless modified concurrently. */
  async function write(
    { _id, password_hash, identities }: UserDocument,
    members: Readonly<Record<string, unknown>>,
    tx: ClientSession,
  ): Promise<boolean> {
    const unchanged = { _id, password_hash, ...sameIdentities(identities) };
    const literal = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { $literal: value }]));
    const changed = documents.changing(literal, new Date());
    return (await users.updateOne(unchanged, changed, { session: tx })).matchedCount === 1;
  }

  return {
    findByKey: async (key) => {
      const found = await documents.find({ "identities.key": key });
      return found && userWhereLast(found);
    },
    link: async (user, identity, tx) => {
      if (!(await write(user, { identities: [...(user.identities ?? []), identity] }, tx))) return false;
      noteAccountEvent(tx, user, { action: "linked" });
      return true;
    },
    unlink: async (user, { key }, tx) => {
      const left = (user.identities ?? []).filter((one) => one.key !== key);
      if (!(await write(user, { identities: left }, tx))) return false;
      noteAccountEvent(tx, user, { action: "unlinked" });
      return true;
    },
    takeOver: async (user, identity, passwordHash, tx) => {
      const members = { identities: [identity], password_hash: passwordHash, passwordless: true, email_verified: true };
      if (!(await write(user, members, tx))) return false;
      noteAccountEvent(tx, user, { action: "taken_over" });
      return true;
    },
    noteUse: async ({ _id }, { key, email }, now, tx) => {
      const used = { "identities.$.last_used": now, "identities.$.email": email };
      await users.updateOne({ _id, "identities.key": key }, { $set: used }, { session: tx });
    },
    useToken: async (name, expires_at, tx) => {
      await tokens.insertOne({ _id: name, expires_at }, { session: tx });
    },
  };
}

function sameIdentities(identities: readonly LinkedIdentity[] | undefined) {
  const keys = (identities ?? []).map(({ key }) => key);
  return keys.length === 0
    ? { "identities.0": { $exists: false } }
    : { "identities.key": { $all: keys }, identities: { $size: keys.length } };
}
