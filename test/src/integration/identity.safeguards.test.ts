/** Protection of accounts and permissions against misuse, through the public interface. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createBus } from "@nts/shared/bus/bus";
import { networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import { createLog } from "@nts/shared/log";
import { aColleague, aKey, anAccount, callerOf, cookieOf, type Account, type ApiResponse } from "../support/api.js";
import { createDirect } from "../support/direct.js";
import { type SharedStack, sharedStack, startAnotherGateway } from "../support/shared-stack.js";
import type { ProcessHandle } from "../support/stack.js";
import { until } from "../support/until.js";

const PASSWORD = "correct horse battery staple";

let stack: SharedStack;
let another: ProcessHandle;

beforeAll(async () => {
  stack = await sharedStack();
  another = await startAnotherGateway(stack);
});

afterAll(() => another.stop());

const send = (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> => callerOf(stack.url, "browser").send(method, path, body, headers);

/** The responses of each gateway to a cookie. */
const statuses = (cookie: string): Promise<number[]> =>
  Promise.all(
    [stack, another].map(
      async ({ url }) => (await callerOf(url, "user", { cookie }).send("get", "/api/auth/me")).status,
    ),
  );

const logIn = ({ email, password }: Account, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  send("post", "/api/auth/login", { email, password }, headers);

describe("a browser that logs in", () => {
  it("loses its previous session, on every gateway, and no other", async () => {
    const before = await anAccount(stack.url);
    const elsewhere = await anAccount(stack.url);
    const next = await anAccount(stack.url);
    expect(await statuses(before.cookie)).toEqual([200, 200]);
    const { status, headers } = await logIn(next, { cookie: before.cookie });
    expect([status, headers.getSetCookie().length]).toEqual([200, 1]);
    expect(await statuses(before.cookie)).toEqual([401, 401]);
    expect([...(await statuses(cookieOf(headers))), ...(await statuses(elsewhere.cookie))]).toEqual([
      200, 200, 200, 200,
    ]);
  });

  it("keeps its previous session when the password is wrong", async () => {
    const account = await anAccount(stack.url);
    expect((await logIn({ ...account, password: "wrong" }, { cookie: account.cookie })).status).toBe(401);
    expect(await statuses(account.cookie)).toEqual([200, 200]);
  });

  it("loses its previous session by registering, too", async () => {
    const { cookie } = await anAccount(stack.url);
    const body = { email: `again-${Date.now()}@example.com`, password: PASSWORD };
    expect((await send("post", "/api/auth/register", body, { cookie })).status).toBe(200);
    expect(await statuses(cookie)).toEqual([401, 401]);
  });

  it("gets a new token when it changes the password, and the previous one ends", async () => {
    const { cookie, password } = await anAccount(stack.url);
    const body = { current_password: password, new_password: `${password}, changed` };
    const { status, headers } = await send("post", "/api/auth/password", body, { cookie });
    expect(status).toBe(200);
    expect(cookieOf(headers)).toMatch(/^session_id=[\w-]{43}$/);
    expect([await statuses(cookie), await statuses(cookieOf(headers))]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });
});

describe("a second session cookie set by another page", () => {
  const STRAY = "session_id=stray";

  it("makes requests ambiguous, which are rejected", async () => {
    const { cookie } = await anAccount(stack.url);
    const { status, body } = await send("get", "/api/auth/me", undefined, { cookie: `${STRAY}; ${cookie}` });
    expect([status, body.code]).toEqual([400, "malformed_request"]);
  });

  it.each([
    ["before", (own: string) => `${STRAY}; ${own}`],
    ["after", (own: string) => `${own}; ${STRAY}`],
  ])("sent %s ours does not prevent logging out: ours ends, and both are cleared", async (_where, both) => {
    const { cookie } = await anAccount(stack.url);
    const { status, headers } = await send("post", "/api/auth/logout", undefined, { cookie: both(cookie) });
    expect(status).toBe(200);
    expect(await statuses(cookie)).toEqual([401, 401]);
    const cleared = headers.getSetCookie();
    expect(cleared.every((one) => one.startsWith("session_id=; Max-Age=0; "))).toBe(true);
    for (const path of ["/", "/api", "/api/auth"])
      expect(cleared.some((one) => one.includes(`Path=${path};`))).toBe(true);
  });

  it("does not prevent logging in: the other one is cleared, the new one set last", async () => {
    const account = await anAccount(stack.url);
    const { status, headers } = await logIn(account, { cookie: `${STRAY}; ${account.cookie}` });
    expect(status).toBe(200);
    const set = headers.getSetCookie();
    expect(set.filter((one) => one.startsWith("session_id=;")).length).toBeGreaterThan(2);
    expect(set.filter((one) => /^session_id=[\w-]{43};.*Path=\/;/.test(one))).toHaveLength(1);
    expect(await statuses(account.cookie)).toEqual([401, 401]);
  });

  it("does not allow a page of another site to log a user out", async () => {
    const { cookie } = await anAccount(stack.url);
    const headers = { cookie: `${STRAY}; ${cookie}`, origin: "https://evil.example" };
    const { status, body } = await send("post", "/api/auth/logout", undefined, headers);
    expect([status, body.code]).toEqual([403, "csrf_rejected"]);
    expect(await statuses(cookie)).toEqual([200, 200]);
  });
});

describe("a weak password", () => {
  const refusal = async (password: string, organization_name = "Ada at home") => {
    const body = { email: "ada.lovelace@analytical.example", password, organization_name };
    const { status, body: response } = await send("post", "/api/auth/register", body);
    return status === 200 ? null : (response.params["errors"] as { path: string; message: string }[])[0];
  };

  it.each([
    ["that repeats a letter", "aaaaaaaaaa"],
    ["that is very common", "password123"],
    ["that is a row on the keyboard", "qwertyuiop1"],
    ["repeating a common one, however long", "p@$$w0rd".repeat(16)],
    ["made from the email address", "ada.lovelace1"],
    ["made from the email address, longer than the judged part", "ada.lovelace@analytical.example1"],
    ["made from the organization's name", "ada at home 1"],
  ])("%s is rejected, with the reason", async (_which, password) => {
    expect(await refusal(password)).toEqual({
      path: "password",
      message: expect.stringMatching(/^is too easy to guess\. [A-Z]/),
    });
  });

  it("made from the name of an organization without a name is rejected", async () => {
    const body = { email: "ada.lovelace@analytical.example", password: "My Organization 1" };
    const { status, body: response } = await send("post", "/api/auth/register", body);
    expect([status, response.code]).toEqual([400, "validation_failed"]);
  });

  it("chosen to be slow to check does not delay others", async () => {
    const { session } = await anAccount(stack.url);
    const slow = Array.from({ length: 6 }, () => refusal("1/1/2001".repeat(16)));
    const responses: number[] = [];
    for (let index = 0; index < 20; index++) responses.push((await session.send("get", "/api/auth/me")).status);
    expect(new Set(responses)).toEqual(new Set([200]));
    for (const one of await Promise.all(slow)) expect(one).toMatchObject({ path: "password" });
  });
});

describe("Owners and Admins", () => {
  it("are created by a session, or by an unrestricted Owner key without expiry", async () => {
    const owner = await anAccount(stack.url);
    const member = await aColleague(stack.url, owner);
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const ending = await aKey(stack.url, owner, { expires_at: ends });
    const lasting = await aKey(stack.url, owner);
    for (const permissions of ["Owner", "Admin"] as const) {
      const refusals = [
        await ending.caller.send("post", "/api/v1/invites", { permissions }),
        await ending.caller.send("put", `/api/v1/users/${member.userId}`, { permissions }),
      ];
      for (const { status, body } of refusals)
        expect([status, body.code, body.params]).toEqual([403, "permission_denied", { required: "session" }]);
      for (const { send } of [lasting.caller, owner.session])
        expect((await send("post", "/api/v1/invites", { permissions })).status).toBe(200);
    }
    expect((await ending.caller.send("post", "/api/v1/invites", { permissions: "Member" })).status).toBe(200);
    expect((await lasting.caller.send("put", `/api/v1/users/${member.userId}`, { permissions: "Admin" })).status).toBe(
      200,
    );
  });
});

describe("a forged notice on the bus", () => {
  it("removes no network and no tag", async () => {
    const owner = await anAccount(stack.url);
    const [kept, deleted] = (await Promise.all(
      ["kept", "gone"].map((name) => owner.session.data<{ id: string }>("post", "/api/v1/networks", { name })),
    )) as [{ id: string }, { id: string }];
    const tag = await owner.session.data<{ id: string }>("post", "/api/v1/tags", { name: "kept" });
    const networks = [kept.id, deleted.id];
    const key = await aKey(stack.url, owner, { network_ids: networks, tags: [tag.id] });
    const bus = createBus(stack.servers.urls.nats.topology, "test", createLog("test", "silent"));
    await until(() => bus.isConnected());
    bus.publish(networkDeleted, { organization_id: owner.organizationId, network_id: kept.id });
    bus.publish(tagDeleted, { organization_id: owner.organizationId, tag_id: tag.id });
    // A genuine notice, sent after them, is applied by each replica.
    await owner.session.data("delete", `/api/v1/networks/${deleted.id}`);
    const identity = createDirect(stack);
    await until(async () => {
      const verified = await identity.verify("key", key.secret, 1);
      return verified.status === "valid" && !verified.principal.networks.includes(deleted.id);
    });
    await bus.close();
    expect(await owner.session.data("get", `/api/v1/auth/keys/${key.id}`)).toMatchObject({
      network_ids: [kept.id],
      tags: [tag.id],
    });
  });
});
