/** `nts` as users have it: packed, installed separately, and run against a whole system. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { execa } from "execa";
import { MongoClient } from "mongodb";
import { partsOf } from "@nts/cli/agent/parts";
import { openSpool } from "@nts/cli/agent/spool";
import { linesOfFile } from "@nts/cli/discover/files.rules";
import { run } from "@nts/cli/program";
import { aTerminalAlone } from "@nts/cli/terminal.testing";
import type { Surroundings } from "@nts/cli/terminal";
import { type Collector, KIND_NAMES, pluralOf } from "@nts/shared/contract";
import { type Account, aColleague, aKey, anAccount } from "../support/api.js";
import { aJob, ended as jobEnded, nextJob, reported, withKey as collectorWith } from "../support/collectors.js";
import { installCli } from "../support/installed-cli.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost, type Made } from "../support/world.js";

/** Senses that are not used here. */
const OFF = ["sockets", "containers", "cluster", "leases", "neighbours", "ipv6", "names", "mdns", "ssdp", "lldp"];

let folder: string;
/** The installed program. */
let program: string;
let stack: SharedStack;

beforeAll(async () => {
  stack = await sharedStack();
  folder = mkdtempSync(join(process.env["NTS_TEST_DIR"] ?? "/tmp", "cli-"));
  program = await installCli(folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const environmentOf = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...{ PATH: process.env["PATH"] ?? "", HOME: mkdtempSync(join(folder, "home-")), NTS_URL: stack.url },
  ...env,
});

/** The result of the installed program, with settings of its own, and without those of the user. */
async function installed(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ended> {
  const own = environmentOf(env);
  const options = { env: own, extendEnv: false, reject: false, cwd: own["HOME"], input: "" } as const;
  const { exitCode = -1, stdout, stderr } = await execa(program, words, options);
  return { exitCode, stdout, stderr };
}

/** The exit code of the installed program whose reader is gone before it says anything, as with `| head -n 0`. */
async function unread(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<number> {
  const own = environmentOf(env);
  const running = execa(program, words, { env: own, extendEnv: false, reject: false, cwd: own["HOME"], input: "" });
  running.stdout.destroy();
  return (await running).exitCode ?? -1;
}

/** The same in the test's own process: starting the program takes longer than most commands. */
function nts(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ended> {
  return listenedTo(() => undefined, env, ...words);
}

/** The same with somebody who hears each message at once. */
async function listenedTo(
  hear: (text: string) => void,
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<Ended> {
  const output: string[] = [];
  const messages: string[] = [];
  const surroundings = aTerminalAlone({
    env: environmentOf(env),
    print: (text: string) => void output.push(`${text}\n`),
    write: (bytes: Uint8Array) => Promise.resolve(void output.push(Buffer.from(bytes).toString("utf8"))),
    say: (text: string) => {
      messages.push(text);
      hear(text);
    },
  });
  const exitCode = await run(surroundings, "0", words);
  return { exitCode, stdout: output.join("").trimEnd(), stderr: messages.join("\n").trimEnd() };
}

async function withKey(account: Account, options: Record<string, unknown> = {}): Promise<Record<string, string>> {
  return { NTS_API_KEY: (await aKey(stack.url, account, options)).secret };
}

describe("nts: keys", () => {
  it("signs in, stores a key readable by its owner only, rotates it, and prints no secret", async () => {
    const account = await anAccount(stack.url);
    const config = mkdtempSync(join(folder, "config-"));
    const env = { XDG_CONFIG_HOME: config, NTS_EMAIL: account.email, NTS_PASSWORD: account.password };
    const path = join(config, "nts/config.json");
    const keyIn = (): string =>
      (JSON.parse(readFileSync(path, "utf8")) as { contexts: Record<string, { api_key: string }> }).contexts[
        new URL(stack.url).host
      ]!.api_key;
    const login = await nts(env, "login", "--name", "laptop", "--level", "Viewer");
    expect([login.exitCode, login.stdout]).toEqual([0, ""]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const first = keyIn();
    const who = await nts({ XDG_CONFIG_HOME: config, NTS_URL: "" }, "whoami", "--url", stack.url, "-o", "json");
    expect(JSON.parse(who.stdout)).toMatchObject({ name: "laptop", permissions: "Viewer" });
    const rotated = await nts(env, "key", "rotate");
    expect(rotated.exitCode).toBe(0);
    expect(keyIn()).not.toBe(first);
    expect((await nts({ XDG_CONFIG_HOME: config }, "get", "hosts")).exitCode).toBe(0);
    expect((await nts({ NTS_API_KEY: first }, "get", "hosts")).exitCode).toBe(3);
    const made = await nts(env, "create", "key", "--set", "name=ci", "permissions=Viewer", "-o", "json");
    expect([made.exitCode, made.stderr]).toEqual([0, ""]);
    expect(JSON.parse(made.stdout)).toMatchObject({ api_key: { name: "ci", user_id: account.userId, tags: [] } });
    const said = [login, who, rotated].map(({ stdout, stderr }) => stdout + stderr).join();
    for (const secret of [first, keyIn(), account.password]) expect(said).not.toContain(secret);
  });

  it("signs in by a code that somebody enters in the console, without a password", async () => {
    const account = await anAccount(stack.url);
    const env = { XDG_CONFIG_HOME: mkdtempSync(join(folder, "config-")) };
    const decide = async (how: string): Promise<Ended> => {
      let deciding: Promise<unknown> = Promise.resolve();
      const decided = (text: string): void => {
        const [user_code] = /[A-Z]{4}-[A-Z]{4}/.exec(text) ?? [];
        if (user_code !== undefined) deciding = account.session.data("post", `/api/auth/device/${how}`, { user_code });
      };
      const ended = await listenedTo(decided, env, "login", "--level", "Viewer");
      await deciding;
      return ended;
    };
    const refused = await decide("refuse");
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("The sign-in was refused.")]);
    const confirmed = await decide("confirm");
    expect([confirmed.exitCode, confirmed.stderr]).toEqual([0, expect.stringContaining(`${stack.url}/device`)]);
    const who = await nts(env, "whoami", "-o", "json");
    expect(JSON.parse(who.stdout)).toMatchObject({
      kind: "key",
      permissions: "Viewer",
      user: { email: account.email },
    });
  });

  it("sends a stored key to no other server", async () => {
    const config = mkdtempSync(join(folder, "config-"));
    mkdirSync(join(config, "nts"));
    const { secret } = await aKey(stack.url, await anAccount(stack.url));
    writeFileSync(join(config, "nts/config.json"), JSON.stringify({ url: "http://example.com", api_key: secret }), {
      mode: 0o600,
    });
    const elsewhere = await nts({ XDG_CONFIG_HOME: config }, "get", "hosts");
    expect([elsewhere.exitCode, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining("not_authenticated, HTTP 401, request "),
    ]);
  });
});

describe("nts: failures, collecting and following", () => {
  it("exits with a code for each kind of failure, and prints code and request id", async () => {
    const account = await anAccount(stack.url);
    const owner = await withKey(account);
    const viewer = await withKey(account, { permissions: "Viewer" });
    const codes = async (env: Record<string, string>, ...words: string[]) => {
      const { exitCode, stderr } = await nts(env, ...words);
      return [exitCode, /\((\w+), HTTP \d+, request [0-9a-f-]{36}\)/.exec(stderr)?.[1] ?? null];
    };
    expect(await codes(owner, "create", "tag", "--set", "name=web")).toEqual([0, null]);
    expect(await codes(owner, "create", "tag", "--set", "name=web")).toEqual([5, "already_exists"]);
    expect((await installed(owner, "create", "tag", "--set", "name=web")).exitCode).toBe(5);
    expect(await codes(owner, "get", "tag", "WEB")).toEqual([0, null]);
    expect(await codes(viewer, "create", "tag", "--set", "name=db")).toEqual([3, "permission_denied"]);
    expect(await codes(owner, "create", "tag", "--set", "name=")).toEqual([1, "validation_failed"]);
    expect(await codes(owner, "get", "host", "nothing")).toEqual([4, null]);
    expect(await codes(owner, "api", "get_host_by_id", "--param", "id=01938c4a-7d5e-7b21-9f3c-000000000000")).toEqual([
      4,
      "not_found",
    ]);
    expect(await codes(owner, "get", "nothing")).toEqual([2, null]);
    expect(await codes(owner, "delete", "tag", "web")).toEqual([2, null]);
    expect(await codes({ ...owner, NTS_URL: "http://127.0.0.1:9" }, "api", "logout")).toEqual([7, null]);
  });

  it("accepts names in place of ids, and a password where a session is required", async () => {
    const account = await anAccount(stack.url);
    const { network } = await aNetworkWithAHost(account.session);
    const env = { ...(await withKey(account)), NTS_EMAIL: account.email, NTS_PASSWORD: account.password };
    const printed = async (...words: string[]) => (await nts(env, ...words)).stdout;
    expect(await printed("get", "host", "10.0.0.5", "-o", "name")).toBe("nas");
    expect(await printed("get", "services")).toMatch(/^NAME +HOST +ADDRESS .*\nweb +nas +10\.0\.0\.5:443 /);
    expect(await printed("get", "bindings")).toMatch(/^SERVICE +HOST +ADDRESS .*\nweb +nas +10\.0\.0\.5:443 /);
    const place = [`network_id=${network.id}`, "host_id=NAS", "subnet_id=10.0.0.0/24"];
    expect(await printed("create", "interface", "--set", ...place, "ip_address=10.0.0.9", "-o", "name")).toBe(
      "10.0.0.9",
    );
    expect(await printed("get", "host", "nas", "-o", "csv")).toContain(",443/tcp,web,10.0.0.5 10.0.0.9");
    expect(await printed("edit", "service", "web", "--set", "bindings=10.0.0.9:443/tcp", "--dry-run")).toContain(
      '→ ["10.0.0.9:443/tcp"]',
    );
    expect((await nts(env, "delete", "port", "443/tcp", "--host", "nas", "--yes")).exitCode).toBe(0);
    expect(await printed("get", "ports", "-o", "name")).toBe("");
    expect(await printed("get", "keys")).toContain("nts_u_");
    const service = ["create", "user", "--set", "kind=service", "name=backup", "permissions=Viewer"];
    expect(await printed(...service, "-o", "json")).toContain('"kind": "service"');
    expect(await printed("get", "keys", "--user-id", "backup", "-o", "name")).toBe("");
    const key = await nts(env, "create", "key", "--set", "user=backup", "name=nightly", "-o", "name");
    expect([key.stdout, key.stderr]).toEqual(["nightly", expect.stringMatching(/not shown again: nts_u_\w+$/)]);
    expect((await nts(env, "get", "key", "nightly")).stderr).toContain("No key is called nightly; with --user NAME");
    await printed("edit", "key", "nightly", "--user", "backup", "--set", "name=weekly");
    expect(await printed("get", "key", "weekly", "--user", "backup", "-o", "name")).toBe("weekly");
    expect((await nts(env, "delete", "key", "weekly", "--user", "backup", "--yes")).exitCode).toBe(0);
    expect(await printed("get", "keys", "--user", "backup", "-o", "name")).toBe("");
  });

  it("pauses the webhooks of a removed user, unless it is told to keep them", async () => {
    const owner = await anAccount(stack.url);
    const env = await withKey(owner);
    const remove = async (...options: string[]) => {
      const { session, userId } = await aColleague(stack.url, owner, { permissions: "Admin" });
      const { id } = await session.data<{ id: string }>("post", "/api/v1/webhooks", {
        url: "https://hooks.example.com/",
      });
      const { stderr } = await nts(env, "delete", "user", userId, "--yes", ...options);
      const isEnabled = async () =>
        (await owner.session.data<{ is_enabled: boolean }>("get", `/api/v1/webhooks/${id}`)).is_enabled;
      return { said: stderr.replace(id, "ID"), isEnabled };
    };
    const kept = await remove("--keep-webhooks");
    expect(kept.said).toContain("The webhook ID to hooks.example.com, made with this access, is kept.");
    const paused = await remove();
    expect(paused.said).toContain("The webhook ID to hooks.example.com, made with this access, is paused");
    expect(await paused.isEnabled()).toBe(false);
    expect(await kept.isEnabled()).toBe(true);
  });

  it("applies what it has previewed, and skips what has changed since", async () => {
    const account = await anAccount(stack.url);
    const { host } = await aNetworkWithAHost(account.session);
    const document = join(mkdtempSync(join(folder, "apply-")), "nas.yaml");
    writeFileSync(document, "kind: Host\nnetwork: Home\nname: nas\ndescription: in the cellar\n");
    const path = `/api/v1/hosts/${host.id}`;
    const apply = async (meanwhile: () => Promise<unknown>) => {
      const ask = async (): Promise<string> => {
        await meanwhile();
        return "y";
      };
      return run(await aPersonAtIt(account, ask), "0", ["apply", "-f", document]);
    };
    expect(await apply(() => account.session.data("patch", path, { description: "in the attic" }))).toBe(5);
    expect(await account.session.data("get", path)).toMatchObject({ description: "in the attic" });
    expect(await apply(() => Promise.resolve())).toBe(0);
    expect(await account.session.data("get", path)).toMatchObject({ description: "in the cellar" });
  });
});

describe("nts: a reader that goes away", () => {
  it("ends what only reads, and not what writes", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const document = join(mkdtempSync(join(folder, "apply-")), "some.yaml");
    writeFileSync(document, "- { kind: Host, name: tv }\n- { kind: Host, name: printer }\n");
    expect(await unread(env, "get", "hosts")).toBe(141);
    expect(await unread(env, "apply", "-f", document, "--dry-run")).toBe(141);
    expect(await unread(env, "apply", "-f", document, "--yes")).toBe(0);
    expect((await nts(env, "get", "hosts", "-o", "name")).stdout).toBe("nas\nswitch\ntv\nprinter");
    expect(await unread(env, "apply", "-f", "nothing.yaml", "--yes")).toBe(2);
    const person = { NTS_EMAIL: account.email, NTS_PASSWORD: account.password };
    const sessions = async (): Promise<number> =>
      (await account.session.data<unknown[]>("get", "/api/v1/auth/sessions")).length;
    const before = await sessions();
    expect(await unread(person, "get", "keys")).toBe(141);
    const [key] = await account.session.data<Made[]>("get", "/api/v1/auth/keys");
    expect(await unread(person, "edit", "key", key!.id, "--set", "name=renamed")).toBe(0);
    expect(await sessions()).toBe(before);
  });
});

describe("nts: names", () => {
  it("refuses members that do not exist, with their place and what was meant, and writes nothing", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const document = join(mkdtempSync(join(folder, "apply-")), "tv.yaml");
    writeFileSync(document, "kind: Host\nnetwork: Home\nname: tv\nhostnam: tv.lan\n");
    const tries = [
      [["create", "host", "--set", "name=tv", "hostnam=tv.lan"], "--set: hostnam"],
      [["edit", "host", "nas", "--set", "hostnam=tv.lan"], "--set: hostnam"],
      [["apply", "-f", document, "--yes"], `${document}:4: hostnam`],
      [["api", "create_host", "--set", "name=tv", "hostnam=tv.lan"], "--set: hostnam"],
    ] as const;
    for (const [words, place] of tries) {
      const { exitCode, stderr } = await nts(env, ...words);
      expect([exitCode, stderr]).toEqual([2, `${place}: there is no such member; did you mean hostname?`]);
    }
    const service = "kind: Service\nhost: naz\nname: files\nservice_definition: SMB\n";
    writeFileSync(document, service);
    const lost = await nts(env, "apply", "-f", document, "--yes");
    expect(lost).toMatchObject({
      exitCode: 4,
      stdout: "",
      stderr: `${document}:1: Service files: No host is called naz; did you mean nas?`,
    });
    expect((await nts(env, "get", "hosts", "-o", "name")).stdout).toBe("nas\nswitch");
  });

  it("are references everywhere, of several entities at once", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const printed = async (...words: string[]) => (await nts(env, ...words)).stdout;
    const rest = ["name=ssh", "service_definition=SSH", "-o", "name"];
    expect(await printed("create", "port", "--set", "host_id=nas", "number=22", "protocol=tcp", "-o", "name")).toBe(
      "22/tcp",
    );
    expect(await printed("create", "service", "--set", "host_id=nas", "bindings=22/tcp", ...rest)).toBe("ssh");
    expect(await printed("edit", "service", "web", "ssh", "--set", 'bindings=["22/tcp"]', "-o", "name")).toBe(
      "web\nssh",
    );
    expect(await printed("get", "services", "ssh", "web", "--no-headers", "--sort-by", "-name")).toMatch(
      /^web +nas +10\.0\.0\.5:22 .*\nssh +nas +10\.0\.0\.5:22 .* \ds$/,
    );
    expect(await printed("get", "service", "NAS/web", "-o", "name")).toBe("web");
    expect((await nts(env, "get", "host", "naz")).stderr).toBe("No host is called naz; did you mean nas?");
    expect((await nts(env, "get", "hosts", "-n", "Hom")).stderr).toBe("No network is called Hom; did you mean Home?");
    expect(await printed("get", "services", "-n", "home", "-o", "jsonpath=$[*].name")).toBe("web\nssh");
    const unreadable = await nts(env, "get", "hosts", "-o", "jsonpath=$[?@.name");
    expect(unreadable.stderr).toBe("$[?@.name is not a JSONPath such as $[*].name.");
    expect((await nts({ ...env, NTS_API_KEY: "" }, "get", "hosts")).stderr).toContain("not_authenticated");
    const nowhere = await nts(env, "import", "nowhere.txt");
    expect(nowhere.stderr).toBe("nowhere.txt cannot be read: no such file or directory.");
    const planned = await nts(env, "delete", "services", "web", "ssh", "--dry-run");
    for (const one of ["Service web\n", "Service ssh\n", "Dependency cron on nas → web on nas:443\n"])
      expect(planned.stderr).toContain(`- ${one}`);
    expect((await nts(env, "delete", "host", "switch", "--dry-run")).stderr).toContain("- Link nas – switch 1\n");
    const described = await printed("get", "host", "nas");
    for (const part of [
      "Interfaces:",
      "LAN",
      "22/tcp",
      "Links:",
      "nas – switch 1",
      "Dependencies:",
      "nas/cron",
      "Last changes:",
    ])
      expect(described).toContain(part);
    const deleted = await nts(env, "delete", "services", "web", "ssh", "--yes");
    expect(deleted.stderr).toMatch(/\nDeleted the services web, ssh\.$/);
  });

  it("come back unchanged from what get has printed, and change what was changed in it", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const document = join(mkdtempSync(join(folder, "apply-")), "all.yaml");
    await account.session.data("post", "/api/v1/tags", { name: "production" });
    for (const kind of KIND_NAMES.map(pluralOf)) {
      writeFileSync(document, (await nts(env, "get", kind, "-o", "yaml")).stdout);
      expect([kind, (await nts(env, "apply", "-f", document)).stdout]).toEqual([kind, "Nothing would change."]);
    }
    const host = (await nts(env, "get", "host", "nas", "-o", "yaml")).stdout;
    writeFileSync(document, host.replace("name: web", "name: shop").replace("number: 443", "number: 8443"));
    const applied = await nts(env, "apply", "-f", document, "--yes");
    expect(applied.stderr).toBe("updated Port 8443/Tcp\nupdated Service shop");
    expect((await nts(env, "get", "services")).stdout).toContain("10.0.0.5:8443");
    const tv = (port: string): string =>
      [
        "- kind: Host\n  name: tv\n  interfaces: [{ ip_address: 10.0.0.7, subnet: LAN }]",
        `  ports: [{ number: ${port}, protocol: tcp }]`,
        `  services: [{ name: web, service_definition: nginx, bindings: [${port}/tcp] }]`,
        "- kind: Link\n  ends: [{ host: tv, port: 1 }, switch]\n",
      ].join("\n");
    writeFileSync(document, tv("80"));
    expect((await nts(env, "apply", "-f", document, "--yes")).stderr).toMatch(/^created Host tv\ncreated Link tv\/1/);
    expect((await nts(env, "apply", "-f", document, "--yes")).stdout).toBe("Nothing would change.");
    writeFileSync(document, tv("81"));
    const moved = await nts(env, "apply", "-f", document, "--yes");
    expect([moved.exitCode, moved.stderr]).toEqual([0, "created Port 81/tcp\nupdated Service web"]);
    expect((await nts(env, "get", "service", "tv/web", "-o", "jsonpath={.bindings[*].port_id}")).stdout).toBe(
      (await nts(env, "get", "port", "tv/81/tcp", "-o", "id")).stdout,
    );
  });
});

describe("nts: changes and settings", () => {
  it("reverts a request that it has listed, after showing what that would do", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    await nts(env, "edit", "host", "nas", "--set", "description=in the attic");
    const request = (await nts(env, "changes", "--since", "1h", "--limit", "1", "-o", "jsonpath=$[0].request_id"))
      .stdout;
    expect((await nts(env, "revert", request, "--dry-run")).stdout).toContain("~ Host nas: description");
    expect((await nts(env, "revert", request)).exitCode).toBe(2);
    expect((await nts(env, "revert", request, "--yes")).stdout).toBe("Reverted: 0 removed, 1 reset, 0 restored.");
    expect((await nts(env, "get", "host", "nas", "-o", "jsonpath=$.description")).stdout).toBe("null");
    const planned = await nts(
      env,
      "api",
      "delete_network",
      "--dry-run",
      "--param",
      "id=01938c4a-7d5e-7b21-9f3c-000000000000",
    );
    expect(planned.exitCode).toBe(4);
    expect((await nts(env, "api", "get_version", "--dry-run")).stderr).toContain("cannot be planned");
  });

  it("shows the plan of an import with names, or as JSON", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const file = join(mkdtempSync(join(folder, "import-")), "hosts.csv");
    writeFileSync(file, "name,ip_address\ntv,10.0.0.7\n");
    const plan = await nts(env, "import", file, "--dry-run");
    expect([plan.exitCode, plan.stdout]).toEqual([0, expect.stringContaining("+ Host tv: 10.0.0.7\n")]);
    const json = await nts(env, "import", file, "--yes", "-o", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({ dry_run: false, summary: { hosts: { create: 1 } } });
  });

  it("knows several servers, and what its user is told by mail", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const password = { NTS_EMAIL: account.email, NTS_PASSWORD: account.password };
    const env = { ...password, NTS_URL: "", XDG_CONFIG_HOME: mkdtempSync(join(folder, "config-")) };
    expect((await nts(env, "context", "add", "office", stack.url)).exitCode).toBe(0);
    expect((await nts(env, "context", "add", "home", "http://127.0.0.1:9")).exitCode).toBe(0);
    expect((await nts(env, "context")).stdout).toMatch(/\n\* +office /);
    const bare = await nts(env, "context", "add", "other", "localhost:8080");
    expect([bare.exitCode, bare.stderr]).toEqual([2, expect.stringContaining("did you mean http://localhost:8080?")]);
    expect((await nts(env, "login", "--context", "office", "--level", "Viewer")).exitCode).toBe(0);
    expect((await nts(env, "context")).stdout).toMatch(/\n\* +office .* stored\n +home .* none$/);
    expect((await nts(env, "get", "hosts", "-o", "name")).stdout).toBe("nas\nswitch");
    await nts(env, "context", "use", "home");
    expect((await nts(env, "get", "hosts")).exitCode).toBe(7);
    expect((await nts(env, "get", "hosts", "--context", "office")).exitCode).toBe(0);
    await nts(env, "context", "remove", "home", "--yes");
    expect((await nts(env, "get", "hosts")).exitCode).toBe(2);
    const set = ["notifications", "set", "--network", "home", "--only-unknown", "--context", "office"];
    expect((await nts(env, ...set, "-o", "json")).stdout).toContain('"only_unknown": true');
    expect((await nts(env, "notifications", "--context", "office", "-o", "jsonpath=$.only_unknown")).stdout).toBe(
      "true",
    );
  });
});

describe("nts apply: links", () => {
  it("names their hosts and VLANs, finds them again in either order, and lists them", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const document = join(mkdtempSync(join(folder, "apply-")), "rack.yaml");
    const link = (ends: string): string =>
      ["kind: Link", "network: Home", `ends: [${ends}]`, "vlans: [20]", ""].join("\n");
    const ends = ["{ host: nas, port: eth0 }", "{ host: core, port: 24 }"];
    const others = ["kind: Host\nnetwork: Home\nname: core\n", "kind: Vlan\nnetwork: Home\nvid: 20\nname: Lab\n"];
    writeFileSync(document, [...others, link(ends.join(", "))].join("---\n"));
    const env = await withKey(account);
    expect(await nts(env, "apply", "-f", document, "--yes")).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("created Link nas/eth0 – core/24"),
    });
    writeFileSync(document, [...others, link(ends.toReversed().join(", "))].join("---\n"));
    expect((await nts(env, "apply", "-f", document)).stdout).toBe("Nothing would change.");
    const listed = await nts(env, "get", "links", "--network", "Home");
    expect(listed.stdout).toContain("nas eth0 – core 24");
    const subnet = ["kind: Subnet", "network: Home", "cidr: 10.0.0.0/24", "name: LAN", "vlan: Lab", ""].join("\n");
    writeFileSync(document, subnet);
    expect((await nts(env, "apply", "-f", document, "--yes")).exitCode).toBe(0);
    const [vlan] = await account.session.data<Made[]>("get", "/api/v1/vlans?q=lab");
    expect(await account.session.data("get", `/api/v1/subnets?vlan_id=${vlan!.id}`)).toHaveLength(1);
  });
});

describe("nts import: switches", () => {
  it("reads the files of several together, and says on which port a host hangs", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const files = mkdtempSync(join(folder, "switches-"));
    const walk = (name: string, mac: string, hears: string): string =>
      [
        `.1.3.6.1.2.1.1.5.0 = STRING: "${name}"`,
        '.1.3.6.1.2.1.2.2.1.2.1 = STRING: "Gi0/1"',
        `.1.3.6.1.2.1.17.1.1.0 = Hex-STRING: ${mac}`,
        ".1.0.8802.1.1.2.1.4.1.1.4.0.1.1 = INTEGER: 4",
        `.1.0.8802.1.1.2.1.4.1.1.5.0.1.1 = Hex-STRING: ${hears}`,
        ".1.0.8802.1.1.2.1.4.1.1.12.0.1.1 = Hex-STRING: 20 00",
        "",
      ].join("\n");
    const one = "00 1B 21 00 00 01";
    const two = "00 1B 21 00 00 02";
    writeFileSync(join(files, "one.txt"), walk("one", one, two));
    writeFileSync(join(files, "two.txt"), walk("two", two, one));
    const env = await withKey(account);
    const sent = ["import", join(files, "one.txt"), join(files, "two.txt"), "--network", "Home", "--yes"];
    const done = await nts(env, ...sent);
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining("create one Gi0/1 – two Gi0/1")]);
    expect((await nts(env, "attachment", "two")).stdout).toMatch(/^SWITCH +PORT .*\none +Gi0\/1 .*Discovery/);
    expect((await nts(env, "attachment", "nas")).stderr).toContain("No link of nas leads to a switch.");
    const mixed = await nts(env, ...sent, "--format", "csv");
    expect([mixed.exitCode, mixed.stderr]).toEqual([2, expect.stringContaining("import one file at a time")]);
  });
});

describe("nts apply: dependencies", () => {
  it("names their ends, finds them again, and lists them", async () => {
    const account = await anAccount(stack.url);
    const { service } = await aNetworkWithAHost(account.session);
    const document = join(mkdtempSync(join(folder, "apply-")), "tv.yaml");
    const lines = ["kind: Host", "network: Home", "name: tv", "---", "kind: Dependency", "network: Home"];
    const ends = ["client: { host: tv }", "server: { host: nas, service: Web, port: 443/tcp }", ""];
    writeFileSync(document, [...lines, ...ends].join("\n"));
    const env = await withKey(account);
    const first = await nts(env, "apply", "-f", document, "--yes");
    expect(first).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("created Dependency tv → nas/Web/443/tcp"),
    });
    expect((await nts(env, "apply", "-f", document)).stdout).toBe("Nothing would change.");
    const listed = await nts(env, "get", "dependencies", "--service-id", service.id);
    const since = await nts(env, "diff", "--since", "1h");
    expect(since.stdout).toMatch(/\n\+ Dependency cron on nas → web on nas:443\n(?:.*\n)*\+ Link nas – switch 1\n/);
    const again = await nts(
      env,
      "create",
      "dependency",
      "--set",
      "client=tv",
      "server=nas/web",
      "note=watches",
      "-o",
      "id",
    );
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    expect((await nts(env, "delete", "dependency", again.stdout, "--yes")).exitCode).toBe(0);
    const impact = await nts(env, "impact", "nas/web");
    expect(impact.stdout).toMatch(/^STEPS +KIND +NAME +HOST +VIA +THROUGH +ID\n/);
    expect(impact.stdout).toMatch(/\n1 +process +cron +nas +dependency /);
    expect(impact.stdout).toMatch(/\n1 +host +tv .*dependency /);
    expect(impact.stderr).toBe("1 host and 1 process stop with nas/web.");
    const needs = await nts(env, "impact", "tv", "--needs", "--depth", "1", "-o", "name");
    expect(needs.stdout).toBe("web");
    expect(listed.stdout).toMatch(/^CLIENT +SERVER +NOTE .*UPDATED.*\nnas\/cron +nas\/web .*\ntv +nas\/web /);
  });
});

describe("nts: collecting and following", () => {
  it("imports what it finds with a key of one network, nothing new the second time, and the rest when a source fails", async () => {
    const account = await anAccount(stack.url);
    const { id } = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    await account.session.data("post", "/api/v1/networks", { name: "Other" });
    const env = { ...(await withKey(account, { permissions: "Member", network_ids: [id] })), PATH: programs() };
    // The machine of the test may have containers and leases of its own.
    const collect = ["collect", "--hostname", "nas", "--only", "addresses", "ss", "kubernetes", "neighbours"];
    const first = await installed(env, ...collect);
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain("kubernetes: kubectl get nodes,services,pods failed");
    expect(first.stdout.split("\n").map((line) => line.split(" ")[0])).toEqual(["addresses", "ss", "neighbours"]);
    const hosts = await account.session.data<{ name: string; services: object[] }[]>(
      "get",
      "/api/v1/hosts?order_by=name",
    );
    expect(hosts.map(({ name, services }) => [name, services.length])).toEqual([
      ["192.168.1.9", 0],
      ["nas", 1],
    ]);
    const second = await installed(env, ...collect);
    expect(second.stdout).not.toMatch(/[1-9]\d* (?:hosts|services) new/);
    const tooLong = "x".repeat(300);
    const broken = await installed(env, "collect", "--only", "ss", "neighbours", "--hostname", tooLong);
    expect([broken.exitCode, broken.stderr]).toEqual([1, expect.stringMatching(/^ss: .*validation_failed/)]);
    expect(broken.stdout).toMatch(/^neighbours +hosts: 0 new/);
    expect((await installed({ ...env, PATH: join(programs(), "none") }, "collect", "--only", "ss")).exitCode).not.toBe(
      0,
    );
  });

  it("looks around without other programs, and shows what it has found", async () => {
    const { port } = new URL(stack.url);
    const looking = ["collect", "--discover", "127.0.0.1", "--ports", port, "--print"];
    const { exitCode, stdout } = await installed({}, ...looking);
    expect(exitCode).toBe(0);
    const [begin, machine, end] = stdout.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(begin).toMatchObject({ report: 1, tcp: port });
    expect(machine).toMatchObject({
      host: {
        addresses: [{ ip: "127.0.0.1" }],
        ports: [{ port: Number(port), service: "http", title: expect.anything() }],
      },
    });
    // Nothing is missed where silence says nothing.
    expect(end).toEqual({ end: { covered: [], excluded: [] } });
    const wrong = await installed({}, "collect", "--discover", "router");
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("router is not an address or block")]);
  });

  it("is a collector, which enrols once, looks around, and ends with its key", async () => {
    const { session } = await anAccount(stack.url);
    const { id: network_id } = await session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const targets = { cidrs: ["127.0.0.1/32"], exclude: [] };
    const made = await session.data<{ collector: { id: string }; token: string }>("post", "/api/v1/collectors", {
      ...{ network_id, name: "Attic", targets },
    });
    const state = mkdtempSync(join(folder, "agent-"));
    writeFileSync(join(state, "senses.json"), JSON.stringify({ off: OFF, ports: "22" }), { mode: 0o600 });
    const agent = (...words: string[]) => installed({ NTS_AGENT_STATE: state }, "agent", "--once", ...words);
    const first = await agent("--token", made.token);
    expect([first.exitCode, first.stderr]).toEqual([0, expect.stringMatching(/^Enrolled\.[^]*\nReported\.$/)]);
    expect(statSync(join(state, "key.json")).mode & 0o777).toBe(0o600);
    const jobs = `/api/v1/collectors/jobs?collector_id=${made.collector.id}`;
    await until(async () => (await session.data<{ state: string }[]>("get", jobs))[0]?.state === "done");
    const collector = await session.data<object>("get", `/api/v1/collectors/${made.collector.id}`);
    expect(collector).toMatchObject({
      ...{ state: "online", hostname: hostname() },
      senses: expect.arrayContaining([{ name: "ports", state: "ready", reason: null }]),
    });
    const other = mkdtempSync(join(folder, "agent-"));
    const second = await installed({ NTS_AGENT_STATE: other }, "agent", "--token", made.token);
    expect([second.exitCode, second.stderr]).toEqual([3, expect.stringContaining("by this machine or by another one")]);
    await session.data("delete", `/api/v1/collectors/${made.collector.id}`);
    const ended = await agent();
    expect([ended.exitCode, ended.stderr]).toEqual([3, expect.stringContaining("refuses the key of this collector")]);
  });

  it("is a collector, which goes on with a report of several parts that a killed one has left, and replaces its key", async () => {
    const { session } = await anAccount(stack.url);
    const { id: network_id } = await session.data<Made>("post", "/api/v1/networks", { name: "Home" });
    const made = await session.data<{ collector: Collector; token: string }>("post", "/api/v1/collectors", {
      ...{
        network_id,
        name: "Attic",
        schedule: null,
        targets: { cidrs: ["127.0.0.1/32", "10.7.0.0/24"], exclude: [] },
      },
    });
    const state = mkdtempSync(join(folder, "agent-"));
    writeFileSync(join(state, "senses.json"), JSON.stringify({ off: OFF, ports: "22" }), { mode: 0o600 });
    const body = {
      token: made.token,
      hostname: "attic.lan",
      version: "nts 0.0.0",
      senses: [{ name: "ports", state: "ready" }],
    };
    const { key } = await session.data<{ key: string }>("post", "/api/v1/collectors/enrol", body);
    const identity = { server: stack.url, collector_id: made.collector.id, key, token_sha256: "" };
    writeFileSync(join(state, "key.json"), JSON.stringify(identity), { mode: 0o600 });
    const self = collectorWith(stack.url, key);
    const job = await aJob(session, { ...made, key, self });
    // Killed when the server had the first part, before that was written down.
    const host = (ip: string) => ({ host: { addresses: [{ ip }] } });
    const file = linesOfFile({ format: "lldp", name: "large", text: "x".repeat(9_000_000) });
    const end = { end: { covered: ["10.7.0.0/24"], excluded: [] } };
    const lines = [{ report: 1, program: "nts" }, host("10.7.0.1"), ...file, host("10.7.0.2"), end];
    const { bodies } = partsOf(lines);
    await (await openSpool(join(state, "spool"), 64_000_000)).keep(job.id, bodies);
    const first = gunzipSync(bodies[0] ?? "").toString();
    await reported(self, job.id, first, { isFinal: false, key: `${job.id}-1` });
    const mongo = await MongoClient.connect(stack.servers.urls.mongodb);
    const stored = mongo.db(stack.databases.identity).collection<{ _id: string }>("collectors");
    const issued = { "key.issued_at": new Date(Date.now() - 31 * 86_400_000) };
    await stored.updateOne({ _id: made.collector.id }, { $set: issued });
    await mongo.close();
    const next = await session.data<Made>("post", `/api/v1/collectors/${made.collector.id}/run`, {
      targets: { cidrs: ["127.0.0.1/32"] },
    });
    const agent = await nts({ NTS_AGENT_STATE: state }, "agent", "--once");
    const said = /Replaced the key\.[^]*Reported\.[^]*Looks around[^]*Reported\.$/;
    expect([agent.exitCode, agent.stderr]).toEqual([0, expect.stringMatching(said)]);
    expect(await jobEnded(session, job.id)).toMatchObject({
      ...{ state: "done", reports: bodies.length, covered: ["10.7.0.0/24"] },
    });
    const hosts = await session.data<Made[]>("get", "/api/v1/hosts?q=10.7.0.0/24");
    expect([bodies.length, hosts.length]).toEqual([3, 2]);
    expect(await jobEnded(session, next.id)).toMatchObject({ state: "done" });
    const replaced = JSON.parse(readFileSync(join(state, "key.json"), "utf8")) as { key: string };
    expect([replaced.key === key, readdirSync(join(state, "spool"))]).toEqual([false, []]);
    expect(await nextJob(collectorWith(stack.url, replaced.key))).toBeNull();
  });

  it("prints changes as they happen, one per line", async () => {
    const account = await anAccount(stack.url);
    const watching = execa(program, ["watch", "--events", "missed,created", "--count", "2"], {
      env: { ...(await withKey(account)), NTS_URL: stack.url },
    });
    const names = ["one", "two"];
    const lines: string[] = [];
    // The program starts at an unknown moment and ignores earlier changes, so changes are written repeatedly.
    const writing = setInterval(
      () => void account.session.data("post", "/api/v1/tags", { name: `${names[0]} ${Date.now()}` }),
      300,
    );
    for await (const line of watching) lines.push(line);
    clearInterval(writing);
    expect(lines).toEqual([0, 1].map(() => expect.stringMatching(/^\S+Z created Tag one \d+ by user-/)));
  });
});

/** A user at a terminal who answers prompts. */
async function aPersonAtIt(account: Account, ask: () => Promise<string>): Promise<Surroundings> {
  const env = { ...(await withKey(account)), NTS_URL: stack.url };
  return aTerminalAlone({ env, isInteractive: true, isOutputShown: true, ask });
}

/** A folder with stubs of the programs that a source calls. */
function programs(): string {
  const bin = mkdtempSync(join(folder, "bin-"));
  const link = (ifname: string, address: string, local: string) => ({
    ...{ ifname, address, link_type: "ether" },
    addr_info: [{ local, scope: "global" }],
  });
  const links = [
    link("eth0", "00:11:32:aa:bb:cc", "192.168.1.20"),
    link("eth1", "00:11:32:aa:bb:ce", "192.168.2.20"),
    link("docker0", "02:42:00:00:00:01", "172.17.0.1"),
  ];
  const neighbours = [{ dst: "192.168.1.9", lladdr: "00:11:32:aa:bb:dd", state: ["REACHABLE"] }];
  const prints = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  prints(
    "ip",
    `if [ "$2" = addr ]; then echo '${JSON.stringify(links)}'; else echo '${JSON.stringify(neighbours)}'; fi`,
  );
  prints("kubectl", `if [ "$1" = config ]; then echo home; else exit 1; fi`);
  prints("ss", `echo 'tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=702,fd=3))'`);
  return `${bin}:${join(process.execPath, "..")}`;
}

describe("nts collectors", () => {
  it("makes one with the command for its machine, and shows, runs, disables and deletes it", async () => {
    const account = await anAccount(stack.url);
    await aNetworkWithAHost(account.session);
    const env = await withKey(account);
    const made = await nts(env, "collectors", "create", "attic", "--on-request", "--targets", "10.0.0.0/24");
    const [, token = ""] = /^nts agent --server \S+ --token (nts_e_\S+)$/.exec(made.stdout) ?? [];
    expect(token).not.toBe("");
    expect((await nts(env, "collectors", "run", "attic")).exitCode).toBe(5);
    const body = { token, hostname: "attic.lan", version: "nts 0.0.0", senses: [] };
    await account.session.data("post", "/api/v1/collectors/enrol", body);
    expect((await nts(env, "collectors")).stdout).toMatch(/^NAME .*\nattic +online +attic\.lan .* on request /);
    const outside = await nts(env, "collectors", "run", "attic", "--targets", "10.0.1.0/24");
    expect(outside.stderr).toContain("must lie inside the targets of the collector: 10.0.0.0/24");
    expect((await nts(env, "collectors", "run", "attic")).stdout).toMatch(/\nqueued +request /);
    expect((await nts(env, "collectors", "disable", "attic")).stdout).toContain("disabled");
    expect((await nts(env, "collectors", "jobs", "attic")).stdout).toMatch(/\ncancelled +request /);
    expect((await nts(env, "collectors", "delete", "attic", "--yes")).stdout).toBe("Deleted attic.");
    expect((await nts(env, "collectors", "create", "b", "--window", "22:00")).exitCode).toBe(2);
  });
});
