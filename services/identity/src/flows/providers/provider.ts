import * as jose from "jose";
import * as oidc from "openid-client";
import { AppError } from "@nts/shared/errors";
import { createProviderFetch } from "./provider-fetch.js";
import { type Claims, CLOCK_SECONDS, faultOfToken, lacks, personIn, type ProviderPerson } from "./person.rules.js";
import type { ProviderSettings } from "./settings.js";

// One provider. `openid-client` checks state, issuer, audience, nonce, times and the asymmetric signature of the ID
// token; further checks are in `person.rules.ts`.

/** Milliseconds that provider metadata is cached. */
const DISCOVERED_MS = 3_600_000;
/** Milliseconds until a failed provider is asked again. */
const AGAIN_MS = 2_000;
/** Milliseconds for all requests of one sign-in, below the response deadline. */
const TOGETHER_MS = 5_500;
/** Maximum age of a logout token in seconds. */
export const LOGOUT_SECONDS = 300;

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
const ALGORITHMS = [
  "RS256",
  "PS256",
  "ES256",
  "EdDSA",
  "Ed25519",
  "RS384",
  "RS512",
  "PS384",
  "PS512",
  "ES384",
  "ES512",
];

/** What binds the end of a sign-in to its start. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The sessions that a provider reports as ended. */
export interface LogoutClaims {
  readonly subject: string | null;
  readonly sessionId: string | null;
  /** Identifies the token, which can be used once. */
  readonly tokenId: string;
}

/** All methods throw AppError `provider_unavailable` · `provider_failed`. */
export interface Provider {
  readonly settings: ProviderSettings;
  /** The authorization URL for the browser. */
  authorizationUrl(secrets: SignInSecrets): Promise<string>;
  /** The person who returned. @param query of the callback @throws AppError `provider_denied` */
  finish(query: Readonly<Record<string, unknown>>, secrets: SignInSecrets): Promise<ProviderPerson>;
  /** @throws AppError `logout_token_invalid` */
  readLogout(token: string): Promise<LogoutClaims>;
  /** Fetches the metadata. */
  check(): Promise<void>;
}

/** @param publicUrl to which the provider redirects browsers */
export function createProvider(settings: ProviderSettings, publicUrl: string): Provider {
  const redirectUri = new URL(`/api/auth/oidc/${settings.id}/callback`, publicUrl).href;
  const discovered = createDiscovery(settings);

  async function claimsOf(query: Readonly<Record<string, unknown>>, { state, nonce, verifier }: SignInSecrets) {
    const configuration = (await discovered()).configuration;
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries(query)) if (typeof value === "string") url.searchParams.set(name, value);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(configuration, url, checks);
    const claims: Claims = { ...tokens.claims() };
    const fault = faultOfToken(claims, settings.client_id, Date.now() / 1000);
    if (fault !== null) throw new AppError("provider_failed", {}, `the ID token is invalid: ${fault}`);
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!hasMore || !lacks(claims, settings.groups === undefined ? null : settings.groups_claim)) return claims;
    const more = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims["sub"]));
    return { ...more, ...claims };
  }

  return {
    settings,
    authorizationUrl: ({ state, nonce, verifier }) =>
      reporting(async () => {
        const { configuration } = await discovered();
        const code_challenge = await oidc.calculatePKCECodeChallenge(verifier);
        return oidc.buildAuthorizationUrl(configuration, {
          ...{ redirect_uri: redirectUri, scope: settings.scopes, state, nonce },
          ...{ code_challenge, code_challenge_method: "S256" },
        }).href;
      }),
    finish: (query, secrets) =>
      reporting(async () => personIn(await claimsOf(query, secrets), settings.groups_claim, settings.trust_addresses)),
    readLogout: (token) =>
      reporting(async () => {
        const { keys } = await discovered();
        const options = {
          ...{ issuer: settings.issuer, audience: settings.client_id, algorithms: ALGORITHMS },
          ...{ clockTolerance: CLOCK_SECONDS, maxTokenAge: LOGOUT_SECONDS, requiredClaims: ["exp", "jti", "events"] },
        };
        const { payload } = await jose.jwtVerify(token, keys, options).catch((error: unknown) => {
          throw error instanceof jose.errors.JOSEError && !(error instanceof jose.errors.JWKSTimeout)
            ? new AppError("logout_token_invalid", {}, error)
            : error;
        });
        return logoutClaimsOf(payload);
      }),
    check: () => reporting(async () => void (await discovered())),
  };
}

/** @throws AppError `logout_token_invalid` */
function logoutClaimsOf({ sub, sid, jti, events, nonce }: jose.JWTPayload): LogoutClaims {
  const event = typeof events === "object" && events !== null ? (events as Claims)[LOGOUT_EVENT] : undefined;
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 255;
  const isLogout = typeof event === "object" && event !== null && nonce === undefined && isText(jti);
  if (!isLogout || (!isText(sub) && !isText(sid))) throw new AppError("logout_token_invalid");
  return { subject: isText(sub) ? sub : null, sessionId: isText(sid) ? sid : null, tokenId: jti };
}

/** Settings allow http only for a provider on the same machine. */
// oxlint-disable-next-line typescript/no-deprecated -- the library marks it so that nobody takes it by accident
const onThisMachine = oidc.allowInsecureRequests;

interface Discovered {
  readonly configuration: oidc.Configuration;
  /** For what `openid-client` does not read. */
  readonly keys: jose.JWTVerifyGetKey;
}

/** Caches metadata for all callers; after a failure it is fetched again two seconds later. */
function createDiscovery(settings: ProviderSettings): () => Promise<Discovered> {
  const ask = createProviderFetch();
  let last: { readonly at: number; readonly found: Promise<Discovered>; keptMs: number } | null = null;

  async function discover(): Promise<Discovered> {
    const issuer = new URL(settings.issuer);
    const execute = [oidc.enableNonRepudiationChecks, ...(issuer.protocol === "http:" ? [onThisMachine] : [])];
    const metadata = { [oidc.clockTolerance]: CLOCK_SECONDS };
    const configuration = await oidc.discovery(issuer, settings.client_id, metadata, authenticationOf(settings), {
      execute,
      [oidc.customFetch]: (url, options) => ask(url, options),
    });
    const { issuer: announced, jwks_uri } = configuration.serverMetadata();
    if (announced !== settings.issuer)
      throw new AppError("provider_failed", {}, `issuer is ${announced}, which is not the configured one`);
    if (jwks_uri === undefined || new URL(jwks_uri).protocol !== issuer.protocol)
      throw new AppError("provider_failed", {}, "jwks_uri is missing, or of another protocol");
    const keys = jose.createRemoteJWKSet(new URL(jwks_uri), {
      [jose.customFetch]: (url, options) => ask(url, options),
    });
    return { configuration, keys };
  }

  return () => {
    const now = performance.now();
    if (last !== null && now - last.at < last.keptMs) return last.found;
    const discovery = { at: now, found: discover(), keptMs: DISCOVERED_MS };
    discovery.found.catch(() => {
      discovery.keptMs = AGAIN_MS;
    });
    last = discovery;
    return discovery.found;
  };
}

function authenticationOf({ client_secret: secret, client_authentication }: ProviderSettings): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return client_authentication === "post" ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

/** Runs requests to the provider with a time limit, and maps their errors. */
async function reporting<T>(task: () => Promise<T>): Promise<T> {
  const { signal, abort } = deadline();
  try {
    return await Promise.race([task(), signal]);
  } catch (error) {
    throw faultOf(error);
  } finally {
    abort();
  }
}

function deadline(): { readonly signal: Promise<never>; readonly abort: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const signal = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError("provider_unavailable", {}, "it took too long"));
    }, TOGETHER_MS);
  });
  return {
    signal,
    abort: () => {
      clearTimeout(timer);
    },
  };
}

function faultOf(error: unknown): AppError {
  // Our own errors, wrapped by the library.
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof AppError) return one;
  if (error instanceof oidc.AuthorizationResponseError) return new AppError("provider_denied", {}, error);
  return new AppError("provider_failed", {}, error);
}
