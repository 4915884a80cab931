import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { freePorts } from "@nts/local/processes/ports";
import { stopLeftovers } from "@nts/local/processes/run-records";
import { ROOT } from "@nts/local/processes/system";
import { callerOf, cookieOf } from "../support/api.js";
import { spawnNpmStart, type NpmStart } from "../support/npm-start.js";

let dataDir: string;
let baseUrl: string;
/** Another name of this machine, which is no loopback address. */
let PUBLIC_URL: string;
let started: NpmStart;

beforeAll(async () => {
  const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
  await mkdir(base, { recursive: true });
  dataDir = await mkdtemp(join(base, "admin-"));
  const [port = 0] = await freePorts(1);
  baseUrl = `http://127.0.0.1:${port}`;
  PUBLIC_URL = `http://0.0.0.0:${port}`;
  started = spawnNpmStart(dataDir, { PORT: String(port), DATA_DIR: dataDir, REGISTRATION: "invite", PUBLIC_URL });
  await started.untilPrinted("Ctrl-C stops everything");
});

afterAll(async () => {
  started.signal("SIGTERM");
  await started.ended();
  await stopLeftovers(join(dataDir, "run"));
  for (const folder of ["mongodb", "redis", "nats"]) await rm(join(dataDir, folder), { recursive: true, force: true });
});

const admin = (args: string[], env: Record<string, string> = {}) => {
  const { PATH = "", HOME = "" } = process.env;
  const all = { PATH, HOME, DATA_DIR: dataDir, ...env };
  return execa(process.execPath, [join(ROOT, "deploy/local/admin.mjs"), ...args], {
    ...{ env: all, extendEnv: false, reject: false, cwd: ROOT },
  });
};

/** The cookie of a new session. */
const logIn = async (email: string, password: string): Promise<string> => {
  const { status, headers } = await callerOf(baseUrl, "nobody").send("post", "/api/auth/login", { email, password });
  expect(status).toBe(200);
  return cookieOf(headers);
};

const passwordIn = (stdout: string): string => /shown once: (\S+)$/.exec(stdout)?.[1] ?? "";

describe("npm run admin", () => {
  it("creates the first owner of a closed system, who then invites others", async () => {
    const email = "ada@example.com";
    const anonymous = callerOf(baseUrl, "nobody");
    const registration = { email: "grace@example.com", password: "a long password" };
    expect((await anonymous.send("post", "/api/auth/register", registration)).body.code).toBe("registration_closed");
    const { stdout, exitCode } = await admin(["create-owner", email, "--organization", "Ada at home"]);
    expect(exitCode).toBe(0);
    const owner = callerOf(baseUrl, "owner", { cookie: await logIn(email, passwordIn(stdout)) });
    const { token: invite_token } = await owner.data<{ token: string }>("post", "/api/v1/invites", {
      permissions: "Member",
    });
    const invited = await anonymous.send("post", "/api/auth/register", { ...registration, invite_token });
    expect([invited.status, invited.body.data]).toMatchObject([200, { permissions: "Member" }]);
    expect(await admin(["create-owner", "grace@example.com"])).toMatchObject({
      ...{ exitCode: 1, stdout: "", stderr: "The email address grace@example.com is in use." },
    });
  });

  it("examines a system that is exposed with the settings of one machine", async () => {
    const secrets = "0f9c8b7a6d5e4f3a2b1c0d9e8f7a6b5c";
    const { stdout, stderr, exitCode } = await admin(["doctor", "--backups", join(dataDir, "no-backups")], {
      ...{ PUBLIC_URL, REGISTRATION: "invite", REDIS_URL: "redis://127.0.0.1:6379" },
      ...{ GATEWAY_TO_IDENTITY_SECRETS: secrets, IDENTITY_TO_TOPOLOGY_SECRETS: secrets },
    });
    const results = stdout.split("\n").filter((line) => /^(ok|WRONG) /.test(line));
    expect(results.map((line) => line.replace(/^(WRONG .*?): .*/, "$1"))).toEqual([
      "WRONG  PUBLIC_URL is what users open",
      "ok     not everybody can register",
      "WRONG  Redis requires a password",
      "ok     GATEWAY_TO_IDENTITY_SECRETS is secret",
      "ok     IDENTITY_TO_TOPOLOGY_SECRETS is secret",
      "WRONG  secrets differ",
      "ok     a first account exists",
      "ok     MongoDB requires a password",
      `ok     ${PUBLIC_URL} responds`,
      "ok     clients cannot choose their address",
      "WRONG  it is served over TLS",
      "WRONG  the session cookie is Secure",
      "WRONG  there is a recent backup",
    ]);
    expect(stdout).toContain("It is not: set PUBLIC_URL of identity");
    expect(stdout).toContain("Not checked, as they are not in this environment: INSECURE_HTTP, TRUST_PROXY_HOPS,");
    expect(exitCode).toBe(1);
    expect(stdout + stderr).not.toContain(secrets);
  });

  it("finds the database in the data folder, and keeps a log without passwords", async () => {
    const email = "alan@example.com";
    const first = passwordIn((await admin(["create-owner", email])).stdout);
    const session = callerOf(baseUrl, "owner", { cookie: await logIn(email, first) });
    const { id } = await session.data<{ id: string }>("get", "/api/auth/me");
    const { stdout, exitCode } = await admin(["reset-password", email]);
    expect(exitCode).toBe(0);
    expect((await session.send("get", "/api/auth/me")).status).toBe(401);
    const second = passwordIn(stdout);
    await logIn(email, second);
    const log = await readFile(join(dataDir, "logs", "admin.log"), "utf8");
    const logged = log.split("\n").filter((line) => line.includes(id));
    expect(logged).toMatchObject(
      [/created an organization/, /reset a password/].map((pattern) => expect.stringMatching(pattern) as unknown),
    );
    for (const password of [first, second]) expect(log).not.toContain(password);
  });

  it("explains what to do when nothing runs on the data folder, and prints its help in any case", async () => {
    const elsewhere = { DATA_DIR: join(dataDir, "elsewhere") };
    const refused = await admin(["reset-password", "ada@example.com"], elsewhere);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("run npm start first");
    expect((await admin(["--help"], elsewhere)).stdout).toContain("reset-password <email>");
  });

  it("shows the changes of topology that could not be recorded", async () => {
    const { stdout, exitCode } = await admin(["journal"]);
    expect([stdout, exitCode]).toEqual([
      expect.stringMatching(/; nothing is set aside\.$|^Nothing is recorded yet/),
      0,
    ]);
    expect((await admin(["journal", "discard", "none"])).stderr).toBe("none is not set aside.");
  });
});
