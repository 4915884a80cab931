/** A system on which permissions of every kind can be revoked: with a provider, and keys that can be aged. */
import { type ClientSession, type Db, MongoClient } from "mongodb";
import { createLinkTokens } from "@nts/identity/storage/link-tokens";
import { newToken } from "@nts/identity/secrets/tokens";
import type { UserDocument } from "@nts/identity/model/user";
import { type Account, cookieOf } from "./api.js";
import { providerEnv, type RealProvider, startRealProvider } from "./real-provider.js";
import { type Stack, type StackOptions, startStack } from "./stack.js";

const DAY_MS = 86_400_000;

/** The id of the provider. */
export const PROVIDER = "test";

/** What a change needs in addition to the public API. */
export interface RevocationTools {
  /** Ages a key. */
  age(keyId: string, days: number): Promise<void>;
  /** Creates a reset link, like identity when it mails one. @returns its token */
  createResetLink(userId: string): Promise<string>;
  /** Signs in by the provider, which links the account. */
  signIn(url: string, account: Account): Promise<ProviderSession>;
}

export interface ProviderSession {
  /** As a header. */
  readonly cookie: string;
  /** Signs out at the provider. @returns the logout token */
  signOut(): Promise<string>;
}

export interface RevocableSystem {
  readonly stack: Stack;
  readonly tools: RevocationTools;
  stop(): Promise<void>;
}

export async function startRevocableSystem(options: StackOptions): Promise<RevocableSystem> {
  const provider = await startRealProvider();
  const env = { ...options.env, ...providerEnv(provider, { id: PROVIDER, name: "Test" }) };
  const stack = await startStack({ ...options, env });
  return {
    stack,
    tools: {
      age: keyAgerOf(stack),
      createResetLink: resetLinkCreatorOf(stack),
      signIn: (url, account) => signInBy(provider, url, account),
    },
    stop: async () => {
      await Promise.all([stack.stop(), provider.stop()]);
    },
  };
}

type Databases = Pick<Stack, "databases"> & { servers: { urls: { mongodb: string } } };

export function keyAgerOf(stack: Databases): RevocationTools["age"] {
  return (keyId, days) =>
    inIdentity(stack, async (db) => {
      const created_at = new Date(Date.now() - days * DAY_MS);
      await db.collection<{ _id: string }>("api_keys").updateOne({ _id: keyId }, { $set: { created_at } });
    });
}

export function resetLinkCreatorOf(stack: Databases): RevocationTools["createResetLink"] {
  return async (userId) => {
    const token = newToken();
    await inIdentity(stack, async (db, tx) => {
      const user = await db.collection<UserDocument>("users").findOne({ _id: userId });
      const expiresAt = new Date(Date.now() + DAY_MS);
      await createLinkTokens(db).insert(token, { purpose: "password_reset", user: user!, expiresAt }, tx);
    });
    return token;
  };
}

/** Writes to the database of identity, to simulate time and other processes. */
async function inIdentity(
  { servers, databases }: Databases,
  write: (db: Db, session: ClientSession) => Promise<void>,
): Promise<void> {
  const mongo = new MongoClient(servers.urls.mongodb);
  try {
    await mongo.withSession((session) => write(mongo.db(databases.identity), session));
  } finally {
    await mongo.close();
  }
}

async function signInBy(provider: RealProvider, url: string, { email, userId }: Account): Promise<ProviderSession> {
  provider.accounts.set(userId, { email, email_verified: true });
  const path = `${url}/api/auth/oidc/${PROVIDER}`;
  const redirect = await fetch(path, { redirect: "manual" });
  const { callback, signOut } = await provider.signIn(redirect.headers.get("location") ?? "", userId);
  const headers = { cookie: cookieOf(redirect.headers) };
  const arrived = await fetch(`${path}/callback${callback.search}`, { headers, redirect: "manual" });
  const cookie = arrived.headers
    .getSetCookie()
    .find((one) => one.startsWith("session_id="))
    ?.split(";")[0];
  if (cookie === undefined) throw new Error(`nobody was signed in: ${arrived.headers.get("location")}`);
  return {
    cookie,
    signOut: async () => {
      const before = provider.logoutTokens.length;
      await signOut();
      return provider.logoutTokens.slice(before).at(-1) ?? "";
    },
  };
}
