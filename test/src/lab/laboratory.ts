/** Builds a random laboratory of network namespaces, and removes it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { putUnder } from "@nts/shared/groups";
import { until } from "../support/until.js";
import { DOMAIN, FAR, gatewayIn, type LabHost, ROUTER, SUBNETS } from "./laboratory-hosts.js";
import { listenAt } from "./sockets.js";

const ANNOUNCER = join(ROOT, "test/dist/lab/announcer.js");
/** Files for the namespaces of this name, as `ip netns exec` mounts them. */
const SETTINGS = "/etc/netns";
/** With which the router is asked by SNMP. */
export const COMMUNITY = "laboratory";

/** Where a collector looks around from. */
export type CollectorPlace = "eye" | "router";

export interface Laboratory {
  /** The address at which its collectors find the server, which is outside. */
  readonly uplink: string;
  /** How a collector is run: in the namespace of the collector, or of the router, as a machine with a name of its own. */
  collector(place: CollectorPlace): readonly string[];
  /** Runs a program where a host is. */
  at(host: LabHost, ...command: readonly string[]): Promise<string>;
  /** Adds machines. */
  start(hosts: readonly LabHost[]): Promise<void>;
  /** Takes a machine off the network. */
  unplug(machine: string): Promise<void>;
  /** Gives a machine another address. */
  renumber(host: LabHost, ip: string): Promise<void>;
  /** Packets and bytes that the collector has sent. */
  sent(): Promise<{ readonly packets: number; readonly bytes: number }>;
  remove(): Promise<void>;
}

/** Places of laboratories that there are, by which addresses outside of them differ. */
const places = new Set<number>();

function takePlace(): number {
  let place = 0;
  while (places.has(place)) place++;
  places.add(place);
  return place;
}

export async function buildLaboratory(hosts: readonly LabHost[], pem: string): Promise<Laboratory> {
  const place = takePlace();
  const prefix = `nts-lab-${process.pid}-${place}`;
  const eye = `${prefix}-eye`;
  const router = `${prefix}-router`;
  const outside = `lab${process.pid % 1_000_000}-${place}`;
  const byUplink = (host: number): string => `10.78.${process.pid % 256}.${4 * place + host}`;
  const uplink = byUplink(1);
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
  const batch = async (space: string | null, lines: readonly string[]): Promise<void> => {
    const where = space === null ? [] : ["-netns", space];
    await execa("ip", [...where, "-batch", "-"], { input: lines.join("\n") });
  };
  /** Many commands in one process. */
  const shell = async (commands: readonly string[]): Promise<void> => {
    await execa("sh", ["-e"], { input: commands.join("\n") });
  };
  const add = async (names: readonly string[]): Promise<void> => {
    for (const name of names) spaces.add(name);
    await batch(
      null,
      names.map((name) => `netns add ${name}`),
    );
  };
  const run = (space: string, ...command: readonly string[]): void => {
    running.push(execa("ip", ["netns", "exec", space, ...command], { reject: false, stdio: "ignore" }));
  };

  async function buildNetwork(): Promise<void> {
    await add([eye, router]);
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
    await batch(router, [
      "link set lo up",
      `addr add ${ROUTER}/24 dev wan`,
      "link set wan up",
      `link add br${FAR} type bridge`,
      `addr add ${gatewayIn(FAR)}/24 dev br${FAR}`,
      `link set br${FAR} up`,
      `route add default via ${gatewayIn(0)}`,
    ]);
    await buildUplink();
    for (const space of [eye, router]) await inside(space, "sysctl", "-qw", "net.ipv4.ip_forward=1");
    await startNames();
    await startSnmp();
  }

  /** The router is behind the first collector, and has an address of its own for the server, as other laboratories have it, too. */
  async function buildUplink(): Promise<void> {
    const ofRouter = `10.79.${process.pid % 256}.${place}`;
    await batch(null, [
      `link add ${outside} type veth peer name uplink netns ${eye}`,
      `addr add ${uplink}/30 dev ${outside}`,
      `link set ${outside} up`,
      `route add ${ofRouter}/32 via ${byUplink(2)}`,
    ]);
    await batch(eye, [
      `addr add ${byUplink(2)}/30 dev uplink`,
      "link set uplink up",
      `route add ${ofRouter}/32 via ${ROUTER}`,
    ]);
    await batch(router, [
      `addr add ${ofRouter}/32 dev lo`,
      `route add ${uplink}/32 via ${gatewayIn(0)} src ${ofRouter}`,
    ]);
  }

  /** The router tells whom it knows. */
  async function startSnmp(): Promise<void> {
    const settings = join(folder, "snmpd.conf");
    await writeFile(settings, `rocommunity ${COMMUNITY}\nsysName lab-router\n`);
    const places = `udp:${ROUTER}:161,udp:${gatewayIn(FAR)}:161`;
    run(router, "snmpd", "-f", "-LF", "e", join(folder, "snmpd.log"), "-C", "-c", settings, places);
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
    run(eye, "dnsmasq", ...own, ...names, "--listen-address=127.0.0.1", "--bind-interfaces");
    await until(async () => (await inside(eye, "ss", "-Hlun", "sport", "53")) !== "");
  }

  async function start(some: readonly LabHost[]): Promise<void> {
    const machines = new Map<string, LabHost[]>();
    for (const host of some) putUnder(machines, host.machine, host);
    const cards = [...machines.values()].flatMap(([first]) => first ?? []);
    await add(cards.map(({ machine }) => spaceOf(machine)));
    for (const [bridge, isFar] of [
      [eye, false],
      [router, true],
    ] as const) {
      const own = cards.filter(({ subnet }) => (subnet === FAR) === isFar);
      await batch(bridge, own.flatMap(plugged));
    }
    await shell(cards.flatMap((card) => setUp(card, machines.get(card.machine) ?? [])));
    const ports = some.flatMap(({ machine, ip, ports }) =>
      ports.map((port) => ({ ...port, ip, space: spaceOf(machine) })),
    );
    if (ports.length > 0) running.push(await listenAt(ports, pem));
    for (const { machine, ip, mdnsName } of some)
      if (mdnsName !== null) run(spaceOf(machine), process.execPath, ANNOUNCER, ip, mdnsName);
  }

  function plugged({ machine, subnet, mac }: LabHost): string[] {
    const link = `h${++links}`;
    return [
      `link add ${link} type veth peer name eth0 address ${mac} netns ${spaceOf(machine)}`,
      `link set ${link} master br${subnet} up`,
    ];
  }

  /** Commands for a shell. */
  function setUp({ machine, subnet, isFirewalled }: LabHost, addresses: readonly LabHost[]): string[] {
    const space = spaceOf(machine);
    return [
      `ip -netns ${space} -batch - <<'END'`,
      "link set lo up",
      ...addresses.map(({ ip }) => `addr add ${ip}/24 dev eth0`),
      "link set eth0 up",
      `route add default via ${gatewayIn(subnet)}`,
      "END",
      ...(isFirewalled ? [`ip netns exec ${space} iptables -A INPUT ! -i lo -j DROP`] : []),
    ];
  }

  async function remove(): Promise<void> {
    for (const one of running) one.kill("SIGKILL");
    const deleting = [`link delete ${outside}`, ...[...spaces].map((space) => `netns delete ${space}`)];
    await execa("ip", ["-force", "-batch", "-"], { input: deleting.join("\n"), reject: false });
    await rm(join(SETTINGS, eye), { recursive: true, force: true });
    await rm(folder, { recursive: true });
    places.delete(place);
  }

  try {
    await buildNetwork();
    await start(hosts);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    uplink,
    collector: (where) => {
      const space = where === "eye" ? eye : router;
      const named = ["unshare", "--uts", "sh", "-c", `hostname lab-${where}; exec "$@"`, "sh"];
      return ["ip", "netns", "exec", space, ...named];
    },
    at: ({ machine }, ...command) => inside(spaceOf(machine), ...command),
    start,
    unplug: async (machine) => {
      await batch(spaceOf(machine), ["link set eth0 down"]);
    },
    renumber: async ({ machine, subnet, ip: before }, ip) => {
      const gateway = `route replace default via ${gatewayIn(subnet)}`;
      await batch(spaceOf(machine), [`addr del ${before}/24 dev eth0`, `addr add ${ip}/24 dev eth0`, gateway]);
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
