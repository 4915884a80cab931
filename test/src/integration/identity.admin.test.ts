import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { MongoClient } from "mongodb";
import { examine } from "@nts/identity/admin/doctor";
import { runAdmin } from "@nts/identity/admin/run";
import { login, register } from "@nts/shared/contract/users";
import type { Log } from "@nts/shared/log";
import { ROOT } from "@nts/local/processes/system";
import { aColleague, aGuest, aKey, anAccount, callerOf, cookieOf, type Account } from "../support/api.js";
import { startIdentity } from "../support/identity.js";
import { withSecondFactor } from "../support/second-factors.js";
import { type SharedStack, sharedStack, startAnotherGateway } from "../support/shared-stack.js";
import { cheapPasswords, type ProcessHandle } from "../support/stack.js";
import { until } from "../support/until.js";

/** Passwords that are judged without the dictionaries; see `cheap-strength.mjs`. */
const PASSWORD = "correct horse battery staple";
const OTHER_PASSWORD = PASSWORD.slice(0, 24);

let stack: SharedStack;
let another: ProcessHandle;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await sharedStack();
  another = await startAnotherGateway(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(async () => {
  await mongo.close();
  await another.stop();
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Given {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly database?: string;
}

const environmentOf = ({ env = {}, database = stack.databases.identity }: Given) => ({
  ...{ MONGODB_URL: stack.servers.urls.mongodb, MONGODB_DATABASE: database },
  ...env,
});

/** Runs a command line as the program does, in the test's own process. */
async function admin(args: string[], given: Given = {}): Promise<Ended> {
  const output: string[] = [];
  const errors: string[] = [];
  const log = { info: (fields: object) => errors.push(JSON.stringify(fields)) } as unknown as Log;
  const exitCode = await runAdmin(args, {
    env: environmentOf(given),
    log,
    input: () => Promise.resolve(given.input ?? ""),
    print: (text) => output.push(text),
    printError: (text) => errors.push(text),
  });
  return { exitCode, stdout: output.join("").trimEnd(), stderr: errors.join("").trimEnd() };
}

/** The program itself. */
async function program(args: string[], given: Given = {}): Promise<Ended> {
  const script = join(ROOT, "services/identity/dist/bundle/admin.js");
  const options = { env: environmentOf(given), extendEnv: false, reject: false, input: given.input ?? "" };
  const {
    exitCode = -1,
    stdout,
    stderr,
  } = await execa(process.execPath, [...cheapPasswords(), script, ...args], options);
  return { exitCode, stdout, stderr };
}

const logIn = (email: string, password: string) =>
  callerOf(stack.url, "nobody").send("post", "/api/auth/login", { email, password });

/** The responses of the gateways to the session of an account. */
const statuses = ({ cookie }: Account) =>
  Promise.all(
    [stack, another].map(
      async ({ url }) => (await callerOf(url, "user", { cookie }).send("get", "/api/auth/me")).status,
    ),
  );

/** An address that no other suite uses. */
const anAddress = (): string => `ada-${randomBytes(6).toString("hex")}@example.com`;

describe("identity.admin: create-owner", () => {
  it("creates an organization and its first Owner, and prints the password once", async () => {
    const email = anAddress();
    const args = ["create-owner", email.replace("ada", "Ada"), "--organization", "Ada at home"];
    const { stdout, stderr, exitCode } = await program(args);
    expect(exitCode).toBe(0);
    const password = /shown once: (\S{24})$/.exec(stdout)?.[1] ?? "";
    const { status, headers, body } = await logIn(email, password);
    const { id, organization_id, ...user } = body.data as Record<string, string>;
    expect([status, user]).toMatchObject([200, { email, permissions: "Owner", network_ids: [] }]);
    const owner = callerOf(stack.url, "owner", { cookie: cookieOf(headers) });
    const organization = { id: organization_id, name: "Ada at home", api_access_enabled: true };
    expect(await owner.data("get", "/api/v1/organizations")).toMatchObject(organization);
    expect(JSON.parse(stderr)).toMatchObject({ user_id: id, organization_id, operator: userInfo().username });
    expect(stderr).not.toContain(password);
  });

  it("reads a password from standard input, and then prints none", async () => {
    const email = anAddress();
    const args = ["create-owner", email, "--stdin"];
    expect(await program(args, { input: "short\n" })).toMatchObject({
      exitCode: 1,
      stderr: "The password must have at least 10 characters.",
    });
    const { stdout, stderr } = await program(args, { input: `${PASSWORD}\n` });
    expect(stdout + stderr).not.toContain(PASSWORD);
    expect((await logIn(email, PASSWORD)).status).toBe(200);
  });

  it("rejects an email address that is in use, and changes nothing", async () => {
    const { email, password } = await anAccount(stack.url);
    const name = `of ${email}`;
    const refused = await admin(["create-owner", email.toUpperCase(), "--organization", name]);
    expect(refused).toEqual({ exitCode: 1, stdout: "", stderr: `The email address ${email} is in use.` });
    expect((await logIn(email, password)).status).toBe(200);
    expect(await mongo.db(stack.databases.identity).collection("organizations").countDocuments({ name })).toBe(0);
  });

  it("initializes an empty system, which admits no first account then, before identity has ever run on it", async () => {
    const database = `identity_empty_${randomBytes(6).toString("hex")}`;
    const passwords = [PASSWORD, OTHER_PASSWORD];
    const twice = passwords.map((input) =>
      program(["create-owner", "ada@example.com", "--stdin"], { input, database }),
    );
    const [won, lost] = (await Promise.all(twice)).toSorted((a, b) => a.exitCode - b.exitCode);
    expect([won?.exitCode, lost?.exitCode]).toEqual([0, 1]);
    expect(lost?.stderr).toContain("The email address ada@example.com is in use.");
    const identity = await startIdentity({ replicas: [{ registration: "first" }], database });
    try {
      const logins = passwords.map((password) =>
        identity.send(login, { body: { email: "ada@example.com", password } }),
      );
      expect((await Promise.all(logins)).map(({ status }) => status).sort()).toEqual([200, 401]);
      await mongo.db(database).collection("users").deleteMany({});
      const body = { email: "grace@example.com", password: PASSWORD };
      expect(await identity.send(register, { body })).toMatchObject({ status: 403, code: "registration_closed" });
    } finally {
      await identity.stop();
      await mongo.db(database).dropDatabase();
    }
  });
});

describe("identity.admin: doctor", () => {
  const faultsOf = async (settings: object, url?: string) => {
    const known = { MONGODB_URL: stack.servers.urls.mongodb, secrets: {}, ...settings };
    const checked = await examine({ settings: known, database: stack.databases.identity, url, backups: undefined });
    return Object.fromEntries(checked.map(({ what, fault }) => [what, fault]));
  };

  it("finds what clients see of an exposed system; the gateways warn of addresses that they do not heed", async () => {
    await anAccount(stack.url);
    const { port } = new URL(another.url);
    // Another name of this machine, which is no loopback address.
    const exposed = `http://0.0.0.0:${port}`;
    expect(await faultsOf({ REGISTRATION: "first" }, exposed)).toEqual({
      "not everybody can register": null,
      "secrets differ": null,
      "a first account exists": null,
      "MongoDB requires a password": null,
      [`${exposed} responds`]: null,
      "clients cannot choose their address": expect.stringContaining("PER_MINUTE is too high"),
      "it is served over TLS": expect.stringContaining("Put a proxy with a certificate in front"),
      "the session cookie is Secure": expect.stringContaining("set PUBLIC_URL of identity"),
    });
    const away = "http://127.0.0.1:9";
    expect((await faultsOf({}, away))[`${away} responds`]).toContain("does not respond");
    // Lines are written with a short delay.
    const warnings = async () => (await readFile(another.logFile, "utf8")).split("TRUST_PROXY_HOPS is 0").length - 1;
    await until(async () => (await warnings()) > 0);
    expect(await warnings()).toBe(1);
  });

  it("takes no MongoDB for protected that it could not ask", async () => {
    const faults = await faultsOf({ MONGODB_URL: "mongodb://u:p@127.0.0.1:9/?replicaSet=rs0" });
    expect(faults["MongoDB requires a password"]).toContain("could not be tried");
    expect(faults["a first account exists"]).toContain("could not be asked");
    const wrong = await faultsOf({ MONGODB_URL: stack.servers.urls.mongodb.replace(/:[^:@/]+@/, ":wrong@") });
    expect(wrong["a first account exists"]).toContain("AuthenticationFailed");
    expect(wrong["MongoDB requires a password"]).toBeNull();
  });
});

describe("identity.admin: reset-second-factor", () => {
  it("allows signing in with the password alone, after every session has ended on every gateway", async () => {
    const owner = await anAccount(stack.url);
    await withSecondFactor(owner);
    expect((await logIn(owner.email, owner.password)).body.code).toBe("second_factor_required");
    const { stdout, stderr, exitCode } = await admin(["reset-second-factor", owner.email.toUpperCase()]);
    expect(await statuses(owner)).toEqual([401, 401]);
    expect([exitCode, stdout]).toEqual([0, `${owner.email} signs in with the password alone.`]);
    expect(JSON.parse(stderr)).toMatchObject({ user_id: owner.userId, operator: userInfo().username });
    expect((await logIn(owner.email, owner.password)).status).toBe(200);
    expect(await admin(["reset-second-factor", owner.email])).toMatchObject({
      ...{ exitCode: 1, stdout: "", stderr: `${owner.email} has no second factor.` },
    });
  });
});

describe("identity.admin: disable-user and enable-user", () => {
  it("end all access to all organizations on every gateway before the command returns, and restore it except for the sessions", async () => {
    const host = await anAccount(stack.url);
    const home = await anAccount(stack.url);
    const first = await aKey(stack.url, home);
    const owner = await aGuest(stack.url, home, host);
    const keys = [first, await aKey(stack.url, owner, { permissions: "Admin" })];
    const keyStatus = () =>
      Promise.all(keys.map(async ({ caller }) => (await caller.send("get", "/api/v1/networks")).status));
    expect([await statuses(owner), await keyStatus()]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const { stdout, stderr } = await admin(["disable-user", owner.email.toUpperCase()]);
    expect([await statuses(owner), await keyStatus()]).toEqual([
      [401, 401],
      [401, 401],
    ]);
    expect(await statuses(host)).toEqual([200, 200]);
    expect(stdout).toBe(`${owner.email} is disabled: sessions and API keys are rejected.`);
    expect(JSON.parse(stderr)).toMatchObject({ user_id: owner.userId, operator: userInfo().username });
    expect((await logIn(owner.email, owner.password)).body.code).toBe("account_disabled");
    expect((await logIn(owner.email, "a wrong password")).body.code).toBe("invalid_credentials");
    expect((await admin(["disable-user", owner.email])).stderr).toBe(`${owner.email} is disabled.`);
    expect((await admin(["enable-user", owner.email])).stdout).toBe(`${owner.email} can sign in again.`);
    expect([await statuses(owner), await keyStatus()]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    expect((await logIn(owner.email, owner.password)).status).toBe(200);
  });
});

describe("identity.admin: list-organizations", () => {
  it("prints a line for each, with its Owners, and numbers of users and keys, including guests from other organizations", async () => {
    const owner = await anAccount(stack.url);
    await aColleague(stack.url, owner);
    await aKey(stack.url, owner);
    const home = await anAccount(stack.url);
    const guest = await aGuest(stack.url, home, owner);
    await aKey(stack.url, guest, { permissions: "Admin" });
    const { stdout, exitCode } = await admin(["list-organizations"]);
    const rowOf = ({ organizationId }: Account): string[] =>
      stdout
        .split("\n")
        .find((one) => one.startsWith(organizationId))
        ?.split("\t")
        .slice(1) ?? [];
    expect(exitCode).toBe(0);
    const day = new Date().toISOString().slice(0, 10);
    expect(rowOf(owner)).toEqual([day, "My Organization", "3 users", "2 keys", owner.email]);
    expect(rowOf(home)).toEqual([day, "My Organization", "1 user", "0 keys", home.email]);
    await owner.session.data("patch", `/api/v1/users/${guest.userId}`, { permissions: "Owner" });
    const later = await admin(["list-organizations"]);
    expect(later.stdout).toContain(`3 users\t2 keys\t${[owner.email, guest.email].sort().join(" ")}`);
  });
});

describe("identity.admin: reset-password", () => {
  it("prints a new password once, and ends every session on every gateway before the command returns", async () => {
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

  it("reads a password from standard input, prints none, and resets the wait after failed logins", async () => {
    const { email } = await anAccount(stack.url);
    for (let i = 0; i < 5; i++) expect((await logIn(email, "wrong")).status).toBe(401);
    const waiting = await logIn(email, "wrong");
    expect([waiting.status, waiting.body.code]).toEqual([429, "login_throttled"]);
    const seconds = waiting.body.params["retry_after_seconds"];
    expect(waiting.headers.get("retry-after")).toBe(String(seconds));
    const { stdout, stderr } = await program(["reset-password", email, "--stdin"], { input: `${OTHER_PASSWORD}\n` });
    expect(stdout + stderr).not.toContain(OTHER_PASSWORD);
    expect((await logIn(email, OTHER_PASSWORD)).status).toBe(200);
    expect(await admin(["reset-password", email, "--stdin"], { input: "short\n" })).toMatchObject({
      exitCode: 1,
      stderr: "The password must have at least 10 characters.",
    });
  });
});

describe("identity.admin: reset-password, invalid calls", () => {
  it("are rejected in one sentence", async () => {
    const url = "mongodb://root:secret@127.0.0.1:9/?replicaSet=rs0";
    const reset = ["reset-password", "nobody@example.com"];
    const refused = await Promise.all([
      admin(reset),
      admin(reset, { env: { MONGODB_URL: "" } }),
      admin(reset, { env: { MONGODB_URL: url } }),
      admin(["create-owner", "a@example.com"], { env: { MONGODB_URL: url } }),
      admin(reset, { env: { MONGODB_URL: url.replace("127.0.0.1:9", "127.0.0.1:99999") } }),
    ]);
    expect(refused.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 1, 1]);
    const sentences = refused.map(({ stderr }) => stderr);
    expect(sentences).toEqual([
      "No user has the email address nobody@example.com.",
      expect.stringContaining("MONGODB_URL"),
      expect.stringMatching(/^MongoDB is not reachable.*\.$/),
      expect.stringMatching(/^MongoDB is not reachable.*\.$/),
      expect.stringMatching(/^MongoDB .*MONGODB_URL.*\.$/),
    ]);
    expect(sentences.join()).not.toContain("secret");
  });

  it("print the help without a database", async () => {
    expect(await admin(["--help"], { env: { MONGODB_URL: "" } })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("reset-password <email>") as unknown,
    });
  });
});
