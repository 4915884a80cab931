/**
 * `npm run long -- discovery`: collectors look around in random laboratories of network namespaces, and what the inventory then has
 * is compared with what is there. `--laboratories 200` with seeds from `--seed 1`. In the first one, collectors are also killed, cut
 * off, and doubled.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { putUnder } from "@nts/shared/groups";
import { anAccount, type Caller } from "../support/api.js";
import { succeeds } from "../support/python-tools.js";
import { type Stack, startStack } from "../support/stack.js";
import { aCollector, openUplink, type RunningAgent, startAgent, type StoredCollector } from "./agent-runs.js";
import { collectorFaults } from "./collector-faults.js";
import { BLOCKS, buildLaboratory, COMMUNITY, type Laboratory } from "./laboratory.js";
import { DOMAIN, FAR, gatewayIn, type LabHost, laboratoryOf, ROUTER } from "./laboratory-hosts.js";

const TOOLS = ["ip", "ss", "dnsmasq", "iptables", "sysctl", "openssl", "snmpd", "unshare"];
const MAX_SECONDS = 60;
const RATE = 500;
/** After which a machine that has left is missed. */
const MOST_LOOKS = 2;

/** What the inventory has of a laboratory. */
export interface Comparison {
  readonly machines: number;
  readonly found: number;
  readonly duplicates: readonly string[];
  readonly falseJoins: readonly string[];
  readonly wrongPorts: readonly string[];
}

/** Of one laboratory. */
interface Score extends Comparison {
  readonly seed: number;
  /** From the start of the agent to the first complete map. */
  readonly seconds: number;
  readonly packetsPerSecond: number;
  readonly kilobytes: number;
  /** Of reports, to the server. */
  readonly reported: number;
  /** What is wrong besides. */
  readonly faults: readonly string[];
}

export interface StoredHost {
  readonly id: string;
  readonly name: string;
  readonly missed_since: string | null;
  readonly interfaces: readonly { readonly ip_address: string }[];
  readonly ports: readonly { readonly number: number; readonly missed_since: string | null }[];
}

/** Why nothing can be tested here, or null. */
export async function whatIsMissing(): Promise<string | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs Linux, and root for networks";
  for (const tool of TOOLS)
    if (!(await succeeds("sh", ["-c", `command -v ${tool}`]))) return `${tool} is not installed`;
  return null;
}

/** @returns how many laboratories were seen as they are, and how many were not */
export async function discoverLaboratories(args: readonly string[]): Promise<{ passed: number; failed: number }> {
  const options = { laboratories: { type: "string", default: "200" }, seed: { type: "string", default: "1" } } as const;
  const { values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const folder = await mkdtemp(join(tmpdir(), "nts-discovery-"));
  const pem = join(folder, "lab.pem");
  const senses = join(folder, "senses.json");
  await writeFile(senses, JSON.stringify({ snmp: { communities: ["wrong", COMMUNITY] } }), { mode: 0o600 });
  const subject = ["-subj", `/CN=${DOMAIN}`, "-keyout", pem, "-out", join(folder, "cert.pem")];
  await execa("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", ...subject]);
  await writeFile(pem, (await execa("cat", [pem, join(folder, "cert.pem")])).stdout);
  const startedAt = performance.now();
  const stack = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "1000000" } });
  const startSeconds = (performance.now() - startedAt) / 1_000;
  const scores: Score[] = [];
  try {
    const { session } = await anAccount(stack.url);
    const first = Number(values.seed);
    for (let seed = first; seed < first + Number(values.laboratories); seed++) {
      const score = await scoreOf(seed, { stack, session, pem, senses, isFirst: seed === first });
      scores.push(score);
      console.log(lineOf(score));
      if (seed === first)
        console.log(
          `From the start of an empty system to the first complete map: ${(startSeconds + score.seconds).toFixed(1)} s`,
        );
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
  const failed = scores.filter((score) => !isRight(score)).length;
  const sum = (of: (score: Score) => number): number => scores.reduce((all, one) => all + of(one), 0);
  console.log(
    `Found ${sum(({ found }) => found)} of ${sum(({ machines }) => machines)} machines in ${scores.length} laboratories, ` +
      `${sum(({ duplicates }) => duplicates.length)} duplicates, ${sum(({ falseJoins }) => falseJoins.length)} false joins, ` +
      `${sum(({ wrongPorts }) => wrongPorts.length)} wrong ports; the slowest took ` +
      `${Math.max(...scores.map(({ seconds }) => seconds)).toFixed(1)} s`,
  );
  return { passed: scores.length - failed, failed };
}

interface Given {
  readonly stack: Stack;
  readonly session: Caller;
  readonly pem: string;
  /** Settings of collectors. */
  readonly senses: string;
  readonly isFirst: boolean;
}

async function scoreOf(seed: number, { stack, session, pem, senses, isFirst }: Given): Promise<Score> {
  const all = laboratoryOf(seed);
  // One machine comes later, and one that is there at first leaves.
  const later = all[0] as LabHost;
  const leaving = all.find((one) => one.machine !== later.machine && one.subnet === 0) as LabHost;
  const hosts = all.filter(({ machine }) => machine !== later.machine);
  const excluded = all.find((one) => one.subnet === 1 && one.machine !== later.machine) as LabHost;
  const laboratory = await buildLaboratory(hosts, pem);
  const ending: (() => Promise<unknown>)[] = [() => laboratory.remove()];
  let agent: RunningAgent | null = null;
  try {
    const uplink = await openUplink(stack.url);
    ending.unshift(() => uplink.close());
    const network = await session.data<{ id: string }>("post", "/api/v1/networks", { name: `Laboratory ${seed}` });
    const collector = await aCollector(session, {
      ...{ network_id: network.id, name: `Eye ${seed}`, packets_per_second: RATE },
      targets: { cidrs: BLOCKS, exclude: [`${excluded.ip}/32`] },
    });
    ending.unshift(() => collector.remove());
    // Counts what is sent to it.
    await laboratory.at(excluded, "iptables", "-I", "INPUT", "-d", excluded.ip);
    const before = await laboratory.sent();
    const startedAt = performance.now();
    const words = ["--state", collector.folder, "--settings", senses];
    agent = startAgent(laboratory, "eye", [...words, "--server", uplink.url, "--token", collector.token]);
    await agent.says("Looks around");
    const lookedAt = performance.now();
    await agent.says("Found ");
    const lookedSeconds = (performance.now() - lookedAt) / 1_000;
    const after = await laboratory.sent();
    const job = await collector.done();
    const seconds = (performance.now() - startedAt) / 1_000;
    const stored = await hostsIn(session, network.id);
    const there = hosts.filter(({ machine }) => machine !== excluded.machine);
    const faults = stored.some(({ interfaces }) => interfaces.some(({ ip_address: ip }) => ip === excluded.ip))
      ? [`${excluded.ip} was looked at`]
      : [];
    const received = await packetsTo(laboratory, excluded);
    if (received > 0) faults.push(`${excluded.ip} is excluded, and was sent ${received} packets`);
    const routers = stored.filter(({ interfaces }) =>
      interfaces.some(({ ip_address: ip }) => [ROUTER, gatewayIn(FAR)].includes(ip)),
    );
    if (routers.length !== 1) faults.push(`the router is ${routers.length} hosts`);
    faults.push(...(await changesSeen({ laboratory, session, networkId: network.id, later, leaving, all, collector })));
    const compare = async (): Promise<Comparison> => {
      const isThere = ({ machine }: LabHost): boolean => ![excluded.machine, leaving.machine].includes(machine);
      return compared(all.filter(isThere), await hostsIn(session, network.id));
    };
    const left = { laboratory, uplink, session, collector, networkId: network.id, agent, words, compare, senses };
    if (isFirst) faults.push(...(await collectorFaults(left)));
    return {
      ...{ seed, ...compared(there, stored), seconds, faults, reported: job.bytes },
      packetsPerSecond: (after.packets - before.packets) / lookedSeconds,
      kilobytes: (after.bytes - before.bytes) / 1_000,
    };
  } catch (error) {
    if (agent !== null) console.error(agent.said());
    throw error;
  } finally {
    await agent?.end("SIGKILL");
    for (const end of ending) await end();
  }
}

interface Changing {
  readonly laboratory: Laboratory;
  readonly session: Caller;
  readonly networkId: string;
  readonly later: LabHost;
  readonly leaving: LabHost;
  readonly all: readonly LabHost[];
  readonly collector: StoredCollector;
}

/** A machine that comes is there after the next look, and one that leaves is missed. @returns what is wrong */
async function changesSeen(changing: Changing): Promise<string[]> {
  const { laboratory, session, networkId, later, leaving, all, collector } = changing;
  for (const one of all) if (one.machine === later.machine) await laboratory.start(one);
  await laboratory.unplug(leaving.machine);
  const startedAt = performance.now();
  await collector.run();
  const at = (stored: readonly StoredHost[], ip: string): StoredHost | undefined =>
    stored.find(({ interfaces }) => interfaces.some((one) => one.ip_address === ip));
  const came = at(await hostsIn(session, networkId), later.ip);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (let looks = 1; looks < MOST_LOOKS; looks++) await collector.run();
  const stored = await hostsIn(session, networkId);
  const left = at(stored, leaving.ip);
  return [
    ...(came === undefined ? [`${later.machine} came, and was not found`] : []),
    ...(seconds > MAX_SECONDS ? [`${later.machine} came, and was found after ${seconds.toFixed(1)} s`] : []),
    ...((left?.missed_since ?? null) === null ? [`${leaving.machine} left, and is not missed`] : []),
    ...stored
      .filter((host) => host !== left && host.missed_since !== null)
      .map(({ name, missed_since: since }) => `${name} is there, and missed since ${since}`),
  ];
}

/** Of the rule that counts them, the first one. */
async function packetsTo(laboratory: Laboratory, host: LabHost): Promise<number> {
  const rules = await laboratory.at(host, "iptables", "-nvxL", "INPUT", "1");
  return Number(rules.trim().split(/\s+/)[0]);
}

function hostsIn(key: Caller, networkId: string): Promise<StoredHost[]> {
  return key.data<StoredHost[]>("get", `/api/v1/hosts?network_id=${networkId}&limit=0`);
}

/** What is there, and what the inventory has of it. */
function compared(there: readonly LabHost[], stored: readonly StoredHost[]): Comparison {
  const machines = new Map<string, LabHost[]>();
  for (const host of there) putUnder(machines, host.machine, host);
  const machineAt = new Map(there.map(({ ip, machine }) => [ip, machine]));
  const falseJoins = stored.flatMap(({ name, interfaces }) => {
    const joined = new Set(interfaces.flatMap(({ ip_address: ip }) => machineAt.get(ip) ?? []));
    return joined.size > 1 ? [`${name} is ${[...joined].join(" and ")}`] : [];
  });
  const duplicates: string[] = [];
  const wrongPorts: string[] = [];
  let found = 0;
  for (const [machine, own] of machines) {
    const seen = stored.filter(({ interfaces }) =>
      own.some(({ ip }) => interfaces.some((one) => one.ip_address === ip)),
    );
    if (seen.length > 0) found++;
    if (seen.length > 1) duplicates.push(`${machine} is ${seen.map(({ name }) => name).join(" and ")}`);
    const open = own.flatMap(({ ports }) => ports.map(({ number }) => number)).sort((a, b) => a - b);
    const known = seen.flatMap(({ ports }) => ports.map(({ number }) => number)).sort((a, b) => a - b);
    if (open.join() !== known.filter((port) => port !== 80 || open.includes(80)).join())
      wrongPorts.push(`${machine}: ${known.join()} instead of ${open.join()}`);
  }
  return { machines: machines.size, found, duplicates, falseJoins, wrongPorts };
}

function isRight(score: Score): boolean {
  const { machines, found, duplicates, falseJoins, wrongPorts, faults, seconds, packetsPerSecond } = score;
  const wrong = duplicates.length + falseJoins.length + wrongPorts.length + faults.length;
  return found === machines && wrong === 0 && seconds <= MAX_SECONDS && packetsPerSecond <= 4 * RATE;
}

function lineOf(score: Score): string {
  const {
    seed,
    machines,
    found,
    duplicates,
    falseJoins,
    wrongPorts,
    seconds,
    packetsPerSecond,
    kilobytes,
    reported,
    faults,
  } = score;
  const said = [...duplicates, ...falseJoins, ...wrongPorts, ...faults];
  return (
    `${isRight(score) ? "✓" : "✕"} ${seed}: ${found} of ${machines}, ${duplicates.length} duplicates, ${falseJoins.length} false joins, ` +
    `${seconds.toFixed(1)} s, ${packetsPerSecond.toFixed(0)} packets/s, ${kilobytes.toFixed(0)} kB sent, ${reported} bytes reported` +
    (said.length === 0 ? "" : `; ${said.join("; ")}`)
  );
}
