/** Signing in by a provider, at a service without a gateway. */
import { finishProviderSignIn, prepareProviderSignIn } from "@nts/shared/contract/providers";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import type { ProviderSettings } from "@nts/identity/flows/providers/settings";
import { type Direct, type DirectResponse, tokenOf } from "./direct.js";

/** A started sign-in. */
export interface StartedSignIn {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  /** With the hash of the cookie that binds it to its browser, as the gateway sends it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of a sign-in. */
export interface FinishedSignIn {
  /** The page to which the browser is redirected. */
  readonly location: string;
  /** The error code; null without an error. */
  readonly problem: string | null;
  /** Of the new session; empty without one. */
  readonly token: string;
}

type Sender = Pick<Direct, "send">;

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

export async function startSignIn(
  service: Sender,
  provider: string,
  body: { readonly invite_token?: string; readonly return_to?: string } = {},
): Promise<StartedSignIn> {
  const response = await service.send(prepareProviderSignIn, { params: { provider }, body });
  if (response.status !== 200) throw new Error(response.text);
  return startedSignInOf(response);
}

/** The sign-in that a response has started. */
export function startedSignInOf(response: DirectResponse<{ readonly authorization_url: string }>): StartedSignIn {
  const url = response.data.authorization_url;
  const { searchParams } = new URL(url);
  const cookie = /^sign_in=([^;]*)/.exec(response.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
  const headers = { [INTERNAL.browserHashes]: hashCredential(cookie) };
  return { url, state: searchParams.get("state") ?? "", nonce: searchParams.get("nonce") ?? "", headers };
}

/** Returns to a service. @param query of the callback */
export async function finishSignIn(
  service: Sender,
  provider: string,
  query: Readonly<Record<string, string>>,
  { headers, replica = 0 }: { readonly headers?: Readonly<Record<string, string>>; readonly replica?: number } = {},
): Promise<FinishedSignIn> {
  const response = await service.send(finishProviderSignIn, {
    ...{ params: { provider }, query, replica },
    ...(headers && { headers }),
  });
  if (response.status !== 303) throw new Error(`no redirect: ${response.status} ${response.text}`);
  const location = response.headers.get("location") ?? "";
  return {
    location,
    problem: new URL(location, "http://localhost").searchParams.get("problem"),
    token: tokenOf(response.headers),
  };
}
