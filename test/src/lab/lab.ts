/** The lab, built of what is available, and the reports of tools about it. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { imageOf, startEngine } from "../support/container-engine.js";
import { succeeds } from "../support/python-tools.js";
import { until } from "../support/until.js";
import { buildOfContainers, whyNoContainers } from "./containers.js";
import { DOMAIN, type Lab, MACHINES, NETWORK, PORTS, ROUTER_IP, within } from "./machines.js";
import { buildOfNamespaces } from "./namespaces.js";

const TOOLS = ["ip", "ss", "nsenter", "nmap", "dnsmasq", "udhcpc"];
const LEASE_SCRIPT = '#!/bin/sh\n[ "$1" != bound ] || ip address replace "$ip/24" dev "$interface"\n';

/** Why nothing can be tested here, or null. */
export async function whatIsMissing(): Promise<string | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs Linux, and root for networks";
  for (const tool of TOOLS)
    if (!(await succeeds("sh", ["-c", `command -v ${tool}`]))) return `${tool} is not installed`;
  return null;
}

/**
 * Builds the lab, writes the reports of tools as files into a folder, and removes it again. @param options
 * `--namespaces` disables containers
 */
export async function seeLab(files: string, options: readonly string[]): Promise<void> {
  const usesDocker = !options.includes("--namespaces");
  const engine = usesDocker ? await startEngine(process.env) : null;
  const none = usesDocker ? "no Docker engine answers" : "they are not wanted";
  const why = engine === null ? none : await whyNoContainers();
  console.log(why === null ? "The lab: containers." : `The lab: network namespaces, no containers, since ${why}.`);
  const folder = await mkdtemp(join(tmpdir(), "nts-lab-"));
  try {
    const lab =
      why === null ? await buildOfContainers(await imageOf("NODE_IMAGE", process.env)) : await buildOfNamespaces();
    try {
      await look(lab, folder, files);
    } finally {
      await lab.remove();
    }
  } finally {
    await rm(folder, { recursive: true });
    await engine?.stop();
  }
}

/** Keeps the reports of a lab, of containers only their networks. */
export async function record(files: string, folder: string): Promise<void> {
  for (const name of await readdir(files)) {
    const text = await readFile(join(files, name), "utf8");
    await writeFile(join(folder, name), name === "containers.json" ? withoutPlaces(text) : text);
  }
}

function withoutPlaces(text: string): string {
  type Inspected = Record<"Id" | "Name" | "NetworkSettings", unknown> &
    Record<"State" | "Config" | "HostConfig", object>;
  const pick = (from: object, ...names: string[]): object =>
    Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
  const kept = (JSON.parse(text) as Inspected[]).map(({ Id, Name, State, Config, HostConfig, NetworkSettings }) => ({
    Id,
    Name,
    State: pick(State, "Status", "Running"),
    Config: pick(Config, "Hostname", "Image"),
    HostConfig: pick(HostConfig, "NetworkMode", "PortBindings"),
    NetworkSettings,
  }));
  return `${JSON.stringify(kept, null, 2)}\n`;
}

async function look(lab: Lab, folder: string, files: string): Promise<void> {
  const leases = join(folder, "leases.txt");
  const [program = "", ...args] = [...lab.prefixOf("gw"), "dnsmasq", ...settingsOf(folder, leases)];
  const dnsmasq = execa(program, args, { stdio: "ignore", reject: false });
  try {
    await leaseAll(lab, folder);
    await mkdir(files, { recursive: true });
    const ports = PORTS.toSorted((a, b) => a - b).join();
    const scan = ["nmap", "-sS", "-p", ports, "--dns-servers", ROUTER_IP, "-oX", "-", NETWORK];
    const seen: Record<string, string> = { "scan.xml": await within(lab, "gw", ...scan) };
    seen["neighbours.json"] = await within(lab, "gw", "ip", "-j", "neigh");
    seen["dnsmasq.leases"] = (await readFile(leases, "utf8")).trim();
    for (const { name } of MACHINES) {
      const sockets = await within(lab, name, "ss", "-H", "-tulnp");
      seen[`sockets-${name}.txt`] = `# ss -H -tulnp\n${sockets}`;
    }
    Object.assign(seen, await lab.see());
    for (const [name, text] of Object.entries(seen)) await writeFile(join(files, name), `${text.trim()}\n`);
  } finally {
    dnsmasq.kill();
    await dnsmasq;
  }
}

function settingsOf(folder: string, leases: string): string[] {
  const own = ["--conf-file=/dev/null", "--user=root", `--pid-file=${join(folder, "dnsmasq.pid")}`];
  const names = ["--no-resolv", "--no-hosts", `--domain=${DOMAIN}`];
  const known = MACHINES.map(({ mac, ip }) => `--dhcp-host=${mac},${ip}`);
  const range = "--dhcp-range=10.77.0.50,10.77.0.99,12h";
  return [
    "--keep-in-foreground",
    "--interface=eth0",
    "--bind-interfaces",
    ...own,
    ...names,
    "--dhcp-authoritative",
    range,
    `--dhcp-leasefile=${leases}`,
    ...known,
  ];
}

/** Each machine requests its address, and listens. */
async function leaseAll(lab: Lab, folder: string): Promise<void> {
  const script = join(folder, "lease.sh");
  await writeFile(script, LEASE_SCRIPT, { mode: 0o755 });
  for (const { name, listen } of MACHINES) {
    await within(lab, name, "udhcpc", "-q", "-n", "-f", "-i", "eth0", "-x", `hostname:${name}`, "-s", script);
    await until(async () => (await within(lab, name, "ss", "-H", "-tln")).split("\n").length >= listen.length);
  }
}
