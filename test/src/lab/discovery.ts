/**
 * `npm run long -- discovery`: looks around in random laboratories of network namespaces, and compares what the inventory then
 * has with what is there. `--laboratories 200` with seeds from `--seed 1`.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { putUnder } from "@nts/shared/groups";
import { aKey, anAccount, type Caller } from "../support/api.js";
import { succeeds } from "../support/python-tools.js";
import { startStack } from "../support/stack.js";
import { BLOCKS, buildLaboratory, COMMUNITY, type Laboratory } from "./laboratory.js";
import { DOMAIN, FAR, gatewayIn, type LabHost, laboratoryOf, ROUTER } from "./laboratory-hosts.js";

const NTS = join(ROOT, "cli/bundle/nts.js");
const TOOLS = ["ip", "ss", "dnsmasq", "iptables", "sysctl", "openssl", "snmpd"];
const MAX_SECONDS = 60;
const RATE = 500;
/** After which a machine that has left is missed. */
const MOST_LOOKS = 2;

/** Of one laboratory. */
interface Score {
  readonly seed: number;
  readonly machines: number;
  readonly found: number;
  readonly duplicates: readonly string[];
  readonly falseJoins: readonly string[];
  readonly wrongPorts: readonly string[];
  readonly seconds: number;
  readonly packetsPerSecond: number;
  readonly kilobytes: number;
  /** What is wrong besides. */
  readonly faults: readonly string[];
}

interface StoredHost {
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
  const snmp = join(folder, "snmp.json");
  await writeFile(snmp, JSON.stringify({ communities: ["wrong", COMMUNITY] }), { mode: 0o600 });
  const subject = ["-subj", `/CN=${DOMAIN}`, "-keyout", pem, "-out", join(folder, "cert.pem")];
  await execa("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", ...subject]);
  await writeFile(pem, (await execa("cat", [pem, join(folder, "cert.pem")])).stdout);
  const stack = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "1000000" } });
  const scores: Score[] = [];
  try {
    const account = await anAccount(stack.url);
    const { caller: key } = await aKey(stack.url, account);
    const first = Number(values.seed);
    for (let seed = first; seed < first + Number(values.laboratories); seed++) {
      const score = await scoreOf(seed, key, { pem, snmp });
      scores.push(score);
      console.log(lineOf(score));
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

interface Files {
  readonly pem: string;
  /** Credentials. */
  readonly snmp: string;
}

async function scoreOf(seed: number, key: Caller, { pem, snmp }: Files): Promise<Score> {
  const all = laboratoryOf(seed);
  // One machine comes later, and one that is there at first leaves.
  const later = all[0] as LabHost;
  const leaving = all.find((one) => one.machine !== later.machine && one.subnet === 0) as LabHost;
  const hosts = all.filter(({ machine }) => machine !== later.machine);
  const excluded = all.find((one) => one.subnet === 1 && one.machine !== later.machine) as LabHost;
  const laboratory = await buildLaboratory(hosts, pem);
  try {
    const network = await key.data<{ id: string }>("post", "/api/v1/networks", { name: `Laboratory ${seed}` });
    // Counts what is sent to it.
    await laboratory.at(excluded, "iptables", "-I", "INPUT", "-d", excluded.ip);
    const startedAt = performance.now();
    const before = await laboratory.sent();
    const report = await look(laboratory, excluded.ip, snmp);
    const lookedSeconds = (performance.now() - startedAt) / 1_000;
    const after = await laboratory.sent();
    await importReport(key, network.id, report);
    const seconds = (performance.now() - startedAt) / 1_000;
    const stored = await hostsIn(key, network.id);
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
    const changed = await changesSeen({ laboratory, key, networkId: network.id, later, leaving, excluded, all, snmp });
    return {
      ...compared(there, stored, seed),
      seconds,
      packetsPerSecond: (after.packets - before.packets) / lookedSeconds,
      kilobytes: (after.bytes - before.bytes) / 1_000,
      faults: [...faults, ...changed],
    };
  } finally {
    await laboratory.remove();
  }
}

interface Changing {
  readonly laboratory: Laboratory;
  readonly key: Caller;
  readonly networkId: string;
  readonly later: LabHost;
  readonly leaving: LabHost;
  readonly excluded: LabHost;
  readonly all: readonly LabHost[];
  readonly snmp: string;
}

/** A machine that comes is there after the next look, and one that leaves is missed. @returns what is wrong */
async function changesSeen(changing: Changing): Promise<string[]> {
  const { laboratory, key, networkId, later, leaving, excluded, all, snmp } = changing;
  for (const one of all) if (one.machine === later.machine) await laboratory.start(one);
  await laboratory.unplug(leaving.machine);
  for (let looks = 0; looks < MOST_LOOKS; looks++)
    await importReport(key, networkId, await look(laboratory, excluded.ip, snmp));
  const stored = await hostsIn(key, networkId);
  const at = (ip: string): StoredHost | undefined =>
    stored.find(({ interfaces }) => interfaces.some(({ ip_address: one }) => one === ip));
  const missed = stored.filter(({ missed_since: since }) => since !== null).map(({ name }) => name);
  return [
    ...(at(later.ip) === undefined ? [`${later.ip} came and was not found`] : []),
    ...(at(leaving.ip)?.missed_since === null ? [`${leaving.ip} left and is not missed`] : []),
    ...(missed.length > 1 ? [`missed without having left: ${missed.join(", ")}`] : []),
  ];
}

/** Of the rule that counts them, the first one. */
async function packetsTo(laboratory: Laboratory, host: LabHost): Promise<number> {
  const rules = await laboratory.at(host, "iptables", "-nvxL", "INPUT", "1");
  return Number(rules.trim().split(/\s+/)[0]);
}

function look(laboratory: Laboratory, excluded: string, snmp: string): Promise<string> {
  const options = ["--discover", ...BLOCKS, "--exclude", excluded, "--rate", String(RATE), "--snmp", snmp, "--print"];
  return laboratory.look(process.execPath, NTS, "collect", ...options);
}

async function importReport(key: Caller, networkId: string, report: string): Promise<void> {
  const { status, text } = await key.send("post", `/api/v1/imports/report?network_id=${networkId}`, report, {
    "content-type": "application/octet-stream",
  });
  if (status !== 200) throw new Error(`the report was not imported: ${status} ${text.slice(0, 500)}`);
}

function hostsIn(key: Caller, networkId: string): Promise<StoredHost[]> {
  return key.data<StoredHost[]>("get", `/api/v1/hosts?network_id=${networkId}&limit=0`);
}

/** What is there, and what the inventory has of it. */
function compared(there: readonly LabHost[], stored: readonly StoredHost[], seed: number) {
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
  return { seed, machines: machines.size, found, duplicates, falseJoins, wrongPorts };
}

function isRight(score: Score): boolean {
  const { machines, found, duplicates, falseJoins, wrongPorts, faults, seconds, packetsPerSecond } = score;
  const wrong = duplicates.length + falseJoins.length + wrongPorts.length + faults.length;
  return found === machines && wrong === 0 && seconds <= MAX_SECONDS && packetsPerSecond <= 4 * RATE;
}

function lineOf(score: Score): string {
  const { seed, machines, found, duplicates, falseJoins, wrongPorts, seconds, packetsPerSecond, kilobytes, faults } =
    score;
  const said = [...duplicates, ...falseJoins, ...wrongPorts, ...faults];
  return (
    `${isRight(score) ? "✓" : "✕"} ${seed}: ${found} of ${machines}, ${duplicates.length} duplicates, ${falseJoins.length} false joins, ` +
    `${seconds.toFixed(1)} s, ${packetsPerSecond.toFixed(0)} packets/s, ${kilobytes.toFixed(0)} kB` +
    (said.length === 0 ? "" : `; ${said.join("; ")}`)
  );
}
