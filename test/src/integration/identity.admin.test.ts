import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { aKey, anAccount, callerOf, type Account } from "../support/api.js";
import { startStack, type Stack } from "../support/stack.js";

let stack: Stack;

beforeAll(async () => {
  const unlimited = { ANONYMOUS_RATE_LIMIT_PER_MINUTE: "1000000", ANONYMOUS_RATE_LIMIT_BURST: "1000000" };
  stack = await startStack({ gateways: 2, env: unlimited });
});

afterAll(() => stack.stop());

const admin = (args: string[], { input = "", env = {} } = {}) =>
  execa(process.execPath, [join(ROOT, "services/identity/dist/admin/main.js"), ...args], {
    env: { MONGODB_URL: stack.servers.urls.mongodb, MONGODB_DATABASE: stack.databases.identity, ...env },
    extendEnv: false,
    reject: false,
    input,
  });

const logIn = (email: string, password: string) =>
  callerOf(stack.url, "nobody").send("post", "/api/auth/login", { email, password });

/** What the gateways answer to the session of an account. */
const statuses = ({ cookie }: Account) =>
  Promise.all(
    stack.gateways.map(async ({ url }) => (await callerOf(url, "user", { cookie }).send("get", "/api/auth/me")).status),
  );

describe("identity.admin: reset-password", () => {
  it("prints a new password once, and ends every session on every gateway before it is done", async () => {
    const owner = await anAccount(stack.url);
    const key = await aKey(stack.url, owner);
    expect(await statuses(owner)).toEqual([200, 200]);
    const { stdout, stderr, exitCode } = await admin(["reset-password", owner.email.toUpperCase()]);
    expect(await statuses(owner)).toEqual([401, 401]);
    expect(exitCode).toBe(0);
    const password = /shown once: (\S{24})$/.exec(stdout)?.[1] ?? "";
    expect((await logIn(owner.email, owner.password)).status).toBe(401);
    expect((await logIn(owner.email, password)).status).toBe(200);
    expect((await key.caller.send("get", "/api/v1/networks")).status).toBe(200);
    const { user_id, operator } = JSON.parse(stderr) as Record<string, string>;
    expect([user_id, typeof operator]).toEqual([owner.userId, "string"]);
    expect(stderr).not.toContain(password);
  });

  it("takes a password from standard input, and then prints none", async () => {
    const { email } = await anAccount(stack.url);
    const { stdout, stderr } = await admin(["reset-password", email, "--stdin"], { input: "chosen by hand\n" });
    expect(stdout + stderr).not.toContain("chosen by hand");
    expect((await logIn(email, "chosen by hand")).status).toBe(200);
    expect(await admin(["reset-password", email, "--stdin"], { input: "short\n" })).toMatchObject({
      exitCode: 1,
      stderr: "The password must have at least 10 characters.",
    });
  });

  it("lets in at once who had to wait after failed logins", async () => {
    const { email } = await anAccount(stack.url);
    for (let i = 0; i < 5; i++) expect((await logIn(email, "wrong")).status).toBe(401);
    const waiting = await logIn(email, "wrong");
    expect([waiting.status, waiting.body.code]).toEqual([429, "login_throttled"]);
    const seconds = waiting.body.params["retry_after_seconds"];
    expect(waiting.headers.get("retry-after")).toBe(String(seconds));
    await admin(["reset-password", email, "--stdin"], { input: "chosen by hand" });
    expect((await logIn(email, "chosen by hand")).status).toBe(200);
  });

  it("says in one sentence what is wrong", async () => {
    const nobody = await admin(["reset-password", "nobody@example.com"]);
    expect(nobody).toMatchObject({ exitCode: 1, stderr: "No user has the email address nobody@example.com." });
    const unset = await admin(["reset-password", "a@example.com"], { env: { MONGODB_URL: "" } });
    expect(unset).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("MONGODB_URL") as unknown });
    const url = "mongodb://root:secret@127.0.0.1:9/?replicaSet=rs0";
    const away = await admin(["reset-password", "a@example.com"], { env: { MONGODB_URL: url } });
    expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("MongoDB does not answer") as unknown });
    expect(away.stderr).not.toContain("secret");
    expect(await admin(["--help"], { env: { MONGODB_URL: "" } })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("reset-password <email>") as unknown,
    });
  });
});
