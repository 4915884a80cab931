/** Signing in by a provider, at a service without a gateway. */
import { finishProviderSignIn, prepareProviderSignIn } from "@nts/shared/contract/providers";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import type { ProviderSettings } from "@nts/identity/providers/settings";
import { type Direct, type DirectAnswer, tokenOf } from "./direct.js";

/** A started sign-in. */
export interface Begun {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  /** With the hash of the cookie that binds it to its browser, as the gateway sends it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of a sign-in. */
export interface Arrived {
  /** The page to which the browser is redirected. */
  readonly location: string;
  /** The error code; null without an error. */
  readonly problem: string | null;
  /** Of the new session; empty without one. */
  readonly token: string;
}

type Asks = Pick<Direct, "ask">;

/** Settings of a provider, as an operator may configure them. */
export function providerSettings(given: Pick<ProviderSettings, "id" | "issuer"> & Partial<ProviderSettings>): {
  -readonly [Name in keyof ProviderSettings]: ProviderSettings[Name];
} {
  return {
    ...{ name: `Provider ${given.id}`, client_id: "nts", client_authentication: "basic" },
    ...{ scopes: "openid email profile", provision: "never", permissions: "Viewer" },
    ...{ groups_claim: "groups", trust_addresses: false },
    ...given,
  };
}

export async function begin(
  service: Asks,
  provider: string,
  body: { readonly invite_token?: string; readonly return_to?: string } = {},
): Promise<Begun> {
  const answered = await service.ask(prepareProviderSignIn, { params: { provider }, body });
  if (answered.status !== 200) throw new Error(answered.text);
  return begunIn(answered);
}

/** The sign-in that a response has started. */
export function begunIn(answered: DirectAnswer<{ readonly authorization_url: string }>): Begun {
  const url = answered.data.authorization_url;
  const { searchParams } = new URL(url);
  const cookie = /^sign_in=([^;]*)/.exec(answered.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
  const headers = { [INTERNAL.browserHashes]: hashCredential(cookie) };
  return { url, state: searchParams.get("state") ?? "", nonce: searchParams.get("nonce") ?? "", headers };
}

/** Returns to a service. @param query of the callback */
export async function arrive(
  service: Asks,
  provider: string,
  query: Readonly<Record<string, string>>,
  { headers, replica = 0 }: { readonly headers?: Readonly<Record<string, string>>; readonly replica?: number } = {},
): Promise<Arrived> {
  const answered = await service.ask(finishProviderSignIn, {
    ...{ params: { provider }, query, replica },
    ...(headers && { headers }),
  });
  if (answered.status !== 303) throw new Error(`no redirect: ${answered.status} ${answered.text}`);
  const location = answered.headers.get("location") ?? "";
  return {
    location,
    problem: new URL(location, "http://localhost").searchParams.get("problem"),
    token: tokenOf(answered.headers),
  };
}
