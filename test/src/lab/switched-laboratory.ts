/** Builds a switched network of Linux bridges, each with lldpd and snmpd, and removes it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { succeeds } from "../support/python-tools.js";
import { until } from "../support/until.js";
import { CARD, EYE, hubAt, type Switched, type SwitchedDevice } from "./switched-hosts.js";

const BRIDGE_MIB = join(ROOT, "test/dist/lab/bridge-mib.js");
const BRIDGE = "switch0";
/** For programs to start, and to hear each other, also on a busy machine. */
const MOST_MS = 180_000;
/** What was heard stays, also on a busy machine. In a file, because who sets them while lldpd starts may keep it from ever starting. */
const LLDPD_SETTINGS = "configure lldp tx-interval 1\nconfigure lldp tx-hold 300\n";
/** With which switches are asked by SNMP. */
export const COMMUNITY = "switches";
export const UPLINK = "10.80.0.1";

export interface SwitchedLaboratory {
  /** How a collector is run on its machine. */
  collector(): readonly string[];
  /** Runs a program on a device. */
  at(name: string, ...command: readonly string[]): Promise<string>;
  /** Moves a machine to another port. */
  move(name: string, to: { readonly name: string; readonly port: string }): Promise<void>;
  remove(): Promise<void>;
}

export async function buildSwitched(network: Switched): Promise<SwitchedLaboratory> {
  const { switches, machines, cables } = network;
  const prefix = `nts-wired-${process.pid}`;
  const outside = `wired${process.pid % 1_000_000}`;
  const spaceOf = (name: string): string => `${prefix}-${name.replaceAll(" ", "-")}`;
  const spaces: string[] = [];
  const running: { kill(signal?: NodeJS.Signals): unknown }[] = [];
  const folder = await mkdtemp(join(tmpdir(), "nts-wired-"));
  const lldpdSettings = join(folder, "lldpd.conf");
  const batch = async (space: string | null, lines: readonly string[]): Promise<void> => {
    const where = space === null ? [] : ["-netns", space];
    await execa("ip", [...where, "-batch", "-"], { input: lines.join("\n") });
  };
  /** Each device has a name and a folder `/run` of its own, where its programs have their sockets. */
  const commandAt = (name: string, command: readonly string[]): string[] => {
    const own = `mount --bind ${join(folder, name)} /run && hostname ${name} && exec "$@"`;
    return ["ip", "netns", "exec", spaceOf(name), "unshare", "--uts", "sh", "-c", own, "sh", ...command];
  };
  const at = async (name: string, ...command: readonly string[]): Promise<string> => {
    const [program = "", ...args] = commandAt(name, command);
    return (await execa(program, args)).stdout;
  };
  const run = (name: string, ...command: readonly string[]): void => {
    const [program = "", ...args] = commandAt(name, command);
    running.push(execa(program, args, { reject: false, stdio: "ignore" }));
  };
  const add = async (name: string): Promise<void> => {
    spaces.push(spaceOf(name));
    await batch(null, [`netns add ${spaceOf(name)}`]);
    await mkdir(join(folder, name, "lldpd"), { recursive: true });
    await batch(spaceOf(name), ["link set lo up"]);
  };
  const isSwitch = (name: string): boolean => switches.some((one) => one.name === name);
  /** From a port of a switch, managed or not, to a port of another or the card of a machine. */
  const plug = async (from: { name: string; port: string }, to: { name: string; port: string }): Promise<void> => {
    await batch(spaceOf(from.name), [
      `link add ${from.port} type veth peer name ${to.port} netns ${spaceOf(to.name)}`,
      `link set ${from.port} master ${BRIDGE} up`,
    ]);
    const machine = machines.find(({ name }) => name === to.name);
    await batch(
      spaceOf(to.name),
      machine === undefined
        ? [`link set ${to.port} master ${BRIDGE} up`]
        : [
            `link set ${to.port} address ${machine.mac}`,
            `addr add ${machine.ip}/24 dev ${to.port}`,
            `link set ${to.port} up`,
          ],
    );
  };

  async function addSwitch({ name, ip, mac }: SwitchedDevice): Promise<void> {
    await add(name);
    await batch(spaceOf(name), [
      `link add ${BRIDGE} address ${mac} type bridge`,
      `addr add ${ip}/24 dev ${BRIDGE}`,
      `link set ${BRIDGE} up`,
    ]);
  }

  async function addUplink(): Promise<void> {
    const own = UPLINK.replace(/1$/, "2");
    await batch(null, [
      `link add ${outside} type veth peer name uplink netns ${spaceOf(EYE)}`,
      `addr add ${UPLINK}/30 dev ${outside}`,
      `link set ${outside} up`,
    ]);
    await batch(spaceOf(EYE), [`addr add ${own}/30 dev uplink`, "link set uplink up"]);
  }

  async function plugAll(): Promise<void> {
    for (const { at: from, to } of cables) {
      const [only, another] = to;
      if (only !== undefined && another === undefined) await plug(from, { name: only.name, port: only.port ?? CARD });
      if (another === undefined) continue;
      const hub = hubAt(from);
      await add(hub);
      await batch(spaceOf(hub), [`link add ${BRIDGE} type bridge`, `link set ${BRIDGE} up`]);
      await plug(from, { name: hub, port: "uplink" });
      for (const [n, { name }] of to.entries()) await plug({ name: hub, port: `downlink${n}` }, { name, port: CARD });
    }
  }

  /** snmpd tells what lldpd hears, and what the bridge has learnt. */
  async function startSnmpd(name: string): Promise<void> {
    const settings = join(folder, `${name}.conf`);
    const lines = [
      ...[`rocommunity ${COMMUNITY}`, `sysName ${name}`, "master agentx", "agentXSocket /run/agentx.socket"],
      `pass_persist .1.3.6.1.2.1.17 ${process.execPath} ${BRIDGE_MIB} ${BRIDGE}`,
    ];
    await writeFile(settings, `${lines.join("\n")}\n`);
    run(name, "snmpd", "-f", "-LF", "e", join(folder, `${name}.log`), "-C", "-c", settings, "udp:161");
    await awaitSocket(join(folder, name, "agentx.socket"));
  }

  async function startLldpd(name: string): Promise<void> {
    const byAgentX = isSwitch(name) ? ["-x", "-X", "/run/agentx.socket"] : [];
    // Of the machine of the collector, the link to the server is none of the network.
    run(name, "lldpd", "-d", "-I", "port*,eth*", "-O", lldpdSettings, ...byAgentX);
    await awaitSocket(join(folder, name, "lldpd.socket"));
  }

  /** Until everybody hears whoever is at the other end of a cable. */
  async function awaitNeighbours(name: string): Promise<void> {
    const expected = heardAt(network, name);
    let found = -1;
    await until(
      async () => {
        found = heardBy(await at(name, "lldpcli", "-f", "json0", "show", "neighbors"));
        return found === expected;
      },
      100,
      MOST_MS,
    ).catch((error: unknown) => {
      throw new Error(`${name} hears ${found} of ${expected} neighbours`, { cause: error });
    });
  }

  try {
    await writeFile(lldpdSettings, LLDPD_SETTINGS);
    for (const one of switches) await addSwitch(one);
    for (const { name } of machines) await add(name);
    await plugAll();
    await addUplink();
    for (const { name } of switches) await startSnmpd(name);
    const heard = [...switches, ...machines.filter(({ isHeard }) => isHeard)].map(({ name }) => name);
    for (const name of heard) await startLldpd(name);
    // Otherwise, each says first after half a minute who it is.
    for (const name of heard) await at(name, "lldpcli", "update");
    for (const name of heard) await awaitNeighbours(name);
  } catch (error) {
    await remove();
    throw error;
  }

  async function remove(): Promise<void> {
    for (const one of running) one.kill("SIGTERM");
    for (const space of spaces) {
      const { stdout } = await execa("ip", ["netns", "pids", space], { reject: false });
      for (const pid of stdout.split("\n").filter(Boolean)) await execa("kill", ["-KILL", pid], { reject: false });
      await execa("ip", ["netns", "delete", space], { reject: false });
    }
    await rm(folder, { recursive: true });
  }

  return {
    collector: () => commandAt(EYE, []),
    at,
    move: async (name, to) => {
      await batch(spaceOf(name), [`link del ${CARD}`]);
      await plug(to, { name, port: CARD });
      // Whoever is plugged in says so.
      await at(name, "ping", "-c", "1", "-W", "2", machines.find((one) => one.name === EYE)?.ip ?? "");
    },
    remove,
  };
}

async function awaitSocket(path: string): Promise<void> {
  await until(() => succeeds("test", ["-S", path]), 100, MOST_MS).catch((error: unknown) => {
    throw new Error(`${path} does not appear`, { cause: error });
  });
}

/** How many neighbours lldpd hears. */
function heardBy(text: string): number {
  const { lldp = [] } = JSON.parse(text) as { lldp?: { interface?: unknown[] }[] };
  return lldp.flatMap((one) => one.interface ?? []).length;
}

/** How many neighbours of a device speak LLDP: both ends of a cable do so if each end has a port with a name. */
function heardAt({ cables }: Switched, name: string): number {
  return cables.filter(({ at, to }) => {
    const [only, ...others] = to;
    const isHeard = others.length === 0 && typeof only?.port === "string";
    return isHeard && [at.name, only.name].includes(name);
  }).length;
}
