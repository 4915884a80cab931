/** A real OpenID Connect provider on this machine, with accounts from the test. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Configuration, default as Provider } from "oidc-provider";

/** Claims of an account, in addition to the subject. */
export interface ProviderAccount {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

export interface RealProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject; others get a verified address. */
  readonly accounts: Map<string, ProviderAccount>;
  /** Sent logout tokens, the oldest first. */
  readonly logoutTokens: string[];
  /** Signs in like a browser. @returns the redirect back from the provider */
  signIn(authorizationUrl: string, subject: string): Promise<ProviderVisit>;
  stop(): Promise<void>;
}

/** A browser that has signed in at the provider. */
export interface ProviderVisit {
  readonly callback: URL;
  signOut(): Promise<void>;
}

/** The settings of processes that use the provider. @param more members of its own */
export function providerEnv(
  { issuer, clientId: client_id, clientSecret: client_secret }: RealProvider,
  more: { readonly id: string; readonly name: string; readonly provision?: "invited" },
): { readonly OIDC_PROVIDERS: string } {
  return { OIDC_PROVIDERS: JSON.stringify([{ ...more, issuer, client_id, client_secret }]) };
}

/** @param sendsLogouts to the client, at `<its redirect URI without callback>logout` */
export async function startRealProvider(sendsLogouts = false): Promise<RealProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = "nts";
  const clientSecret = randomBytes(24).toString("base64url");
  const accounts = new Map<string, ProviderAccount>();
  const logoutTokens: string[] = [];
  const logoutUris = new Set<string>();
  const onLogout = async (logout_token: string): Promise<void> => {
    logoutTokens.push(logout_token);
    if (!sendsLogouts) return;
    for (const uri of logoutUris) await fetch(uri, { method: "POST", body: new URLSearchParams({ logout_token }) });
  };
  const provider = await configured(issuer, { clientId, clientSecret, accounts }, onLogout);
  // Tests choose their ports after it was started.
  const { prototype } = (provider as unknown as { Client: { prototype: object } }).Client;
  Object.assign(prototype, {
    redirectUriAllowed(uri: string): boolean {
      logoutUris.add(uri.replace(/callback$/, "logout"));
      return true;
    },
  });
  const handle = provider.callback();
  server.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/") !== true) void handle(request, response);
    else interact(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    ...{ issuer, clientId, clientSecret, accounts, logoutTokens },
    signIn: (authorizationUrl, subject) => signInAs(issuer, authorizationUrl, subject),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configured(
  issuer: string,
  { clientId, clientSecret, accounts }: Pick<RealProvider, "clientId" | "clientSecret" | "accounts">,
  onLogout: (token: string) => Promise<void>,
): Promise<Provider> {
  // It prints warnings that do not matter in tests.
  const { warn } = console;
  console.warn = () => undefined;
  try {
    const { default: Constructor } = await import("oidc-provider");
    return new Constructor(issuer, configurationOf({ clientId, clientSecret, accounts }, onLogout));
  } finally {
    console.warn = warn;
  }
}

function configurationOf(
  { clientId, clientSecret, accounts }: Pick<RealProvider, "clientId" | "clientSecret" | "accounts">,
  onLogout: (token: string) => Promise<void>,
): Configuration {
  return {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        ...{ redirect_uris: ["http://127.0.0.1/callback"], backchannel_logout_uri: "https://client.example/logout" },
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
    conformIdTokenClaims: false,
    fetch: async (_url, options) => {
      const token = new URLSearchParams(String(options?.body)).get("logout_token");
      if (token !== null) await onLogout(token);
      return new Response(null, { status: 200 });
    },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
        postLogoutSuccessSource: (ctx) => {
          ctx.body = "<h1>Signed out</h1>";
        },
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...(accounts.get(sub) ?? unknown(sub)) }) }),
    // Every consent is granted.
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      const accountId = session?.accountId;
      if (client === undefined || accountId === undefined) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  };
}

function unknown(subject: string): ProviderAccount {
  return { email: `${subject}@provider.example`, email_verified: true };
}

/** The login page of the provider, without passwords. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      '<h1>Provider</h1><form method="post"><label>Account <input name="account"></label><button>Continue</button></form>',
    );
    return;
  }
  let body = "";
  for await (const piece of request.setEncoding("utf8") as AsyncIterable<string>) body += piece;
  const accountId = new URLSearchParams(body).get("account") ?? "";
  await provider.interactionFinished(request, response, { login: { accountId } });
}

async function signInAs(issuer: string, authorizationUrl: string, subject: string): Promise<ProviderVisit> {
  const jar = new Map<string, string>();
  const fetchPage = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const given = { redirect: "manual", headers: { cookie } } as const;
    const response = await fetch(
      new URL(url, issuer),
      form === undefined ? given : { ...given, method: "POST", body: new URLSearchParams(form) },
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  };
  let next = authorizationUrl;
  for (let step = 0; step < 8; step++) {
    const path = new URL(next, issuer);
    const form = path.pathname.startsWith("/interaction/") ? { account: subject } : undefined;
    const response = await fetchPage(next, form);
    next = response.headers.get("location") ?? "";
    if (next === "") throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    if (new URL(next, issuer).pathname.endsWith("/callback"))
      return { callback: new URL(next), signOut: () => signOut(fetchPage) };
  }
  throw new Error("the provider does not redirect back");
}

async function signOut(fetchPage: (url: string, form?: Record<string, string>) => Promise<Response>): Promise<void> {
  const page = await (await fetchPage("/session/end")).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const done = await fetchPage("/session/end/confirm", { xsrf, logout: "yes" });
  if (done.status >= 400) throw new Error(await done.text());
}
