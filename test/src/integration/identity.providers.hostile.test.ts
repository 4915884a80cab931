/** What a malicious provider or client may send. Each row is named; the first one of each table is valid. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import { providerLogout } from "@nts/shared/contract/providers";
import { exportJWK, UnsecuredJWT } from "jose";
import { type HostileProvider, HOSTILE_CLIENT, startHostileProvider } from "../support/hostile-provider.js";
import { type Identity, startIdentity } from "../support/identity.js";
import {
  type FinishedSignIn,
  finishSignIn,
  startSignIn,
  type StartedSignIn,
  providerSettings,
} from "../support/provider-sign-ins.js";

let provider: HostileProvider;
let other: HostileProvider;
let identity: Identity;
const secret = "the-secret-of-the-client-at-the-provider";
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const minutes = (n: number): number => Math.floor(Date.now() / 1000) + n * 60;

beforeAll(async () => {
  [provider, other] = await Promise.all([startHostileProvider(), startHostileProvider()]);
  const settings = [
    providerSettings({ id: "here", issuer: provider.issuer, client_secret: secret }),
    providerSettings({ id: "there", issuer: other.issuer, client_secret: secret }),
  ];
  identity = await startIdentity({ replicas: [{ providers: settings }, { providers: settings }] });
  const person = await identity.aPerson();
  await identity.db.collection("users").updateOne({ email: person.email }, { $set: { email: "ada@provider.example" } });
  const first = await signIn({});
  expect(first).toMatchObject({ problem: null, location: "/" });
});
afterAll(async () => {
  await Promise.all([identity.stop(), provider.stop(), other.stop()]);
});

interface Row {
  /** Creates the ID token. */
  readonly token?: (claims: Record<string, unknown>) => Promise<string> | string;
  /** The response of the token endpoint. */
  readonly exchange?: Parameters<HostileProvider["setTokenResponse"]>[0];
  /** Parameters of the callback that differ; undefined omits one. */
  readonly query?: (started: StartedSignIn) => Readonly<Record<string, string | undefined>>;
  readonly headers?: (started: StartedSignIn) => Readonly<Record<string, string>>;
  readonly at?: "here" | "there";
}

async function signIn({ token, exchange, query, headers, at = "here" }: Row): Promise<FinishedSignIn> {
  const started = await startSignIn(identity, "here");
  const claims = provider.claims(started.nonce);
  const id_token = await (token ?? ((good) => provider.sign(good)))(claims);
  const body = { access_token: "access", token_type: "Bearer", expires_in: 60, id_token };
  for (const one of [provider, other]) one.setTokenResponse(exchange ?? { body });
  const given: Record<string, string | undefined> = { code: "code", state: started.state, ...query?.(started) };
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) sent[name] = value;
  return finishSignIn(identity, at, sent, { headers: headers?.(started) ?? started.headers });
}

const signed = (changes: object, header: object = {}): Row => ({
  token: (claims) => provider.sign({ ...claims, ...changes }, header as Record<string, unknown>),
});
const less = (claims: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name));
const without = (name: string): Row => ({ token: (claims) => provider.sign(less(claims, name)) });
const forged = (header: () => object | Promise<object> = () => ({})): Row => ({
  token: async (claims) => provider.sign(claims, (await header()) as Record<string, unknown>, stranger.privateKey),
});
const hs256 = (key: () => string): Row => ({
  token: (claims) => provider.sign(claims, { alg: "HS256" }, new TextEncoder().encode(key())),
});
const changed = async (change: (parts: string[]) => string[], claims: Record<string, unknown>): Promise<string> =>
  change((await provider.sign(claims)).split(".")).join(".");
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const TOKENS: Readonly<Record<string, Row>> = {
  "an unsigned token (alg none)": { token: (claims) => new UnsecuredJWT(claims).encode() },
  "a token without its signature": { token: (claims) => changed(([head = "", body = ""]) => [head, body, ""], claims) },
  "HS256 with the secret of the client": hs256(() => secret),
  "HS256 with the public key": hs256(() => provider.publicKey.export({ type: "spki", format: "pem" }).toString()),
  "another's signature under the known kid": forged(),
  "another's signature under an unknown kid": forged(() => ({ kid: "key-2" })),
  "another's signature without a kid": forged(() => ({ kid: undefined })),
  "another's signature with the key in the header": forged(async () => ({ jwk: await exportJWK(stranger.publicKey) })),
  "another's signature with an address of keys in the header": forged(() => ({ jku: `${other.issuer}/jwks` })),
  "a payload that was changed after signing": {
    token: (claims) => changed(([head = "", , end = ""]) => [head, encoded({ ...claims, sub: "eve" }), end], claims),
  },
  "a header with an extension that must be understood": signed({}, { crit: ["b64"], b64: true }),
  "an encrypted token": { token: (claims) => changed((parts) => [...parts, "AAAA", "AAAA"], claims) },
  "a token of another issuer": signed({ iss: "https://elsewhere.example" }),
  "a token of another provider of ours (mix-up)": {
    token: (claims) => other.sign({ ...other.claims(String(claims["nonce"])) }),
  },
  "a token that names another provider of ours, signed by this one": {
    token: (claims) => provider.sign({ ...claims, iss: other.issuer }),
  },
  "no issuer": without("iss"),
  "a token for another audience": signed({ aud: "another-client" }),
  "no audience": without("aud"),
  "several audiences and no authorized party": signed({ aud: [HOSTILE_CLIENT, "another-client"] }),
  "several audiences and another authorized party": signed({ aud: [HOSTILE_CLIENT, "x"], azp: "another-client" }),
  "one audience and another authorized party": signed({ azp: "another-client" }),
  "another nonce": signed({ nonce: "another" }),
  "no nonce": without("nonce"),
  "a token that has expired a minute ago": signed({ exp: minutes(-1) }),
  "no expiry": without("exp"),
  "a token that was issued in ten minutes": signed({ iat: minutes(10) }),
  "no time of issue": without("iat"),
  "a token that is good in ten minutes only": signed({ nbf: minutes(10) }),
  "no subject": without("sub"),
  "an empty subject": signed({ sub: "" }),
  "a subject that is not a text": signed({ sub: 7 }),
  "no ID token": { exchange: { body: { access_token: "access", token_type: "Bearer" } } },
  "a response that is not JSON": { exchange: { body: "<html>", headers: { "content-type": "text/html" } } },
  "an answer of a megabyte": { exchange: { body: JSON.stringify({ text: "x".repeat(1_048_576) }) } },
  "a redirect to elsewhere": { exchange: { status: 307, headers: { location: "http://127.0.0.1:9/token" }, body: "" } },
  "a code that was used before": { exchange: { status: 400, body: { error: "invalid_grant" } } },
};

const CALLBACKS: Readonly<Record<string, Row>> = {
  "an unknown state": { query: () => ({ state: "unknown" }) },
  "no state": { query: () => ({ state: undefined }) },
  "no code": { query: () => ({ code: undefined }) },
  "another browser": { headers: () => ({ "x-browser-hashes": "0".repeat(64) }) },
  "a browser without the cookie": { headers: () => ({}) },
  "the callback of another provider (mix-up)": { at: "there" },
  "another issuer together with the code (mix-up)": { query: () => ({ iss: other.issuer }) },
  "the refusal of the provider": { query: () => ({ error: "access_denied", code: undefined }) },
};

describe("identity.providers: rejected sign-ins", () => {
  it.each(Object.entries(TOKENS))("include %s", async (_name, row) => {
    const { problem, token } = await signIn(row);
    expect([problem, token]).toEqual(["provider_failed", ""]);
  });

  it.each(Object.entries(CALLBACKS))("include %s", async (_name, row) => {
    const { problem, token } = await signIn(row);
    expect(["sign_in_expired", "provider_failed", "provider_denied"]).toContain(problem);
    expect(token).toBe("");
  });

  it("include a used state, also at another replica, and a token of an earlier sign-in", async () => {
    const started = await startSignIn(identity, "here");
    const id_token = await provider.sign(provider.claims(started.nonce));
    provider.setTokenResponse({ body: { access_token: "access", token_type: "Bearer", id_token } });
    const query = { code: "code", state: started.state };
    const both = await Promise.all(
      [0, 1].map((replica) => finishSignIn(identity, "here", query, { ...started, replica })),
    );
    expect(both.map(({ problem }) => problem).toSorted()).toEqual([null, "sign_in_expired"].toSorted());
    expect(await finishSignIn(identity, "here", query, started)).toMatchObject({
      problem: "sign_in_expired",
      token: "",
    });
    const again = await startSignIn(identity, "here");
    expect(await finishSignIn(identity, "here", { ...query, state: again.state }, again)).toMatchObject({
      problem: "provider_failed",
      token: "",
    });
  });

  it("include those after ten minutes", async () => {
    const started = await startSignIn(identity, "here");
    const past = { $set: { expires_at: new Date(Date.now() - 1) } };
    await identity.db.collection("provider_sign_ins").updateMany({}, past);
    provider.setTokenResponse({
      body: { access_token: "a", token_type: "Bearer", id_token: await provider.sign(provider.claims(started.nonce)) },
    });
    expect(await finishSignIn(identity, "here", { code: "code", state: started.state }, started)).toMatchObject({
      problem: "sign_in_expired",
      token: "",
    });
  });

  it("include userinfo of another subject", async () => {
    const lacking = without("email");
    provider.setUserInfo({ sub: "eve", email: "ada@provider.example", email_verified: true });
    expect(await signIn(lacking)).toMatchObject({ problem: "provider_failed", token: "" });
    provider.setUserInfo({ sub: "ada", email: "ada@provider.example", email_verified: true });
    expect(await signIn(lacking)).toMatchObject({ problem: null });
  });

  it("do not include a clock skew of twenty seconds in either direction", async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const off of [-20, 20]) {
      const times = { iat: now + off, exp: off < 0 ? now + off : now + 60 };
      expect(await signIn(signed(times))).toMatchObject({ problem: null });
    }
  });
});

describe("identity.providers: logout tokens", () => {
  const LOGOUTS: Readonly<Record<string, (claims: Record<string, unknown>) => Promise<string> | string>> = {
    "an unsigned logout token": (claims) => new UnsecuredJWT(claims).encode(),
    "HS256 with the public key": (claims) =>
      provider.sign(
        claims,
        { alg: "HS256" },
        new TextEncoder().encode(provider.publicKey.export({ type: "spki", format: "pem" }).toString()),
      ),
    "HS256 with the secret of the client": (claims) =>
      provider.sign(claims, { alg: "HS256" }, new TextEncoder().encode(secret)),
    "another's signature": (claims) => provider.sign(claims, {}, stranger.privateKey),
    "another's signature under an unknown kid": (claims) =>
      provider.sign(claims, { kid: "key-2" }, stranger.privateKey),
    "another issuer": (claims) => provider.sign({ ...claims, iss: other.issuer }),
    "another audience": (claims) => provider.sign({ ...claims, aud: "another-client" }),
    "a nonce": (claims) => provider.sign({ ...claims, nonce: "nonce" }),
    "no event": (claims) => provider.sign(less(claims, "events")),
    "another event": (claims) => provider.sign({ ...claims, events: { "https://example.com/other": {} } }),
    "an event that is not an object": (claims) =>
      provider.sign({ ...claims, events: { "http://schemas.openid.net/event/backchannel-logout": true } }),
    "neither subject nor session": (claims) => provider.sign(less(claims, "sub")),
    "no id": (claims) => provider.sign(less(claims, "jti")),
    "no time of issue": (claims) => provider.sign(less(claims, "iat")),
    "no expiry": (claims) => provider.sign(less(claims, "exp")),
    "an expiry that is over": (claims) => provider.sign({ ...claims, exp: minutes(-1) }),
    "a time of issue in ten minutes": (claims) => provider.sign({ ...claims, iat: minutes(10) }),
    "a time of issue of ten minutes ago": (claims) => provider.sign({ ...claims, iat: minutes(-10) }),
    "an ID token": () => provider.sign(provider.claims("nonce")),
    "no token": () => "",
  };
  const logout = (token: string, replica = 0) =>
    identity.send(providerLogout, {
      ...{ params: { provider: "here" }, replica },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });

  it.each(Object.entries(LOGOUTS))("with %s end no session", async (_name, make) => {
    const { token } = await signIn({});
    const { code, status } = await logout(await make(provider.logoutClaims()));
    expect([status, code]).toEqual([400, "logout_token_invalid"]);
    expect(await identity.verify("session", token, 1)).toMatchObject({ status: "valid" });
  });

  it("that were used before, at any replica, end no session", async () => {
    const token = await provider.sign(provider.logoutClaims(), { typ: "logout+jwt" });
    expect((await logout(token)).status).toBe(200);
    const { token: session } = await signIn({});
    expect(await logout(token, 1)).toMatchObject({ status: 400, code: "logout_token_invalid" });
    expect(await identity.verify("session", session)).toMatchObject({ status: "valid" });
  });

  it("that are valid end those of a subject, or of one provider session", async () => {
    const there = async (sid: string) => (await signIn(signed({ sid }))).token;
    const one = await there("one");
    const two = await there("two");
    const password = await identity.db.collection("sessions").countDocuments({ provider: { $exists: false } });
    const claims = { ...less(provider.logoutClaims(), "sub"), sid: "one" };
    expect((await logout(await provider.sign(claims))).status).toBe(200);
    const statuses = async () =>
      Promise.all([one, two].map(async (token) => (await identity.verify("session", token, 1)).status));
    expect(await statuses()).toEqual(["refused", "valid"]);
    expect((await logout(await provider.sign(provider.logoutClaims()))).status).toBe(200);
    expect(await statuses()).toEqual(["refused", "refused"]);
    expect(await identity.db.collection("sessions").countDocuments({ provider: { $exists: false } })).toBe(password);
  });
});
