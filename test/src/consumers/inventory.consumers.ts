/** External programs read the exports of the demo network, and of a host with names that they might execute. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { createDemo } from "@nts/local/demo/create";
import { freePorts } from "@nts/local/processes/ports";
import type { ImportPlan } from "@nts/shared/contract";
import { NETBOX_TABLES } from "@nts/shared/contract/netbox-tables.rules";
import { type Caller, callerOf, cookieOf } from "../support/api.js";
import { startMetricsProxy } from "../support/metrics-proxy.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";
import { UNLIMITED } from "../support/unlimited.js";

const programs = JSON.parse(process.env["CONSUMERS"] ?? "{}") as Readonly<Record<string, string>>;
/** Runs a test when these programs are installed, otherwise skips it. */
const needing = (...names: string[]): typeof it.skip => (names.every((name) => name in programs) ? it : it.skip);
const run = async (program: string, ...args: string[]): Promise<string> =>
  (await execa(programs[program] ?? program, args, { cwd: folder, env: { HOME: folder } })).stdout;

let stack: Stack;
let folder: string;
let owner: Caller;
let viewer: Caller;
let secret: string;
let networkId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consumers-"));
  stack = await startStack({ env: { ...UNLIMITED } });
  const options = { baseUrl: stack.url, dataDir: stack.dataDir, report: () => undefined, isAlone: false };
  const { email, password } = await createDemo({ ...options, signal: new AbortController().signal });
  const login = await callerOf(stack.url, "nobody").send("post", "/api/auth/login", { email, password });
  owner = callerOf(stack.url, "demo", { cookie: cookieOf(login.headers) });
  const { id: user_id, organization_id } = login.body.data as { id: string; organization_id: string };
  const body = { name: "prometheus", organization_id, user_id, tags: [], permissions: "Viewer" };
  secret = (await owner.data<{ key: string }>("post", "/api/v1/auth/keys", body)).key;
  viewer = callerOf(stack.url, "viewer", { authorization: `Bearer ${secret}` });
  const networks = await owner.data<{ id: string }[]>("get", "/api/v1/networks");
  networkId = networks[0]?.id ?? "";
  await createHostileHost();
}, 300_000);

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** Ansible would evaluate one part of its name, and a spreadsheet the rest. */
async function createHostileHost(): Promise<void> {
  const subnets = await owner.data<{ id: string; cidr: string }[]>("get", `/api/v1/subnets?network_id=${networkId}`);
  const subnet = subnets.find(({ cidr }) => cidr === "10.20.10.0/24");
  const name = `=1+1;"{{ lookup('pipe', 'touch ${folder}/pwned') }}"`;
  const interfaces = [{ ip_address: "10.20.10.250", subnet_id: subnet?.id }];
  const ports = [{ number: 443, protocol: "Tcp" }];
  await owner.data("post", "/api/v1/hosts", { network_id: networkId, name, interfaces, ports });
}

async function exported(format: string): Promise<string> {
  const { status, text } = await viewer.send("get", `/api/v1/exports/${format}`);
  expect([format, status]).toEqual([format, 200]);
  return text;
}

interface Target {
  readonly scrapeUrl: string;
  readonly health: string;
  readonly lastError: string;
}

describe("Prometheus", () => {
  needing("prometheus", "promtool")("discovers all targets with the key of a Viewer, and scrapes them", async () => {
    const groups = JSON.parse(await exported("prometheus")) as { targets: string[] }[];
    const expected = [...new Set(groups.flatMap(({ targets }) => targets))].sort();
    expect(expected.length).toBeGreaterThan(30);
    const everything = await startMetricsProxy();
    const [port = 0] = await freePorts(1);
    await writeFile(join(folder, "key"), secret);
    await writeFile(join(folder, "prometheus.yml"), configuration(everything.url));
    expect(await run("promtool", "check", "config", "prometheus.yml")).toMatch(/SUCCESS/);
    const options = [
      "--config.file=prometheus.yml",
      "--storage.tsdb.path=data",
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const server = execa(programs["prometheus"] ?? "", options, { cwd: folder, reject: false, stdio: "ignore" });
    try {
      const api = callerOf(`http://127.0.0.1:${port}`, "prometheus");
      const targets = async (): Promise<Target[]> => {
        const { body } = await api.send("get", "/api/v1/targets?state=active");
        return (body.data as { activeTargets: Target[] } | undefined)?.activeTargets ?? [];
      };
      await until(() => targets().then(Boolean, () => false), 200, 60_000);
      await until(
        async () => new Set((await targets()).map((one) => new URL(one.scrapeUrl).host)).size === expected.length,
        200,
        60_000,
      );
      await until(async () => (await targets()).every(({ health }) => health === "up"), 200, 120_000);
      expect([...new Set((await targets()).map((one) => hostOf(one)))].sort()).toEqual(expected);
      expect(everything.requestedTargets()).toEqual(expected);
      const query = encodeURIComponent('count by (host) (demo_up{job="inventory",kind="Grafana"})');
      const { body } = await api.send("get", `/api/v1/query?query=${query}`);
      const { result } = body.data as { result: { metric: { host: string } }[] };
      expect(result.length).toBeGreaterThan(0);
    } finally {
      server.kill();
      await server;
      await everything.stop();
    }
  });

  /** A target as exported; URLs omit the default port of their scheme. */
  const hostOf = ({ scrapeUrl }: Target): string => {
    const { host, port } = new URL(scrapeUrl);
    return port === "" ? `${host}:80` : host;
  };

  /** The configuration of docs/exports.md, with a proxy: none of those machines exists. */
  const configuration = (proxy: string): string => `
scrape_configs:
  - job_name: inventory
    scrape_interval: 2s
    proxy_url: ${proxy}
    http_sd_configs:
      - url: ${stack.url}/api/v1/exports/prometheus
        refresh_interval: 2s
        authorization: { type: Bearer, credentials_file: key }
    relabel_configs:
      - { source_labels: [__meta_nts_service_definition], target_label: kind }
      - { source_labels: [__meta_nts_host], target_label: host }
`;
});

describe("Gatus", () => {
  needing("gatus")("accepts all endpoints", async () => {
    const [port = 0] = await freePorts(1);
    const text = await exported("gatus");
    const expected = (text.match(/^ {2}- name: /gm) ?? []).length;
    expect(expected).toBeGreaterThan(30);
    await writeFile(join(folder, "gatus.yaml"), `${text}web: { address: 127.0.0.1, port: ${port} }\n`);
    const env = { GATUS_CONFIG_PATH: join(folder, "gatus.yaml") };
    const server = execa(programs["gatus"] ?? "", [], { cwd: folder, env, reject: false, all: true });
    let log = "";
    server.all.on("data", (chunk: Buffer) => (log += chunk.toString()));
    try {
      await until(() => Promise.resolve(/Listening on|panic|invalid/i.test(log)), 200, 30_000);
      expect(log).toMatch(new RegExp(`Validated ${expected} endpoints[^]*Listening on`));
    } finally {
      server.kill();
      await server;
    }
  });
});

describe("Home Assistant", () => {
  needing("hass")(
    "accepts the package, with all its sensors",
    async () => {
      const home = await mkdtemp(join(folder, "hass-"));
      await writeFile(
        join(home, "nts.yaml"),
        await exported(`home-assistant?base_url=${encodeURIComponent(stack.url)}`),
      );
      await writeFile(join(home, "configuration.yaml"), "homeassistant:\n  packages:\n    nts: !include nts.yaml\n");
      await writeFile(join(home, "secrets.yaml"), `nts_authorization: Bearer ${secret}\n`);
      const check = ["--script", "check_config", "--config", home, "--info", "all"];
      const { all, exitCode } = await execa(programs["hass"] ?? "", check, { all: true, reject: false });
      expect([exitCode, all]).toEqual([0, expect.not.stringMatching(/Failed config|Invalid config|ERROR/)]);
      expect(all.match(/unique_id: nts_/g)?.length).toBeGreaterThan(10);
    },
    300_000,
  );
});

describe("NetBox", () => {
  needing("netbox")(
    "imports all tables, in order",
    async () => {
      const tables = [...NETBOX_TABLES];
      for (const table of tables)
        await writeFile(join(folder, `${table}.csv`), await exported(`netbox?table=${table}&network_id=${networkId}`));
      const script = fileURLToPath(new URL("../../consumers/netbox_import.py", import.meta.url));
      const { stdout } = await execa(programs["netbox"] ?? "", [script, folder, ...tables]);
      const answers = Object.values(JSON.parse(stdout.split("\n").at(-1) ?? "") as object);
      // A page that has imported leads to the list.
      const done = { status: 302, message: expect.stringMatching(/^Imported [1-9]/) };
      expect(answers).toEqual(tables.map(() => done));
    },
    300_000,
  );
});

describe("Ansible", () => {
  needing("ansible-inventory")("lists and draws the inventory, and runs nothing that is written in it", async () => {
    const text = await exported("ansible");
    await writeFile(join(folder, "inventory.json"), text);
    const names = Object.keys((JSON.parse(text) as { all: { hosts: object } }).all.hosts).sort();
    expect(names.length).toBeGreaterThan(30);
    const listed = JSON.parse(await run("ansible-inventory", "-i", "inventory.json", "--list")) as {
      _meta: { hostvars: object };
    };
    expect(Object.keys(listed._meta.hostvars).sort()).toEqual(names);
    const graph = await run("ansible-inventory", "-i", "inventory.json", "--graph");
    expect(names.filter((name) => !graph.includes(`--${name}\n`))).toEqual([]);
    expect(graph).toMatch(/^ {2}\|--@network_/m);
    await expect(stat(join(folder, "pwned"))).rejects.toThrow("ENOENT");
  });
});

describe("BIND", () => {
  needing("named-checkzone")("accepts the zone", async () => {
    const zone = await exported("dns?zone=example.com");
    await writeFile(join(folder, "zone.txt"), zone);
    expect(zone.match(/ IN A+ /g)?.length).toBeGreaterThan(30);
    expect(await run("named-checkzone", "example.com", "zone.txt")).toMatch(/^OK$/m);
  });
});

describe("LibreOffice", () => {
  const FROM = "--infilter=Text - txt - csv (StarCalc):44,34,76,1,,0,false,true";
  const TO = "csv:Text - txt - csv (StarCalc):59,34,76,1,,0,true,true";

  needing("soffice").each(["hosts", "interfaces", "ports", "services"])(
    "writes a table of %s again, with semicolons and all in quotes, that changes nothing",
    async (resource) => {
      await writeFile(join(folder, "table.csv"), await exported(`csv?resource=${resource}`));
      const office = ["--headless", `-env:UserInstallation=file://${folder}/office`];
      await run("soffice", ...office, FROM, "--convert-to", "ods", "table.csv");
      await run("soffice", ...office, "--convert-to", TO, "--outdir", "out", "table.ods");
      const written = await readFile(join(folder, "out", "table.csv"), "utf8");
      expect(written.split("\n", 1)[0]).toMatch(/^"[^"]+"(;"[^"]+")+$/);
      // Excel writes a byte order mark, and Windows line ends.
      const body = `\uFEFF${written.replaceAll("\n", "\r\n")}`;
      const path = `/api/v1/imports/csv?network_id=${networkId}&resource=${resource}&dry_run=true`;
      const { status, body: response } = await owner.send("post", path, body, { "content-type": "text/csv" });
      expect([status, response.error]).toEqual([200, undefined]);
      const { summary, skipped } = response.data as ImportPlan;
      expect(summary.hosts).toMatchObject({ create: 0, update: 0, failed: 0 });
      expect(summary.hosts.unchanged).toBeGreaterThan(30);
      expect(skipped).toEqual([]);
    },
  );
});
