/** Builds a random laboratory of network namespaces, and removes it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { putUnder } from "@nts/shared/groups";
import { until } from "../support/until.js";
import { DOMAIN, FAR, gatewayIn, type LabHost, ROUTER, SUBNETS } from "./laboratory-hosts.js";

const HOST = join(ROOT, "test/dist/lab/host.js");
/** Files for the namespaces of this name, as `ip netns exec` mounts them. */
const SETTINGS = "/etc/netns";
/** With which the router is asked by SNMP. */
export const COMMUNITY = "laboratory";
/** Machines that are started at once. */
const AT_A_TIME = 8;
/** By which collectors reach the server, which is outside. */
export const UPLINK = "10.78.0.1";
const UPLINK_OF_EYE = "10.78.0.2";

/** Where a collector looks around from. */
export type CollectorPlace = "eye" | "router";

export interface Laboratory {
  /** How a collector is run: in the namespace of the collector, or of the router, as a machine with a name of its own. */
  collector(place: CollectorPlace): readonly string[];
  /** Runs a program where a host is. */
  at(host: LabHost, ...command: readonly string[]): Promise<string>;
  start(host: LabHost): Promise<void>;
  /** Takes a machine off the network. */
  unplug(machine: string): Promise<void>;
  /** Packets and bytes that the collector has sent. */
  sent(): Promise<{ readonly packets: number; readonly bytes: number }>;
  remove(): Promise<void>;
}

export async function buildLaboratory(hosts: readonly LabHost[], pem: string): Promise<Laboratory> {
  const prefix = `nts-lab-${process.pid}`;
  const eye = `${prefix}-eye`;
  const router = `${prefix}-router`;
  const outside = `lab${process.pid % 1_000_000}`;
  const spaceOf = (machine: string): string => `${prefix}-${machine}`;
  const spaces = new Set<string>();
  let links = 0;
  const running: { kill(signal?: NodeJS.Signals): unknown }[] = [];
  const folder = await mkdtemp(join(tmpdir(), "nts-laboratory-"));
  const inside = async (space: string, ...command: readonly string[]): Promise<string> => {
    const { stdout } = await execa("ip", ["netns", "exec", space, ...command]);
    return stdout;
  };
  /** Many commands of `ip` in one process. */
  const batch = async (space: string, lines: readonly string[]): Promise<void> => {
    await execa("ip", ["-netns", space, "-batch", "-"], { input: lines.join("\n") });
  };
  const add = async (space: string): Promise<void> => {
    spaces.add(space);
    await execa("ip", ["netns", "add", space]);
  };

  async function buildNetwork(): Promise<void> {
    for (const space of [eye, router]) await add(space);
    const near = Array.from({ length: FAR }, (_, n) => n);
    await batch(eye, [
      "link set lo up",
      ...near.flatMap((n) => [
        `link add br${n} type bridge`,
        `addr add ${gatewayIn(n)}/24 dev br${n}`,
        `link set br${n} up`,
      ]),
      `link add to-router type veth peer name wan netns ${router}`,
      "link set to-router master br0 up",
      `route add 10.77.${FAR}.0/24 via ${ROUTER}`,
    ]);
    const toServer = [
      `link add ${outside} type veth peer name uplink netns ${eye}`,
      `addr add ${UPLINK}/30 dev ${outside}`,
      `link set ${outside} up`,
    ];
    await execa("ip", ["-batch", "-"], { input: toServer.join("\n") });
    await batch(eye, [`addr add ${UPLINK_OF_EYE}/30 dev uplink`, "link set uplink up"]);
    // The router is behind the first collector.
    await execa("ip", ["route", "add", `${ROUTER}/32`, "via", UPLINK_OF_EYE]);
    await batch(router, [
      "link set lo up",
      `addr add ${ROUTER}/24 dev wan`,
      "link set wan up",
      `link add br${FAR} type bridge`,
      `addr add ${gatewayIn(FAR)}/24 dev br${FAR}`,
      `link set br${FAR} up`,
      "route add default via 10.77.0.1",
    ]);
    for (const space of [eye, router]) await inside(space, "sysctl", "-qw", "net.ipv4.ip_forward=1");
    await startNames();
    await startSnmp();
  }

  /** The router tells whom it knows. */
  async function startSnmp(): Promise<void> {
    const settings = join(folder, "snmpd.conf");
    await writeFile(settings, `rocommunity ${COMMUNITY}\nsysName lab-router\n`);
    const places = `udp:${ROUTER}:161,udp:${gatewayIn(FAR)}:161`;
    const snmpd = ["snmpd", "-f", "-LF", "e", join(folder, "snmpd.log"), "-C", "-c", settings, places];
    running.push(execa("ip", ["netns", "exec", router, ...snmpd], { reject: false, stdio: "ignore" }));
    await until(async () => (await inside(router, "ss", "-Hlun", "sport", "161")) !== "");
  }

  async function startNames(): Promise<void> {
    const named = hosts.filter(({ ptr }) => ptr !== null);
    await writeFile(join(folder, "hosts"), named.map(({ ip, ptr }) => `${ip} ${ptr ?? ""}\n`).join(""));
    await mkdir(join(SETTINGS, eye), { recursive: true });
    await writeFile(join(SETTINGS, eye, "resolv.conf"), "nameserver 127.0.0.1\n");
    const own = [
      "--keep-in-foreground",
      "--conf-file=/dev/null",
      "--user=root",
      `--pid-file=${join(folder, "dns.pid")}`,
    ];
    const names = ["--no-resolv", "--no-hosts", `--addn-hosts=${join(folder, "hosts")}`, `--local=/${DOMAIN}/`];
    const listening = ["--listen-address=127.0.0.1", "--bind-interfaces"];
    running.push(
      execa("ip", ["netns", "exec", eye, "dnsmasq", ...own, ...names, ...listening], {
        reject: false,
        stdio: "ignore",
      }),
    );
    await until(async () => (await inside(eye, "ss", "-Hlun", "sport", "53")) !== "");
  }

  async function start(host: LabHost): Promise<void> {
    const { machine, subnet, ip, mac, ports, isFirewalled, mdnsName } = host;
    const space = spaceOf(machine);
    if (spaces.has(space)) {
      await batch(space, [`addr add ${ip}/24 dev eth0`]);
    } else {
      await add(space);
      const bridge = subnet === FAR ? router : eye;
      const link = `h${++links}`;
      await batch(bridge, [
        `link add ${link} type veth peer name eth0 address ${mac} netns ${space}`,
        `link set ${link} master br${subnet} up`,
      ]);
      const gateway = `route add default via ${gatewayIn(subnet)}`;
      await batch(space, ["link set lo up", `addr add ${ip}/24 dev eth0`, "link set eth0 up", gateway]);
    }
    if (isFirewalled) await inside(space, "iptables", "-A", "INPUT", "!", "-i", "lo", "-j", "DROP");
    if (ports.length === 0 && mdnsName === null) return;
    const spec = JSON.stringify({ ...host, pem });
    running.push(
      execa("ip", ["netns", "exec", space, process.execPath, HOST, spec], { reject: false, stdio: "ignore" }),
    );
    await until(async () => (await inside(space, "ss", "-Hltn")).split("\n").filter(Boolean).length >= ports.length);
  }

  async function remove(): Promise<void> {
    for (const one of running) one.kill("SIGKILL");
    for (const space of spaces) await execa("ip", ["netns", "delete", space], { reject: false });
    await rm(join(SETTINGS, eye), { recursive: true, force: true });
    await rm(folder, { recursive: true });
  }

  try {
    await buildNetwork();
    const machines = new Map<string, LabHost[]>();
    for (const host of hosts) putUnder(machines, host.machine, host);
    const next = machines.values();
    const startOnes = async (): Promise<void> => {
      for (const own of next) for (const host of own) await start(host);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, startOnes));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    collector: (place) => {
      const space = place === "eye" ? eye : router;
      const named = ["unshare", "--uts", "sh", "-c", `hostname lab-${place}; exec "$@"`, "sh"];
      return ["ip", "netns", "exec", space, ...named];
    },
    at: ({ machine }, ...command) => inside(spaceOf(machine), ...command),
    start,
    unplug: async (machine) => {
      await batch(spaceOf(machine), ["link set eth0 down"]);
    },
    sent: async () => {
      const lines = (await inside(eye, "cat", "/proc/net/dev")).split("\n").filter((line) => /^\s*br\d/.test(line));
      const columns = lines.map((line) => (line.split(":")[1] ?? "").trim().split(/\s+/).map(Number));
      const sum = (at: number): number => columns.reduce((all, one) => all + (one[at] ?? 0), 0);
      return { bytes: sum(8), packets: sum(9) };
    },
    remove,
  };
}

/** Links that the collector reaches, as arguments: the last one only if it is named. */
export const BLOCKS = Array.from({ length: SUBNETS }, (_, n) => `10.77.${n}.0/24`);
