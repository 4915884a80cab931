import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { freePorts } from "@nts/local/processes/ports";
import { stopLeftovers } from "@nts/local/processes/run-records";
import { ROOT } from "@nts/local/processes/system";
import { anAccount, callerOf } from "../support/api.js";
import { startByHand, type StartedByHand } from "../support/npm-start.js";

jest.setTimeout(60_000);

describe("npm run admin", () => {
  let dataDir: string;
  let baseUrl: string;
  let started: StartedByHand;

  beforeAll(async () => {
    const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
    await mkdir(base, { recursive: true });
    dataDir = await mkdtemp(join(base, "admin-"));
    const [port = 0] = await freePorts(1);
    baseUrl = `http://127.0.0.1:${port}`;
    started = startByHand(dataDir, { PORT: String(port), DATA_DIR: dataDir });
    await started.untilPrinted("Ctrl-C stops everything");
  });

  afterAll(async () => {
    started.signal("SIGTERM");
    await started.ended();
    await stopLeftovers(join(dataDir, "run"));
    for (const folder of ["mongodb", "redis", "nats"])
      await rm(join(dataDir, folder), { recursive: true, force: true });
  });

  const admin = (args: string[], env: Record<string, string> = {}) => {
    const { PATH = "", HOME = "" } = process.env;
    const all = { PATH, HOME, DATA_DIR: dataDir, ...env };
    return execa(process.execPath, [join(ROOT, "deploy/local/admin.mjs"), ...args], {
      ...{ env: all, extendEnv: false, reject: false, cwd: ROOT },
    });
  };

  it("finds the database of the data folder, and keeps a log without the password", async () => {
    const { email, userId, session } = await anAccount(baseUrl);
    const { stdout, exitCode } = await admin(["reset-password", email]);
    expect(exitCode).toBe(0);
    expect((await session.send("get", "/api/auth/me")).status).toBe(401);
    const password = /shown once: (\S+)$/.exec(stdout)?.[1] ?? "";
    const body = { email, password };
    expect((await callerOf(baseUrl, "nobody").send("post", "/api/auth/login", body)).status).toBe(200);
    const log = await readFile(join(dataDir, "logs", "admin.log"), "utf8");
    expect(log).toContain(userId);
    expect(log).not.toContain(password);
  });

  it("says what to do when nothing runs on the data folder, and explains itself all the same", async () => {
    const elsewhere = { DATA_DIR: join(dataDir, "elsewhere") };
    const refused = await admin(["reset-password", "ada@example.com"], elsewhere);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("run npm start first");
    expect((await admin(["--help"], elsewhere)).stdout).toContain("reset-password <email>");
  });
});
