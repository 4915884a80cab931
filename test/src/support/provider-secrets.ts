/** Sign-ins by a provider: one returned to another browser, one completed, and one pending. */
import { type Account, cookieOf } from "./api.js";
import type { LinkUse } from "./mailed-links.js";
import { providerEnv, startRealProvider } from "./real-provider.js";

const PROVIDER = "home";

export interface ProviderWithSecrets {
  /** Settings of the processes. */
  readonly env: Readonly<Record<string, string>>;
  /** @param account which is linked @param invite the token to which the pending sign-in returns */
  use(url: string, account: Account, invite: string, recordSecret: RecordSecret): Promise<void>;
  stop(): Promise<void>;
}

type RecordSecret = LinkUse["recordSecret"];

export async function startProviderWithSecrets(): Promise<ProviderWithSecrets> {
  const provider = await startRealProvider();
  return {
    env: providerEnv(provider, { id: PROVIDER, name: "Home" }),
    use: async (url, { email, userId }, invite, recordSecret) => {
      recordSecret("secret of a client", provider.clientSecret);
      provider.accounts.set(userId, { email, email_verified: true });
      const path = `${url}/api/auth/oidc/${PROVIDER}`;
      const returnFromProvider = async (which: string, cookie?: string): Promise<Headers> => {
        const signIn = await beginAt(path, {}, (what, secret) => recordSecret(`${what} that ${which}`, secret));
        const { callback } = await provider.signIn(signIn.authorizationUrl, userId);
        recordSecret(`code of a sign-in that ${which}`, callback.searchParams.get("code") ?? "");
        const headers = { cookie: cookie ?? signIn.cookie };
        return (await fetch(`${path}/callback${callback.search}`, { headers, redirect: "manual" })).headers;
      };
      await returnFromProvider("came back to another browser", `sign_in=${"x".repeat(43)}`);
      const lines = (await returnFromProvider("came back")).getSetCookie().join("\n");
      recordSecret("session by a provider", /^session_id=([^;]+)/m.exec(lines)?.[1] ?? "");
      await beginAt(path, { return_to: `/sign-in#invite=${invite}`, invite_token: invite }, recordSecret);
    },
    stop: () => provider.stop(),
  };
}

async function beginAt(
  path: string,
  body: Readonly<Record<string, string>>,
  recordSecret: RecordSecret,
): Promise<{ readonly authorizationUrl: string; readonly cookie: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const { data } = (await response.json()) as { data: { authorization_url: string } };
  const cookie = cookieOf(response.headers);
  recordSecret("cookie of a sign-in", cookie.slice(cookie.indexOf("=") + 1));
  recordSecret("state of a sign-in", new URL(data.authorization_url).searchParams.get("state") ?? "");
  return { authorizationUrl: data.authorization_url, cookie };
}
