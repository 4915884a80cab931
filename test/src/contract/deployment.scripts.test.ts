/** The scripts of `deploy`, with a simulated Docker. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { ROOT } from "@nts/local/processes/system";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scripts-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);
const write = (name: string, text: string): void => writeFileSync(file(name), text, { mode: 0o755 });

interface Options {
  readonly env?: Readonly<Record<string, string>>;
}

function run(script: string, ...given: (string | Options)[]): { exitCode: number; output: string } {
  const args = given.filter((one) => typeof one === "string");
  const [options] = given.filter((one) => typeof one !== "string");
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, ROLL_TIMEOUT_SECONDS: "0", ...options?.env };
  const { exitCode, all } = execaSync(file(script), args, { env, all: true, reject: false });
  return { exitCode: exitCode ?? -1, output: all };
}

/** Docker and Compose, with a file for each container of one service that has its image and its health. */
const ENGINE = `#!/bin/sh
cd "$(dirname "$0")/engine"
for last; do :; done
case $1 in
  ps) ls containers ;;
  config) cat settings ;;
  up)
    wanted=\${*##*topology=}
    while [ "$(ls containers | wc -l)" -lt "\${wanted%% *}" ]; do
      made=$(($(cat made) + 1))
      echo $made >made
      echo "$(cat image) $(cat health)" >containers/new$made
    done ;;
  image) cat image ;;
  inspect)
    case $3 in
      *Health.Status*) cut -d ' ' -f 2 "containers/$last" ;;
      *Running*) echo true ;;
      *project*) echo trial ;;
      *Config.Image*) echo topology:latest ;;
      *) cut -d ' ' -f 1 "containers/$last" ;;
    esac ;;
  exec)
    left=$(cat migrating)
    [ "$left" -gt 0 ] || exit 0
    echo $((left - 1)) >migrating
    [ "$left" -gt 1 ] || echo "$(cat image) healthy" >"containers/$2"
    echo '{"status":"migrating"}' ;;
  rm) rm "containers/$last" ;;
esac
`;

describe("deployment.scripts: roll", () => {
  const change = (what: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(what)) write(`engine/${name}`, value);
  };
  const ids = (): string[] => readdirSync(file("engine/containers")).sort();
  const rolled = () => run("roll", "topology");
  /** All containers become healthy. */
  const recover = (): void => {
    for (const id of ids()) change({ [`containers/${id}`]: "image2 healthy" });
  };

  beforeEach(() => {
    cpSync(join(ROOT, "deploy/roll"), file("roll"));
    for (const name of ["docker", "compose"]) write(name, ENGINE);
    mkdirSync(file("engine/containers"), { recursive: true });
    for (const id of ["old1", "old2"]) change({ [`containers/${id}`]: "image1 healthy" });
    change({ made: "0", health: "unhealthy", image: "image2", settings: "first", migrating: "0" });
  });

  it("replaces what was there before the first attempt, however often it is repeated after a failure", () => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(rolled()).toMatchObject({ exitCode: 1, output: expect.stringContaining("is not healthy") });
      expect([ids().length, ids().slice(2)]).toEqual([4, ["old1", "old2"]]);
    }
    change({ health: "healthy" });
    expect(rolled()).toMatchObject({ exitCode: 0, output: expect.stringContaining("topology: 2 of 2 replaced") });
    expect(ids()).toEqual(["new7", "new8"]);
    expect(readdirSync(folder).filter((name) => name.startsWith(".roll"))).toEqual([]);
    expect(rolled().exitCode).toBe(0);
    expect(ids()).toEqual(["new10", "new9"]);
  });

  it("keeps what an interrupted attempt started, unless the image or the settings have changed since", () => {
    for (const [changed, kept] of [
      [{}, ["new1", "new2"]],
      [{ settings: "second" }, ["new5", "new6"]],
      [{ image: "image3" }, ["new10", "new9"]],
    ] as const) {
      change({ health: "starting" });
      expect(rolled().exitCode).toBe(1);
      recover();
      change({ health: "healthy", ...changed });
      expect(rolled().exitCode).toBe(0);
      expect(ids()).toEqual(kept);
    }
  });

  it("waits as long as a new container migrates the database", () => {
    change({ health: "starting", migrating: "2" });
    rmSync(file("engine/containers/old2"));
    expect(rolled()).toMatchObject({ exitCode: 0, output: expect.stringContaining("topology: 1 of 1 replaced") });
  });
});

describe("deployment.scripts: pin-images", () => {
  it("writes the digest of each image of others into the file that Compose and the Dockerfile read", () => {
    cpSync(join(ROOT, "deploy/pin-images"), file("pin-images"));
    cpSync(join(ROOT, "deploy/env.example"), file(".env"));
    const digest = `sha256:${"5a".repeat(32)}`;
    write(
      "docker",
      `#!/bin/sh\ncase $1 in image) echo other.example.com/x@sha256:0; for word; do tag=$word; done; echo "\${tag%:*}@${digest}" ;; esac\n`,
    );
    for (let time = 0; time < 2; time += 1) {
      expect(run("pin-images")).toMatchObject({ exitCode: 0 });
      const images = [...readFileSync(file(".env"), "utf8").matchAll(/^([A-Z]+_IMAGE)=(.*)$/gm)];
      expect(images.map(([, name]) => name).sort()).toEqual(
        ["EDGE", "MONGO", "NATS", "NODE", "REDIS"].map((one) => `${one}_IMAGE`),
      );
      for (const [, , image] of images) expect(image).toMatch(new RegExp(`^[a-z]+:[\\w.-]+@${digest}$`));
    }
    write("docker", "#!/bin/sh\n");
    expect(run("pin-images")).toMatchObject({ exitCode: 1, output: expect.stringContaining("has no digest") });
    expect(existsSync(file(".env.new"))).toBe(false);
  });
});

/** What the archive program reads and writes, and a stand-in for age that turns the case of letters. */
const COMPOSE = `#!/bin/sh
case "$*" in
  *" save") cat SOURCE; [ ! -e SOURCE.fails ] ;;
  *" check") cat >CHECKED; grep -q "the end" CHECKED ;;
  *" restore"*) cat >RESTORED ;;
esac
`.replaceAll(/SOURCE|CHECKED|RESTORED/g, (name) => `"$(dirname "$0")/${name.toLowerCase()}"`);
const AGE = `#!/bin/sh
case $1 in
  --encrypt) [ "$3" = age1trial ] || exit 1; echo age-encryption.org/v1; tr a-zA-Z A-Za-z ;;
  --decrypt) [ "$(cat "$3")" = key ] || exit 1; tail -n +2 "$4" | tr a-zA-Z A-Za-z ;;
esac
`;

describe("deployment.scripts: backup and restore", () => {
  const text = (name: string): string => readFileSync(file(name), "utf8");
  const backups = (): string[] =>
    readdirSync(file("backups"))
      .filter((name) => name.startsWith("nts-2"))
      .sort();

  beforeEach(() => {
    for (const name of ["backup", "restore"]) cpSync(join(ROOT, "deploy", name), file(name));
    write("compose", COMPOSE.replaceAll('"$(dirname "$0")/source".fails', '"$(dirname "$0")/source.fails"'));
    write("age", AGE);
    write("source", "everything until the end");
    mkdirSync(file("backups"));
    write(".env", "BACKUP_KEEP_DAYS=7\n");
  });

  it("keep as many days as set, and only remove old backups after a new one", () => {
    for (const [name, days] of [
      ["nts-2026-01-01.backup", 9],
      ["nts-2026-01-02.backup.age", 8],
      ["nts-2026-01-05.backup", 6],
      ["else", 99],
    ] as const) {
      write(`backups/${name}`, "");
      const then = new Date(Date.now() - days * 86_400_000);
      utimesSync(file(`backups/${name}`), then, then);
    }
    write("source", "truncated");
    expect(run("backup", "--into", file("backups")).exitCode).not.toBe(0);
    expect(backups()).toHaveLength(3);
    write("source", "everything until the end");
    const { exitCode, output } = run("backup", "--into", file("backups"));
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/\/nts-\d{4}-\d\d-\d\dT[\d-]{8}Z\.backup$/)]);
    expect(backups()).toEqual(["nts-2026-01-05.backup", output.split("/").at(-1)]);
    expect(existsSync(file("backups/else"))).toBe(true);
    expect(text("backups/nts-backup.prom")).toMatch(/^nts_backup_last_success_timestamp_seconds \d{10}$/m);
  });

  it("encrypt for a key of age, check what they encrypt, and read it with its private key", () => {
    write(".env", "BACKUP_AGE_RECIPIENT=age1trial\n");
    write("key", "key");
    const made = file("backups/one");
    expect(run("backup", made)).toMatchObject({ exitCode: 0 });
    expect(text("backups/one")).toBe("age-encryption.org/v1\nEVERYTHING UNTIL THE END");
    expect(text("checked")).toBe("everything until the end");
    expect(run("restore", made)).toMatchObject({ exitCode: 2, output: expect.stringContaining("BACKUP_AGE_IDENTITY") });
    const env = { BACKUP_AGE_IDENTITY: file("key") };
    expect(run("restore", { env }, made)).toMatchObject({ exitCode: 0 });
    expect(text("restored")).toBe("everything until the end");

    rmSync(made);
    write("source", "truncated");
    expect(run("backup", made).exitCode).not.toBe(0);
    write("source", "everything until the end");
    write("source.fails", "");
    expect(run("backup", made).exitCode).not.toBe(0);
    write(".env", "BACKUP_AGE_RECIPIENT=age1other\n");
    expect(run("backup", made).exitCode).not.toBe(0);
    expect(readdirSync(file("backups"))).toEqual([]);
  });
});

describe("deployment.scripts: health-check", () => {
  /** The result of a check of a process that gives these answers in turn, and how many it gave. */
  const checked = async (
    ...answers: (readonly [number, object])[]
  ): Promise<{ exitCode: number | undefined; asked: number }> => {
    let asked = 0;
    const server = createServer((_request, response) => {
      const [status, body] = answers[asked] ?? [500, {}];
      asked += 1;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const env = { OPS_PORT: String(port) };
    const { exitCode } = await execa("bash", [join(ROOT, "deploy/health-check")], { env, reject: false });
    server.close();
    return { exitCode, asked };
  };
  const ready = [200, { status: "ok", missing: [] }] as const;
  const unready = [503, { status: "unavailable", missing: ["mongodb"] }] as const;
  const migrating = [503, { status: "migrating", step: "indexes", missing: ["api"] }] as const;

  it("reports whether a process is ready, and waits while it migrates its database", async () => {
    expect(await checked(ready)).toEqual({ exitCode: 0, asked: 1 });
    expect(await checked(unready)).toEqual({ exitCode: 1, asked: 1 });
    expect(await checked(migrating, ready)).toEqual({ exitCode: 0, asked: 2 });
    expect(await checked(migrating, unready)).toEqual({ exitCode: 1, asked: 2 });
  });
});
