// `npm run test:lab`: three machines in network namespaces, as leases of DHCP, their sockets, a scan and the neighbours of one of
// them see them, must be three hosts in whatever order that is imported. It needs root, dnsmasq, nmap, udhcpc, ip and ss, and
// installs nothing. `-- --record` keeps what was seen as the files of the unit test, which runs the same everywhere.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { prepare } from "../deploy/local/prepare.mjs";
import { ROOT } from "./checks.mjs";
import { runJest } from "./jest-run.mjs";

const TOOLS = ["ip", "ss", "nmap", "dnsmasq", "udhcpc"];
const RECORDED = join(ROOT, "services/topology/src/imports/testing/corpus/lab");
const DOMAIN = "lab.example";
const WAIT_MS = 20_000;
/** What listens where; the address of the machine stands for itself. */
const MACHINES = [
  {
    name: "nas",
    mac: "00:16:3e:00:00:0a",
    listen: [
      ["0.0.0.0", 22],
      ["::", 22],
      ["0.0.0.0", 8080],
      ["127.0.0.1", 5432],
    ],
  },
  {
    name: "web",
    mac: "00:16:3e:00:00:0b",
    listen: [
      ["0.0.0.0", 22],
      ["own", 443],
    ],
  },
];

const run = promisify(execFile);
const children = [];
const space = (name) => `nts-lab-${process.pid}-${name}`;
const within = (name, ...command) => run("ip", ["netns", "exec", space(name), ...command]).then(({ stdout }) => stdout);

/** Starts what runs until the end. */
function start(name, ...command) {
  const child = spawn("ip", ["netns", "exec", space(name), ...command], { stdio: "ignore" });
  children.push(child);
}

async function until(what, done) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(100)) if (await done()) return;
  throw new Error(`the lab waits in vain: ${what}`);
}

/** The router with a bridge, and a machine behind each of its ports. */
async function build(folder) {
  for (const name of ["gw", ...MACHINES.map((one) => one.name)]) await run("ip", ["netns", "add", space(name)]);
  await within("gw", "ip", "link", "set", "lo", "up");
  await within("gw", "ip", "link", "add", "lan0", "address", "00:16:3e:00:00:01", "type", "bridge");
  await within("gw", "ip", "address", "add", "10.77.0.1/24", "dev", "lan0");
  await within("gw", "ip", "link", "set", "lan0", "up");
  const leases = join(folder, "leases.txt");
  const served = [
    "--keep-in-foreground",
    "--conf-file=/dev/null",
    "--user=root",
    `--pid-file=${join(folder, "dnsmasq.pid")}`,
  ];
  const lan = [
    "--interface=lan0",
    "--bind-interfaces",
    "--no-resolv",
    "--no-hosts",
    `--domain=${DOMAIN}`,
    "--dhcp-authoritative",
  ];
  start("gw", "dnsmasq", ...served, ...lan, "--dhcp-range=10.77.0.50,10.77.0.99,12h", `--dhcp-leasefile=${leases}`);
  for (const { name, mac, listen } of MACHINES) {
    await within(
      "gw",
      "ip",
      "link",
      "add",
      `to-${name}`,
      "type",
      "veth",
      "peer",
      "name",
      "eth0",
      "address",
      mac,
      "netns",
      space(name),
    );
    await within("gw", "ip", "link", "set", `to-${name}`, "master", "lan0", "up");
    for (const link of ["lo", "eth0"]) await within(name, "ip", "link", "set", link, "up");
    const script = join(folder, "lease.sh");
    await writeFile(script, '#!/bin/sh\n[ "$1" = bound ] && ip address add "$ip/24" dev "$interface"\nexit 0\n', {
      mode: 0o755,
    });
    await within(name, "udhcpc", "-q", "-n", "-f", "-i", "eth0", "-x", `hostname:${name}`, "-s", script);
    const [{ addr_info: addresses }] = JSON.parse(await within(name, "ip", "-j", "-4", "address", "show", "eth0"));
    const own = addresses[0].local;
    const places = JSON.stringify(
      listen.map(([host, port]) => ({ host: host === "own" ? own : host, port, ipv6Only: true })),
    );
    start(name, process.execPath, "-e", `for (const at of ${places}) require("net").createServer().listen(at)`);
    await until(
      `${name} listens`,
      async () => (await within(name, "ss", "-H", "-tln")).split("\n").length > listen.length,
    );
  }
}

/** What tools tell of the lab, as files. */
async function look(folder, files) {
  await mkdir(files, { recursive: true });
  const seen = {
    "scan.xml": await within(
      "gw",
      "nmap",
      "-sS",
      "-p",
      "1-10000",
      "--dns-servers",
      "10.77.0.1",
      "-oX",
      "-",
      "10.77.0.0/24",
    ),
    "neighbours.json": await within("gw", "ip", "-j", "neigh"),
    "dnsmasq.leases": await readFile(join(folder, "leases.txt"), "utf8"),
    "sockets-nas.txt": await within("nas", "ss", "-H", "-tulnp"),
    "sockets-web.txt": await within("web", "ss", "-H", "-tulnp"),
  };
  for (const [name, text] of Object.entries(seen)) await writeFile(join(files, name), text);
}

async function whatIsMissing() {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "it needs Linux, and root for network namespaces";
  for (const tool of TOOLS)
    if (
      !(await run("sh", ["-c", `command -v ${tool}`]).then(
        () => true,
        () => false,
      ))
    )
      return `${tool} is not installed`;
  const probe = space("probe");
  const isAllowed = await run("ip", ["netns", "add", probe])
    .then(() => run("ip", ["netns", "delete", probe]))
    .then(
      () => true,
      () => false,
    );
  return isAllowed ? null : "network namespaces are not allowed here";
}

const missing = await whatIsMissing();
if (missing !== null) {
  console.error(`SKIPPED, nothing was tested: ${missing}.`);
  console.log("0 passed, 0 failed");
} else {
  const folder = await mkdtemp(join(tmpdir(), "nts-lab-"));
  let counts = { passed: 0, failed: 1 };
  try {
    await prepare({ tests: true, report: console.log });
    await build(folder);
    await look(folder, join(folder, "seen"));
    if (process.argv.includes("--record")) await cp(join(folder, "seen"), RECORDED, { recursive: true });
    counts = await runJest(["imports/lab.test"], { LAB_FILES: join(folder, "seen") });
  } finally {
    for (const child of children) child.kill();
    for (const name of ["gw", ...MACHINES.map((one) => one.name)])
      await run("ip", ["netns", "delete", space(name)]).catch(() => undefined);
    await rm(folder, { recursive: true });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
