/** Assistants that ask a person to be let in, by OAuth. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { type Account, aColleague, anAccount, anotherSession, callerOf } from "../support/api.js";
import {
  allowed,
  aPkce,
  codeFrom,
  exchange,
  letIn,
  REDIRECT,
  refreshed,
  register,
  requestOf,
  sendForm,
} from "../support/oauth.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost } from "../support/world.js";

let stack: SharedStack;
let account: Account;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
});

const bearer = (token: string) => callerOf(stack.url, "an assistant", { authorization: `Bearer ${token}` });
const statusOf = async (token: string) => (await bearer(token).send("get", "/api/v1/networks?limit=1")).status;

async function aClient(): Promise<string> {
  const { body } = await register(stack.url, { client_name: "Helper", redirect_uris: [REDIRECT] });
  return String(body["client_id"]);
}

describe("an assistant that is not let in", () => {
  it("is told where to ask, and how", async () => {
    const { status, headers } = await callerOf(stack.url, "nobody").send("post", "/mcp", {});
    const [, where = ""] = /^Bearer resource_metadata="([^"]+)"$/.exec(headers.get("www-authenticate") ?? "") ?? [];
    expect([status, where]).toEqual([401, `${stack.url}/.well-known/oauth-protected-resource/mcp`]);
    const rejected = await bearer("nts_u_wrong").send("post", "/mcp", {});
    expect(rejected.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token", resource_metadata=/);
    const elsewhere = await callerOf(stack.url, "nobody").send("get", "/api/v1/hosts");
    expect(elsewhere.headers.get("www-authenticate")).toBe("Bearer");
    const read = async (url: string) => (await fetch(url)).json() as Promise<Record<string, unknown>>;
    const resource = await read(where);
    expect(resource).toMatchObject({ resource: `${stack.url}/mcp`, authorization_servers: [stack.url] });
    expect(await read(`${stack.url}/.well-known/oauth-authorization-server`)).toMatchObject({
      issuer: stack.url,
      authorization_endpoint: `${stack.url}/authorize`,
      token_endpoint: `${stack.url}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  });

  it("registers, and is refused in the words of the RFCs", async () => {
    const { status, headers, body } = await register(stack.url, {
      ...{ client_name: "Helper", redirect_uris: [REDIRECT], token_endpoint_auth_method: "client_secret_basic" },
    });
    expect([status, headers.get("cache-control"), body]).toEqual([
      201,
      "no-store",
      expect.objectContaining({ client_id: expect.any(String), token_endpoint_auth_method: "none" }),
    ]);
    expect(body).not.toHaveProperty("client_secret");
    const errorOf = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status: given, body: said } = await answer;
      return [given, said["error"]];
    };
    const { url } = stack;
    expect(await errorOf(register(url, { redirect_uris: ["http://example.com/"] }))).toEqual([
      400,
      "invalid_redirect_uri",
    ]);
    expect(await errorOf(sendForm(url, "/oauth/token", {}))).toEqual([400, "invalid_request"]);
    expect(await errorOf(sendForm(url, "/oauth/token", { grant_type: "password" }))).toEqual([
      400,
      "unsupported_grant_type",
    ]);
    expect(await errorOf(sendForm(url, "/oauth/token", { grant_type: "refresh_token", refresh_token: "x" }))).toEqual([
      400,
      "invalid_grant",
    ]);
    const elsewhere = { grant_type: "refresh_token", resource: "https://other.example/mcp" };
    expect(await errorOf(sendForm(url, "/oauth/token", elsewhere))).toEqual([400, "invalid_target"]);
    expect(await errorOf(exchange(url, { clientId: "nobody", code: "x", verifier: "x" }))).toEqual([
      400,
      "invalid_client",
    ]);
    expect(await errorOf(sendForm(url, "/oauth/revoke", {}))).toEqual([400, "invalid_request"]);
    expect((await sendForm(url, "/oauth/revoke", { token: "unknown" })).status).toBe(200);
  });
});

describe("a person who is asked", () => {
  it("sees who asks, and is sent back only to where the assistant has registered", async () => {
    const request = requestOf(await aClient(), aPkce());
    const show = (given: object) => account.session.send("post", "/api/auth/oauth/show", given);
    const { body } = await show({ ...request, scope: "member", redirect_uri: "http://127.0.0.1:51000/callback" });
    expect(body.data).toMatchObject({
      ...{ name: "Helper", is_local: true, permissions: "Member", problem: null },
      refuse_to: expect.stringMatching(/^http:\/\/127\.0\.0\.1:51000\/callback\?error=access_denied&.*state=a\+state/),
    });
    const unsafe = await show({ ...request, code_challenge_method: "plain" });
    expect(unsafe.body.data).toMatchObject({
      problem: expect.any(String),
      refuse_to: expect.stringMatching(/error=invalid_request/),
    });
    expect((await show({ ...request, redirect_uri: "https://evil.example/" })).body.code).toBe("not_found");
    expect((await show({ ...request, client_id: "nobody" })).body.code).toBe("not_found");
    const allowing = {
      request: { ...request, code_challenge_method: "plain" },
      permissions: "Viewer",
      network_ids: null,
    };
    const refused = await account.session.send("post", "/api/auth/oauth/allow", allowing);
    expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  });

  it("cannot give more than they have", async () => {
    const { network } = await aNetworkWithAHost(account.session);
    const viewer = await aColleague(stack.url, account, { permissions: "Viewer", network_ids: [] });
    const request = requestOf(await aClient(), aPkce());
    const allow = async (permissions: string, network_ids: string[] | null) => {
      const body = { request, permissions, network_ids };
      return (await viewer.session.send("post", "/api/auth/oauth/allow", body)).body.code;
    };
    expect(await allow("Member", null)).toBe("permission_denied");
    expect(await allow("Viewer", [network.id])).toBe("invalid_reference");
  });
});

describe("a code", () => {
  it("is good once, for the assistant that has its verifier", async () => {
    const clientId = await aClient();
    const another = await aClient();
    const pkce = aPkce();
    const code = await codeFrom(account.session, requestOf(clientId, pkce));
    const tried = async (change: object) =>
      (await exchange(stack.url, { clientId, code, verifier: pkce.verifier, ...change })).body["error"];
    expect([
      await tried({ clientId: another }),
      await tried({ verifier: aPkce().verifier }),
      await tried({ code: "x" }),
    ]).toEqual(Array(3).fill("invalid_grant"));
    const { status, headers, body } = await exchange(stack.url, { clientId, code, verifier: pkce.verifier });
    expect([status, headers.get("cache-control"), body]).toEqual([
      200,
      "no-store",
      expect.objectContaining({ token_type: "Bearer", expires_in: 3_600, scope: "viewer" }),
    ]);
    const access = String(body["access_token"]);
    expect(await statusOf(access)).toBe(200);
    // It was stolen, or what it was exchanged for.
    expect(await tried({})).toBe("invalid_grant");
    expect(await statusOf(access)).toBe(401);
  });

  it("ends with the session in which it was allowed", async () => {
    const { cookie, id } = await anotherSession(stack.url, account);
    const clientId = await aClient();
    const pkce = aPkce();
    const code = await codeFrom(callerOf(stack.url, "a session", { cookie }), requestOf(clientId, pkce));
    await account.session.data("delete", `/api/v1/auth/sessions/${id}`);
    const { body } = await exchange(stack.url, { clientId, code, verifier: pkce.verifier });
    expect(body["error"]).toBe("invalid_grant");
  });
});

describe("an assistant that was let in", () => {
  it("renews its tokens, and loses its access if an old one is used again", async () => {
    const { clientId, access, refresh } = await letIn(stack.url, account);
    const { status, body } = await refreshed(stack.url, { clientId, refresh });
    expect([status, await statusOf(access), await statusOf(String(body["access_token"]))]).toEqual([200, 401, 200]);
    expect((await refreshed(stack.url, { clientId: "another", refresh: String(body["refresh_token"]) })).status).toBe(
      400,
    );
    expect((await refreshed(stack.url, { clientId, refresh })).body["error"]).toBe("invalid_grant");
    expect(await statusOf(String(body["access_token"]))).toBe(401);
    expect((await refreshed(stack.url, { clientId, refresh: String(body["refresh_token"]) })).status).toBe(400);
  });

  it("is listed, and ends when the person or the assistant says so", async () => {
    const own = await anAccount(stack.url);
    const one = await letIn(stack.url, own, { permissions: "Member" });
    expect(one.key).toMatchObject({
      name: "Helper",
      permissions: "Member",
      assistant: { name: "Helper" },
      restricted: false,
    });
    expect(await own.session.data("get", "/api/v1/auth/keys?of_assistants=false")).toEqual([]);
    const other = await anAccount(stack.url);
    expect((await other.session.send("delete", `/api/v1/auth/keys/${one.key.id}`)).status).toBe(404);
    await own.session.data("delete", `/api/v1/auth/keys/${one.key.id}`);
    expect([await statusOf(one.access), (await refreshed(stack.url, one)).status]).toEqual([401, 400]);
    for (const token of ["access", "refresh"] as const) {
      const next = await letIn(stack.url, own);
      expect((await sendForm(stack.url, "/oauth/revoke", { token: next[token] })).status).toBe(200);
      expect([await statusOf(next.access), (await refreshed(stack.url, next)).status]).toEqual([401, 400]);
    }
    const audit = await own.session.data<{ action: string; entity: string }[]>("get", "/api/v1/audit?limit=100");
    expect(audit.filter(({ entity }) => entity === "UserApiKey").map(({ action }) => action)).toEqual(
      expect.arrayContaining(["created", "deleted", "revoked"]),
    );
  });

  it("acts with the level and networks that it was given, and makes nothing that outlives it", async () => {
    const own = await anAccount(stack.url);
    const { network } = await aNetworkWithAHost(own.session);
    await aNetworkWithAHost(own.session, "Lab");
    const { access } = await letIn(stack.url, own, { permissions: "Owner", network_ids: [network.id] });
    const assistant = bearer(access);
    expect(await assistant.data("get", "/api/v1/networks")).toMatchObject([{ id: network.id }]);
    expect((await assistant.send("post", "/api/v1/tags", { name: "mine" })).body.code).toBe("permission_denied");
    const all = bearer((await letIn(stack.url, own, { permissions: "Owner" })).access);
    const webhook = { url: "https://hooks.example.com/" };
    expect((await all.send("post", "/api/v1/webhooks", webhook)).body.code).toBe("permission_denied");
    const viewer = bearer((await letIn(stack.url, own)).access);
    expect((await viewer.send("post", "/api/v1/networks", { name: "mine" })).body.code).toBe("permission_denied");
  });

  it("uses the official client, which registers, asks, connects, and renews its tokens by itself", async () => {
    const own = await anAccount(stack.url);
    await aNetworkWithAHost(own.session);
    const saved: Record<string, unknown> = {};
    let asked: URL | null = null;
    const authProvider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: { client_name: "Official", redirect_uris: [REDIRECT] },
      clientInformation: () => saved["client"] as never,
      saveClientInformation: (client) => void (saved["client"] = client),
      tokens: () => saved["tokens"] as never,
      saveTokens: (tokens) => void (saved["tokens"] = tokens),
      redirectToAuthorization: (to) => void (asked = to),
      saveCodeVerifier: (verifier) => void (saved["verifier"] = verifier),
      codeVerifier: () => String(saved["verifier"]),
      saveDiscoveryState: (state) => void (saved["discovery"] = state),
      discoveryState: () => saved["discovery"] as never,
    };
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`), { authProvider });
      const client = new Client({ name: "test", version: "1" });
      const connected = await client.connect(transport).then(
        () => true,
        (error: unknown) => {
          if (error instanceof UnauthorizedError) return false;
          throw error;
        },
      );
      return { transport, client, connected };
    };
    const first = await connect();
    expect([first.connected, (asked as URL | null)?.pathname]).toEqual([false, "/authorize"]);
    const request = Object.fromEntries((asked as URL | null)!.searchParams);
    expect(request).toMatchObject({ resource: `${stack.url}/mcp`, code_challenge_method: "S256" });
    await first.transport.finishAuth(await allowed(own.session, request));
    const second = await connect();
    const { structuredContent } = await second.client.callTool({ name: "overview", arguments: {} });
    expect(structuredContent).toMatchObject({ data: { you: { level: "Viewer" }, totals: { hosts: 2 } } });
    await second.client.close();
    const before = saved["tokens"] as { access_token: string };
    const tokens = { ...before, access_token: `${before.access_token.slice(0, -1)}_` };
    saved["tokens"] = tokens;
    const third = await connect();
    expect([third.connected, saved["tokens"]]).toEqual([
      true,
      expect.not.objectContaining({ refresh_token: (before as { refresh_token?: string }).refresh_token }),
    ]);
    await third.client.close();
  });
});
