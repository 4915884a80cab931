/** What gateways do with the credentials of users with and without a second factor. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { SecondFactorOffer } from "@nts/shared/contract";
import { MongoClient } from "mongodb";
import {
  type Account,
  aColleague,
  aKey,
  anAccount,
  anotherSession,
  type Caller,
  callerOf,
  cookieOf,
} from "../support/api.js";
import { codeOf, withSecondFactor } from "../support/second-factors.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

describe("a user of an organization that requires a second factor", () => {
  it("can use keys as soon as the response that enables one at sign-in arrives", async () => {
    const owner = await anAccount(stack.url);
    const colleague = await aColleague(stack.url, owner);
    const { email, password } = colleague;
    const credentials = [colleague.session, (await aKey(stack.url, colleague, { permissions: "Viewer" })).caller];
    await withSecondFactor(owner);
    const required = { require_second_factor: true };
    await owner.session.data("patch", `/api/v1/organizations/${owner.organizationId}`, required);

    const browser = callerOf(stack.url, "browser");
    const { body } = await browser.send("post", "/api/auth/login", { email, password });
    expect([body.code, body.params]).toEqual(["second_factor_required", expect.objectContaining({ set_up: true })]);
    const challenge = String(body.params["challenge"]);
    const { secret } = await browser.data<SecondFactorOffer>("post", "/api/auth/login/second-factor/offer", {
      challenge,
    });
    const statuses = () =>
      Promise.all(credentials.map(async (caller) => (await caller.send("get", "/api/v1/hosts")).status));
    expect(await statuses()).toEqual([401, 401]);
    await browser.data("post", "/api/auth/login/second-factor/enable", { challenge, code: codeOf(secret) });
    expect(await statuses()).toEqual([401, 200]);
    expect((await browser.send("get", "/api/v1/hosts")).status).toBe(401);
  });
});

describe("a session without a recent code", () => {
  const ARCHIVE = "/api/v1/organizations/archive";
  const url = "https://hooks.example.com/";

  it("makes and changes no webhook, and moves no archive, until a code is given; keys are not asked", async () => {
    const owner = await anAccount(stack.url);
    const { caller: key } = await aKey(stack.url, owner, { permissions: "Owner" });
    const { secret } = await withSecondFactor(owner);
    const { id } = await owner.session.data<{ id: string }>("post", "/api/v1/webhooks", { url });
    const session = await anOldSessionOf(owner, secret);
    const at = `/api/v1/webhooks/${id}`;
    const asking = [
      () => session.send("get", ARCHIVE),
      () => session.send("post", ARCHIVE, "{}", { "content-type": "application/x-ndjson" }),
      () => session.send("post", "/api/v1/webhooks", { url }),
      () => session.send("patch", at, { batch_seconds: 5 }),
      () => session.send("put", at, { url, batch_seconds: 6 }),
      () => session.send("post", `${at}/replay`, { after: "AAAAAAAAAAAAAAAAAAAAAA" }),
      () => session.send("post", `${at}/rotate`),
    ];
    for (const ask of asking) expect((await ask()).body).toMatchObject({ code: "confirmation_required" });
    expect((await session.send("get", at)).status).toBe(200);
    expect((await key.send("get", ARCHIVE)).status).toBe(200);
    expect((await key.send("patch", at, { batch_seconds: 7 })).status).toBe(200);

    await session.data("post", "/api/auth/second-factor/confirm", { code: codeOf(secret, 1) });
    for (const ask of asking) expect((await ask()).text).not.toContain("confirmation_required");
    expect((await session.send("get", ARCHIVE)).status).toBe(200);
  });

  it("is asked on every gateway as soon as the response that switches a factor on arrives", async () => {
    const owner = await anAccount(stack.url);
    const { cookie } = await anotherSession(stack.url, owner);
    const other = callerOf(stack.url, "another session", { cookie });
    expect((await other.send("get", ARCHIVE)).status).toBe(200);
    await withSecondFactor(owner);
    expect((await other.send("get", ARCHIVE)).status).toBe(401);
    expect((await owner.session.send("get", ARCHIVE)).status).toBe(200);
  });

  /** A session whose code was given more than ten minutes ago. */
  async function anOldSessionOf({ email, password, userId }: Account, secret: string): Promise<Caller> {
    const { body } = await callerOf(stack.url, "nobody").send("post", "/api/auth/login", { email, password });
    const second = { challenge: body.params["challenge"], code: codeOf(secret) };
    const { headers, status } = await callerOf(stack.url, "nobody").send(
      "post",
      "/api/auth/login/second-factor",
      second,
    );
    expect(status).toBe(200);
    const client = new MongoClient(stack.servers.urls.mongodb);
    const sessions = client.db(stack.databases.identity).collection("sessions");
    // No gateway knows the newest one yet.
    const longAgo = { $set: { confirmed_at: new Date(Date.now() - 600_001) } };
    await sessions.findOneAndUpdate({ user_id: userId }, longAgo, { sort: { created_at: -1 } });
    await client.close();
    return callerOf(stack.url, "old session", { cookie: cookieOf(headers) });
  }
});
