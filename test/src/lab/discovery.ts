/**
 * `npm run long -- discovery`: collectors look around in random laboratories of network namespaces, and what the inventory then has
 * is compared with what is there. `LABS=200` laboratories from the number SEED on, `LABS_TOGETHER=8` side by side, share one system,
 * each with an organization and a collector of its own. In the first one, collectors are also killed, cut off, and doubled.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { anAccount, type Caller } from "../support/api.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { succeeds } from "../support/python-tools.js";
import { type Stack, startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { aCollector, openUplink, type RunningAgent, startAgent, type StoredCollector } from "./agent-runs.js";
import { collectorFaults } from "./collector-faults.js";
import { BLOCKS, buildLaboratory, COMMUNITY, type Laboratory } from "./laboratory.js";
import { DOMAIN, FAR, freeAddressIn, gatewayIn, type LabHost, laboratoryOf, ROUTER } from "./laboratory-hosts.js";
import {
  compared,
  type Comparison,
  failedScore,
  isInTime,
  isRight,
  lineOf,
  RATE,
  type Score,
  type StoredHost,
  totalsOf,
} from "./laboratory-scores.js";
import { makeRoomForNeighbours } from "./neighbour-table.js";

const TOOLS = ["ip", "ss", "dnsmasq", "iptables", "sysctl", "openssl", "snmpd", "unshare", "python3"];
/** After which a machine that has left is missed. */
const MOST_LOOKS = 2;

/** Why nothing can be tested here, or null. */
export async function whatIsMissing(): Promise<string | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs Linux, and root for networks";
  for (const tool of TOOLS)
    if (!(await succeeds("sh", ["-c", `command -v ${tool}`]))) return `${tool} is not installed`;
  return null;
}

/** @returns how many laboratories were seen as they are, and how many were not */
export async function discoverLaboratories(): Promise<{ passed: number; failed: number }> {
  const setting = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
  const first = setting("SEED", 1);
  const laboratories = setting("LABS", 200);
  const together = setting("LABS_TOGETHER", 8);
  const folder = await mkdtemp(join(tmpdir(), "nts-discovery-"));
  const pem = join(folder, "lab.pem");
  const senses = join(folder, "senses.json");
  await writeFile(senses, JSON.stringify({ snmp: { communities: ["wrong", COMMUNITY] } }), { mode: 0o600 });
  const subject = ["-subj", `/CN=${DOMAIN}`, "-keyout", pem, "-out", join(folder, "cert.pem")];
  await execa("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", ...subject]);
  await writeFile(pem, (await execa("cat", [pem, join(folder, "cert.pem")])).stdout);
  const restore = await makeRoomForNeighbours(together);
  const startedAt = performance.now();
  const stack = await startStack({ env: UNLIMITED });
  const startSeconds = (performance.now() - startedAt) / 1_000;
  const scores: Score[] = [];
  try {
    await mapConcurrently(laboratories, together, async (n) => {
      const seed = first + n;
      const score = await scoreOf(seed, { stack, pem, senses, isFirst: n === 0 }).catch((error: unknown) =>
        failedScore(seed, `it could not be tried: ${(error as Error).message}`),
      );
      scores.push(score);
      console.log(lineOf(score));
      console.log(`  ${totalsOf(scores)}`);
      if (n === 0)
        console.log(
          `From the start of an empty system to the first complete map: ${(startSeconds + score.seconds).toFixed(1)} s`,
        );
    });
  } finally {
    await stack.stop();
    await restore();
    await rm(folder, { recursive: true });
  }
  const passed = scores.filter((score) => isRight(score) && isInTime(score)).length;
  return { passed, failed: scores.length - passed };
}

interface Given {
  readonly stack: Stack;
  readonly pem: string;
  /** Settings of collectors. */
  readonly senses: string;
  readonly isFirst: boolean;
}

/** Machines of a laboratory that change during its test. */
interface Roles {
  /** It comes. */
  readonly later: LabHost;
  /** It leaves. */
  readonly leaving: LabHost;
  /** It gets another address. */
  readonly moving: LabHost;
  /** Nothing may be sent to it. */
  readonly excluded: LabHost;
}

function rolesIn(all: readonly LabHost[]): Roles {
  const taken = new Set<string>();
  const pick = (isFit: (host: LabHost) => boolean): LabHost => {
    const found = all.find((host) => !taken.has(host.machine) && isFit(host)) as LabHost;
    taken.add(found.machine);
    return found;
  };
  const addresses = (machine: string): number => all.filter((one) => one.machine === machine).length;
  return {
    later: pick(() => true),
    leaving: pick(({ subnet }) => subnet === 0),
    excluded: pick(({ subnet }) => subnet === 1),
    moving: pick(
      ({ machine, subnet, ports, mdnsName }) =>
        subnet !== FAR && ports.length === 0 && mdnsName === null && addresses(machine) === 1,
    ),
  };
}

async function scoreOf(seed: number, { stack, pem, senses, isFirst }: Given): Promise<Score> {
  const all = laboratoryOf(seed);
  const roles = rolesIn(all);
  const { later, leaving, excluded, moving } = roles;
  const hosts = all.filter(({ machine }) => machine !== later.machine);
  const laboratory = await buildLaboratory(hosts, pem);
  const ending: (() => Promise<unknown>)[] = [() => laboratory.remove()];
  let agent: RunningAgent | null = null;
  try {
    const { session } = await anAccount(stack.url);
    const uplink = await openUplink(stack.url, laboratory.uplink);
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
    const busiest = await busiestSecond(laboratory, agent.says("Found "));
    const after = await laboratory.sent();
    const job = await collector.done();
    const seconds = (performance.now() - startedAt) / 1_000;
    const stored = await hostsIn(session, network.id);
    const first = compared(
      hosts.filter(({ machine }) => machine !== excluded.machine),
      stored,
    );
    const faults = stored.some(({ interfaces }) => interfaces.some(({ ip_address: ip }) => ip === excluded.ip))
      ? [`${excluded.ip} was looked at`]
      : [];
    const received = await packetsTo(laboratory, excluded);
    if (received > 0) faults.push(`${excluded.ip} is excluded, and was sent ${received} packets`);
    const routers = stored.filter(({ interfaces }) =>
      interfaces.some(({ ip_address: ip }) => [ROUTER, gatewayIn(FAR)].includes(ip)),
    );
    if (routers.length !== 1) faults.push(`the router is ${routers.length} hosts`);
    const movedTo = freeAddressIn(moving.subnet, all);
    const changing = { ...roles, laboratory, session, networkId: network.id, movedTo, all, collector };
    const { cameSeconds, faults: wrong } = await changesSeen(changing);
    faults.push(...wrong);
    const now = all
      .filter(({ machine }) => ![excluded.machine, leaving.machine].includes(machine))
      .map((host) => (host === moving ? { ...host, ip: movedTo } : host));
    const readHosts = (): Promise<StoredHost[]> => hostsIn(session, network.id);
    const compare = async (): Promise<Comparison> => compared(now, await readHosts());
    const last = await compare();
    const joined = [...last.duplicates, ...last.falseJoins];
    if (last.found !== last.machines) joined.push(`${last.found} of ${last.machines} are known`);
    faults.push(...joined.map((fault) => `after changes: ${fault}`));
    const left = { laboratory, uplink, session, collector, networkId: network.id, agent, words, senses };
    if (isFirst) faults.push(...(await collectorFaults({ ...left, compare, readHosts })));
    return {
      ...{ seed, ...first, seconds, cameSeconds, faults, reported: job.bytes },
      packetsPerSecond: busiest,
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

/** Packets that a collector sends in its busiest second, until it has looked around. */
async function busiestSecond(laboratory: Laboratory, looked: Promise<void>): Promise<number> {
  const end = { isReached: false };
  const ending = looked.finally(() => (end.isReached = true));
  let most = 0;
  let before = { ...(await laboratory.sent()), atMs: performance.now() };
  while (!end.isReached) {
    await Promise.race([sleep(1_000), ending]);
    const now = { ...(await laboratory.sent()), atMs: performance.now() };
    // The last part may be too short to say anything.
    const seconds = Math.max(1, (now.atMs - before.atMs) / 1_000);
    most = Math.max(most, (now.packets - before.packets) / seconds);
    before = now;
  }
  await ending;
  return most;
}

interface Changing extends Roles {
  readonly laboratory: Laboratory;
  readonly session: Caller;
  readonly networkId: string;
  readonly movedTo: string;
  readonly all: readonly LabHost[];
  readonly collector: StoredCollector;
}

/** A machine that comes is there after the next look, one that leaves is missed, and one with another address is the same. */
async function changesSeen(changing: Changing): Promise<{ cameSeconds: number; faults: string[] }> {
  const { laboratory, session, networkId, later, leaving, moving, movedTo, all, collector } = changing;
  await laboratory.start(all.filter(({ machine }) => machine === later.machine));
  await laboratory.unplug(leaving.machine);
  await laboratory.renumber(moving, movedTo);
  const startedAt = performance.now();
  await collector.run();
  const withAny = (stored: readonly StoredHost[], ...ips: readonly string[]): StoredHost[] =>
    stored.filter(({ interfaces }) => interfaces.some(({ ip_address: ip }) => ips.includes(ip)));
  const came = withAny(await hostsIn(session, networkId), later.ip);
  const cameSeconds = (performance.now() - startedAt) / 1_000;
  let stored = await hostsIn(session, networkId);
  const left = (): StoredHost | undefined => withAny(stored, leaving.ip)[0];
  for (let looks = 1; looks < MOST_LOOKS && (left()?.missed_since ?? null) === null; looks++) {
    await collector.run();
    stored = await hostsIn(session, networkId);
  }
  const moved = withAny(stored, moving.ip, movedTo);
  const faults = [
    ...(came.length === 0 ? [`${later.machine} came, and was not found`] : []),
    ...((left()?.missed_since ?? null) === null ? [`${leaving.machine} left, and is not missed`] : []),
    ...(moved.length === 1 && withAny(moved, movedTo).length === 1
      ? []
      : [`${moving.machine} has got another address, and is ${moved.map(({ name }) => name).join(" and ")}`]),
    ...stored
      .filter((host) => host !== left() && host.missed_since !== null)
      .map(({ name, missed_since: since }) => `${name} is there, and missed since ${since}`),
  ];
  return { cameSeconds, faults };
}

/** Of the rule that counts them, the first one. */
async function packetsTo(laboratory: Laboratory, host: LabHost): Promise<number> {
  const rules = await laboratory.at(host, "iptables", "-nvxL", "INPUT", "1");
  return Number(rules.trim().split(/\s+/)[0]);
}

function hostsIn(key: Caller, networkId: string): Promise<StoredHost[]> {
  return key.data<StoredHost[]>("get", `/api/v1/hosts?network_id=${networkId}&limit=0`);
}
