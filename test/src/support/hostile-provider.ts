/** A provider with programmable responses: valid tokens, unless a test changes them. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, SignJWT } from "jose";

type Claims = Readonly<Record<string, unknown>>;

/** The response of the token endpoint. */
export interface TokenResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value that is sent as JSON. */
  readonly body: string | object;
}

export interface HostileProvider {
  readonly issuer: string;
  readonly publicKey: KeyObject;
  /** Claims of a valid ID token. */
  claims(nonce: string): Record<string, unknown>;
  /** Claims of a valid logout token. */
  logoutClaims(): Record<string, unknown>;
  sign(claims: Claims, header?: Claims, key?: KeyObject | Uint8Array): Promise<string>;
  /** Sets the response of the token endpoint. */
  setTokenResponse(response: TokenResponse | "silence"): void;
  /** Sets the response of the userinfo endpoint. */
  setUserInfo(claims: Claims): void;
  stop(): Promise<void>;
}

export const HOSTILE_CLIENT = "nts";
const KEY_ID = "key-1";

export async function startHostileProvider(): Promise<HostileProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, use: "sig" };
  let token: TokenResponse | "silence" = { body: {} };
  let user: Claims = {};
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const json = (body: unknown): void => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (pathname === "/.well-known/openid-configuration") json(metadataOf(issuer));
    else if (pathname === "/jwks") json({ keys: [jwk] });
    else if (pathname === "/userinfo") json(user);
    else if (token !== "silence") {
      const { status = 200, headers = {}, body } = token;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = (): number => Math.floor(Date.now() / 1000);
  return {
    ...{ issuer, publicKey },
    claims: (nonce) => ({
      ...{ iss: issuer, aud: HOSTILE_CLIENT, sub: "ada", nonce, iat: now(), exp: now() + 60 },
      ...{ email: "ada@provider.example", email_verified: true, sid: "session-1" },
    }),
    logoutClaims: () => ({
      ...{ iss: issuer, aud: HOSTILE_CLIENT, sub: "ada", iat: now(), exp: now() + 60, jti: `jti-${Math.random()}` },
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    }),
    sign: (claims, header = {}, key = privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: KEY_ID, ...header }).sign(key),
    setTokenResponse: (response) => {
      token = response;
    },
    setUserInfo: (claims) => {
      user = claims;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function metadataOf(issuer: string): Claims {
  return {
    issuer,
    ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    ...{ jwks_uri: `${issuer}/jwks`, userinfo_endpoint: `${issuer}/userinfo` },
    ...{ response_types_supported: ["code"], subject_types_supported: ["public"] },
    id_token_signing_alg_values_supported: ["RS256"],
  };
}
