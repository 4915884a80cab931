import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { createApiKey } from "@nts/shared/api-key";
import {
  type Account,
  aColleague,
  aKey,
  anAccount,
  type ApiResponse,
  type Caller,
  callerOf,
  cookieOf,
} from "../support/api.js";
import { type Mailbox, startMailbox } from "../support/mailbox.js";
import { useMailedLinks } from "../support/mailed-links.js";
import {
  type Answer,
  aPkce,
  codeFrom,
  exchange,
  REDIRECT,
  refreshed,
  register,
  requestOf,
  sendForm,
} from "../support/oauth.js";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.js";
import { type ProviderWithSecrets, startProviderWithSecrets } from "../support/provider-secrets.js";
import { withSecondFactor } from "../support/second-factors.js";
import { startStack, type Stack } from "../support/stack.js";
import { listenToBus, readPlaces, type BusListener, type Place } from "../support/whole-output.js";

// One run that uses every kind of secret, also in wrong places; then everything that the system wrote is searched for
// each of them.

const ARGON2 = /\$argon2\w*\$/;
const SIGNED_TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/;

let stack: Stack;
let receiver: OtlpReceiver;
let mailbox: Mailbox;
let provider: ProviderWithSecrets;
let bus: BusListener;
/** Secrets that nobody but their owner may see again, by description. */
const secrets = new Map<string, string>();
/** Values that only identity's database may contain, by description. */
const hashes = new Map<string, string>();
const failures: string[] = [];
let places: Place[];

beforeAll(async () => {
  [receiver, mailbox, provider] = await Promise.all([startOtlpReceiver(), startMailbox(), startProviderWithSecrets()]);
  const unlimited = { RATE_LIMIT_BURST: "10000", ANONYMOUS_RATE_LIMIT_BURST: "10000" };
  const env = {
    LOG_LEVEL: "trace",
    WEBHOOK_ALLOW: "127.0.0.0/8",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    MAILS_PER_ADDRESS: "1000",
    ...mailbox.env,
    ...provider.env,
    ...unlimited,
  };
  stack = await startStack({ ownMongod: true, env });
  bus = await listenToBus(stack);
  await useEverySecret();
  // Gateways report key usage at shutdown, and processes log it; then they are restarted for /metrics.
  await Promise.all([...stack.gateways, ...stack.identities].map(({ restart }) => restart()));
  places = [...(await readPlaces(stack)), bus.messages(), { name: "spans", kind: "spans", text: receiver.text() }];
});

afterAll(async () => {
  await bus.close();
  await stack.stop();
  await Promise.all([receiver.stop(), mailbox.stop(), provider.stop()]);
});

function recordSecret(what: string, secret: string): string {
  if (secret === "") throw new Error(`${what} is empty`);
  secrets.set(what, secret);
  for (const encoding of ["hex", "base64", "base64url"] as const)
    hashes.set(`${encoding} hash of ${what}`, createHash("sha256").update(secret).digest(encoding));
  return secret;
}

function keepKey(what: string, key: string): string {
  secrets.set(`secret part of ${what}`, key.slice(-38, -6));
  return recordSecret(what, key);
}

/** For a colleague: the owner continues with the password alone. */
async function useSecondFactor(owner: Account): Promise<void> {
  const guarded = await aColleague(stack.url, owner);
  const { email, password } = guarded;
  const { secret, recovery } = await withSecondFactor(guarded);
  recordSecret("secret of a second factor", secret);
  for (const code of recovery) recordSecret("recovery code", code);
  const stepwise = async (code: string): Promise<ApiResponse> => {
    const { body } = await send("post", "/api/auth/login", { email, password });
    const challenge = String(body.params["challenge"]);
    secrets.set("challenge", challenge);
    // The challenge of a sign-in.
    failures.splice(
      failures.findIndex((text) => text.includes(challenge)),
      1,
    );
    return send("post", "/api/auth/login/second-factor", { challenge, code });
  };
  await stepwise("not-a-code");
  recordSecret("session of two steps", tokenOf(cookieOf((await stepwise(recovery[0] ?? "")).headers)));
}

/** The value of a `Cookie` header. */
const tokenOf = (cookie: string): string => cookie.slice(cookie.indexOf("=") + 1);

/** Sends an anonymous request, and keeps failures to be searched. */
const send: Caller["send"] = async (...request) => {
  const response = await callerOf(stack.url, "anybody").send(...request);
  if (response.status !== 200) failures.push(response.text + JSON.stringify([...response.headers]));
  return response;
};

async function sendBroken(path: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(stack.url + path, { method: "POST", headers, body });
  failures.push(`${await response.text()} ${JSON.stringify([...response.headers])}`);
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function useEverySecret(): Promise<void> {
  const owner = await anAccount(stack.url);
  const wrong = await usePasswords(owner);
  await useKeys(owner);
  await useAssistant(owner);
  await useMailedLinks(await anAccount(stack.url), { mailbox, recordSecret, send });
  const { token } = await owner.session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Member" });
  const invite = recordSecret("invite that a sign-in by a provider leads back to", token);
  await provider.use(stack.url, await anAccount(stack.url), invite, recordSecret);
  await useSessions(owner, wrong);
  for (const [name, secrets] of Object.entries(stack.tenancySecrets))
    for (const secret of secrets as readonly string[]) recordSecret(`tenancy secret ${name}`, secret);
  const { redis, nats } = stack.servers.urls;
  recordSecret("password of redis", new URL(redis).password);
  for (const [user, natsUrl] of Object.entries(nats))
    recordSecret(`password of nats for ${user}`, new URL(natsUrl).password);
}

/** @returns a password that no account has */
async function usePasswords({ email, cookie, password: own }: Account): Promise<string> {
  const password = recordSecret("password", own);
  recordSecret("session", tokenOf(cookie));
  const wrong = recordSecret("wrong password", "a wrong password, 4711");
  await send("post", "/api/auth/login", { email, password: wrong });
  await send("post", "/api/auth/login", { email: "nobody@example.com", password: wrong });
  await send("post", "/api/auth/register", { email, password });
  await send("post", "/api/auth/register", { email: "not an address", password });
  await send("post", "/api/auth/register", {
    email: "b@example.com",
    password: recordSecret("short password", "sh0rt-pw!"),
  });
  await send("post", "/api/auth/register", {
    email: "b@example.com",
    password: { deep: recordSecret("odd password", "in-an-object-17") },
  });
  const cut = recordSecret("password in broken JSON", "broken-json-secret");
  await sendBroken("/api/auth/login", `{"email": "${email}", "password": "${cut}"`);
  await sendBroken("/api/auth/login", `{"email": "${email}", "password": "${cut}",}`);
  const logged = await send("post", "/api/auth/login", { email, password });
  recordSecret("second session", tokenOf(cookieOf(logged.headers)));
  return wrong;
}

async function useKeys(owner: Account): Promise<void> {
  const { session, organizationId: organization_id, userId: user_id } = owner;
  const made = await aKey(stack.url, owner);
  keepKey("key", made.secret);
  await useSecondFactor(owner);
  await made.caller.data("post", "/api/v1/networks", { name: "Home" });
  const rotated = keepKey("rotated key", await session.data<string>("post", `/api/v1/auth/keys/${made.id}/rotate`));
  await send("get", "/api/v1/networks", undefined, bearer(rotated));
  await send("get", "/api/v1/networks", undefined, bearer(made.secret));
  await send("get", "/api/v1/auth/keys", undefined, bearer(rotated));
  const misspelt = keepKey("misspelt key", `${createApiKey().secret.slice(0, -1)}!`);
  await send("get", "/api/v1/networks", undefined, bearer(misspelt));
  const unknown = keepKey("unknown key", createApiKey().secret);
  await send("get", "/api/v1/networks", undefined, bearer(unknown));
  const overlapping = keepKey(
    "key of a rotation with grace",
    await session.data<string>("post", `/api/v1/auth/keys/${made.id}/rotate?grace_seconds=60`),
  );
  await send("get", "/api/v1/networks", undefined, bearer(overlapping));
  const leaked = keepKey("leaked key", (await aKey(stack.url, owner)).secret);
  for (const keys of [[leaked, unknown], [], leaked]) await send("post", "/api/auth/keys/revoke", { keys });
  // A key in the wrong places.
  await send("get", `/api/v1/networks?api_key=${rotated}`, undefined, bearer(rotated));
  await send("get", `/api/v1/networks/${rotated}`, undefined, bearer(rotated));
  await send("get", `/api/${rotated}`);
  await send("get", "/api/v1/networks", undefined, { cookie: `session_id=${rotated}` });
  await send("get", "/api/v1/networks", undefined, { authorization: `Basic ${rotated}` });
  await send("get", "/api/v1/networks", undefined, { "x-request-id": rotated, "x-api-key": rotated });
  await useWebhook(owner);
  const body = { name: "a key", organization_id, user_id, tags: [], is_enabled: false };
  await session.data("put", `/api/v1/auth/keys/${made.id}`, body);
  await send("get", "/api/v1/networks", undefined, bearer(rotated));
}

/** An assistant that renews its access, loses it by a token that was used before, and sends tokens to the wrong places. */
async function useAssistant({ session }: Account): Promise<void> {
  const { url } = stack;
  const { body } = await register(url, { client_name: "Helper", redirect_uris: [REDIRECT] });
  const clientId = String(body["client_id"]);
  const pkce = aPkce();
  recordSecret("code verifier", pkce.verifier);
  const code = recordSecret("authorization code", await codeFrom(session, requestOf(clientId, pkce)));
  const refuse = async (answer: Promise<Answer>) => failures.push(JSON.stringify((await answer).body));
  await refuse(exchange(url, { clientId, code, verifier: aPkce().verifier }));
  const first = await exchange(url, { clientId, code, verifier: pkce.verifier });
  const access = keepKey("access token", String(first.body["access_token"]));
  const refresh = recordSecret("refresh token", String(first.body["refresh_token"]));
  await send("get", "/api/v1/tags", undefined, bearer(access));
  await send("get", "/api/v1/tags", undefined, bearer(refresh));
  const second = await refreshed(url, { clientId, refresh });
  keepKey("second access token", String(second.body["access_token"]));
  recordSecret("second refresh token", String(second.body["refresh_token"]));
  await refuse(refreshed(url, { clientId, refresh }));
  await refuse(refreshed(url, { clientId: refresh, refresh }));
  await refuse(sendForm(url, "/oauth/revoke", { token: refresh }));
  await refuse(sendForm(url, `/oauth/token?refresh_token=${refresh}`, { grant_type: refresh }));
}

async function useWebhook({ session }: Account): Promise<void> {
  const hook = "http://127.0.0.1:9/a-path-that-is-a-secret-of-slack-4713";
  recordSecret("address of a webhook", hook);
  const webhook = await session.data<{ id: string; secret: string }>("post", "/api/v1/webhooks", { url: hook });
  recordSecret("secret of a webhook", webhook.secret);
  await session.data("post", `/api/v1/webhooks/${webhook.id}/test`);
  await session.data("post", "/api/v1/tags", { name: "told by a webhook" });
  const { secret } = await session.data<{ secret: string }>("post", `/api/v1/webhooks/${webhook.id}/rotate`);
  recordSecret("rotated secret of a webhook", secret);
}

async function useSessions(owner: Account, wrong: string): Promise<void> {
  const { session, cookie, password } = owner;
  await session.data("get", "/api/auth/me");
  const foreign = recordSecret("unknown session", "s".repeat(40) + "Xy_");
  await send("get", "/api/auth/me", undefined, { cookie: `session_id=${foreign}` });
  await send("get", "/api/auth/me", undefined, { authorization: `Bearer ${tokenOf(cookie)}` });
  await send("post", "/api/auth/logout", undefined, { cookie, origin: "https://evil.example.com" });
  const { token } = await session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Member" });
  recordSecret("invite", token);
  recordSecret("session of a colleague", tokenOf((await aColleague(stack.url, owner)).cookie));
  const badInvite = recordSecret("unknown invite", "invite-".repeat(6));
  await send("post", "/api/auth/register", { email: "c@example.com", password, invite_token: badInvite });
  const fresh = recordSecret("new password", "a fresh password, 4712");
  for (const current_password of [wrong, password])
    await send("post", "/api/auth/password", { current_password, new_password: fresh }, { cookie });
  await session.data("post", "/api/auth/logout");
  await send("get", "/api/auth/me", undefined, { cookie });
}

/** The places that contain a text of the map, as sentences. */
function findings(texts: ReadonlyMap<string, string>, searched: readonly Place[]): string[] {
  return [...texts].flatMap(([what, text]) =>
    searched.filter((place) => place.text.includes(text)).map(({ name }) => `${what} in ${name}`),
  );
}

describe("after a run that used every kind of secret", () => {
  it("every searched place contains something", () => {
    const written = places.filter(({ text }) => text.trim() !== "");
    expect([...new Set(written.map(({ kind }) => kind))].sort()).toEqual(
      ["bus", "identity", "log", "metrics", "redis", "spans", "topology"].sort(),
    );
    // The logs from before the restart have a number at the end.
    expect(written.map(({ name }) => name.replace(/\.log\.\d+$/, ".log"))).toEqual(
      expect.arrayContaining(["logs/gateway-1.log", "logs/identity-1.log", "logs/topology-1.log", "identity.api_keys"]),
    );
    expect(failures.length).toBeGreaterThan(20);
  });

  it("no log, bus message, Redis key, database, metric or span contains a secret", () => {
    // Messages are sent to the address of a webhook; MongoDB logs slow commands.
    const known = /^address of a webhook in (topology\.webhooks|logs\/mongod\.log)$/;
    const found = findings(secrets, places);
    expect(found.filter((one) => !known.test(one))).toEqual([]);
    expect(found).toContain("address of a webhook in topology.webhooks");
  });

  it("no failure response contains a secret", () => {
    expect(findings(secrets, [{ name: "failures", kind: "log", text: failures.join("\n") }])).toEqual([]);
  });

  it("only the database of identity contains hashes of keys, sessions and invites", () => {
    const elsewhere = places.filter(({ kind, name }) => kind !== "identity" && name !== "logs/mongod.log");
    expect(findings(hashes, elsewhere)).toEqual([]);
    expect(findings(hashes, [{ name: "failures", kind: "log", text: failures.join("\n") }])).toEqual([]);
    const found = findings(hashes, places);
    for (const what of ["rotated key", "session of a colleague", "invite", "mailed invite", "link of a reset"])
      expect(found.filter((finding) => finding.startsWith(`hex hash of ${what} in identity.`))).toHaveLength(1);
    expect(found.filter((finding) => finding.includes("password"))).toEqual([]);
  });

  it("only identity's users contain password hashes: argon2id", () => {
    expect(places.filter(({ text }) => ARGON2.test(text)).map(({ name }) => name)).toEqual(["identity.users"]);
    const users = places.find(({ name }) => name === "identity.users")?.text.split("\n") ?? [];
    expect(users.filter((line) => !line.includes('"$argon2id$'))).toEqual([]);
  });

  it("no place contains a signed tenancy header", () => {
    expect(places.filter(({ text }) => SIGNED_TOKEN.test(text)).map(({ name }) => name)).toEqual([]);
    expect(failures.filter((text) => SIGNED_TOKEN.test(text))).toEqual([]);
  });

  it("a secret in one of these places would be found", async () => {
    const planted = "nts_u_planted__a-secret-that-stands-where-it-must-not";
    const redis = new Redis(stack.servers.redisOperatorUrl);
    const mongo = new MongoClient(stack.servers.urls.mongodb);
    try {
      await redis.hset("planted", "value", planted);
      for (const name of Object.values(stack.databases))
        await mongo.db(name).collection("planted").insertOne({ planted });
      await bus.publish(planted);
      const now = [...(await readPlaces(stack)), bus.messages()];
      // MongoDB logs slow commands, with the planted secret.
      const found = findings(new Map([["it", planted]]), now).filter((one) => !one.endsWith("mongod.log"));
      expect(found.sort()).toEqual(
        ["Redis", "identity.planted", "topology.planted", "NATS"].map((name) => `it in ${name}`).sort(),
      );
    } finally {
      redis.disconnect();
      await mongo.close();
    }
  });
});
