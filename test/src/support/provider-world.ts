/** A real provider, identity configured with it, and users of the provider. */
import { linkProvider } from "@nts/shared/contract/providers";
import { newId } from "@nts/shared/ids";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { ProviderSettings } from "@nts/identity/flows/providers/settings";
import { type Audited, startAudited } from "./audit.js";
import { type Person, sessionOf } from "./direct.js";
import {
  type FinishedSignIn,
  finishSignIn,
  startSignIn,
  startedSignInOf,
  providerSettings,
} from "./provider-sign-ins.js";
import { type ProviderAccount, type RealProvider, startRealProvider, type ProviderVisit } from "./real-provider.js";

/** The id of the provider. */
export const OWN = "own";

/** The principal of a session. */
export interface SessionRights {
  readonly as: UserPrincipal;
  readonly userId: string;
  readonly organizationId: string;
  readonly permission: string;
  readonly networks: UserPrincipal["scope"]["networks"];
}

export interface ProviderWorld {
  readonly provider: RealProvider;
  readonly identity: Audited;
  /** The configuration by an operator; tests change it between sign-ins. */
  readonly settings: ReturnType<typeof providerSettings>;
  /** Of every organization, ascending. */
  readonly networkIds: readonly [string, string];
  /** Restores the initial settings. */
  reset(): void;
  /** Creates an account at the provider. */
  anAccount(account?: Partial<ProviderAccount>): { readonly subject: string; readonly email: string };
  /** Signs in by the provider. */
  signInByProvider(
    subject: string,
    body?: { readonly invite_token?: string },
    headers?: Readonly<Record<string, string>>,
  ): Promise<FinishedSignIn & Pick<ProviderVisit, "signOut">>;
  /** Links an account at the provider to a person. */
  link(person: Person, subject: string): Promise<FinishedSignIn>;
  principalOf(token: string, replica?: number): Promise<SessionRights>;
  /** `valid`, or the code with which the second replica rejects a session. */
  statusOf(token: string): Promise<string>;
  /** An owner of the organization that the provider is bound to. */
  anOwner(more?: Partial<ProviderSettings>): Promise<Person>;
  stop(): Promise<void>;
}

export async function startProviderWorld(): Promise<ProviderWorld> {
  const provider = await startRealProvider();
  const networkIds = [newId(), newId()].sort() as [string, string];
  const settings = providerSettings({ id: OWN, issuer: provider.issuer, client_secret: provider.clientSecret });
  const fresh = { ...settings };
  const providers = [settings, providerSettings({ id: "down", issuer: "http://127.0.0.1:9" })];
  const topology = { ask: () => Promise.resolve(networkIds as never) };
  const identity = await startAudited({ providers, topology }, { providers, topology });
  let accountCount = 0;

  const principalOf: ProviderWorld["principalOf"] = async (token, replica = 0) => {
    const verified = await identity.verify("session", token, replica);
    if (verified.status !== "valid") throw new Error(verified.code);
    const as = sessionOf(verified.principal);
    const { userId, permission, scope } = as;
    return { as, userId, permission, ...scope };
  };

  return {
    ...{ provider, identity, settings, networkIds, principalOf },
    reset: () => {
      delete settings.organization_id;
      delete settings.groups;
      delete settings.domains;
      Object.assign(settings, fresh);
    },
    anAccount: (account = {}) => {
      const n = ++accountCount;
      const email = account.email ?? `known-${n}@provider.example`;
      provider.accounts.set(`subject-${n}`, { email_verified: true, ...account, email });
      return { subject: `subject-${n}`, email };
    },
    signInByProvider: async (subject, body = {}, headers = {}) => {
      const signIn = await startSignIn(identity, OWN, body);
      const { callback, signOut } = await provider.signIn(signIn.url, subject);
      const arrived = await finishSignIn(identity, OWN, Object.fromEntries(callback.searchParams), {
        headers: { ...signIn.headers, ...headers },
        replica: 1,
      });
      return { ...arrived, signOut };
    },
    link: async ({ principal: as, password }, subject) => {
      const response = await identity.send(linkProvider, { as, params: { provider: OWN }, body: { password } });
      if (response.status !== 200) throw new Error(response.text);
      const signIn = startedSignInOf(response);
      const { callback } = await provider.signIn(signIn.url, subject);
      return finishSignIn(identity, OWN, Object.fromEntries(callback.searchParams), signIn);
    },
    statusOf: async (token) => {
      const verified = await identity.verify("session", token, 1);
      return verified.status === "valid" ? "valid" : verified.code;
    },
    anOwner: async (more = {}) => {
      const owner = await identity.aPerson();
      Object.assign(settings, { organization_id: owner.organizationId, ...more });
      return owner;
    },
    stop: async () => {
      await Promise.all([identity.stop(), provider.stop()]);
    },
  };
}
