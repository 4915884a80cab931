/**
 * `npm run long -- switches`: switches made of Linux bridges, with lldpd and snmpd. A collector looks around, and then what each
 * switch and lldpd says is imported as files: the links must be exactly the cables, also after a machine was moved. `LABS=3`
 * networks from the number SEED on; `PICTURE=links.png` takes a picture of the first.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import type { Host, ImportPlan, Link } from "@nts/shared/contract";
import { type Account, aKey, anAccount, type Caller } from "../support/api.js";
import { startChromium } from "../support/chromium.js";
import { succeeds } from "../support/python-tools.js";
import { type Stack, startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { aCollector, openUplink, startAgent } from "./agent-runs.js";
import { buildSwitched, COMMUNITY, type SwitchedLaboratory, UPLINK } from "./switched-laboratory.js";
import { CARD, EYE, hubAt, SUBNET, type Switched, switchedOf, textOf, truthOf } from "./switched-hosts.js";

const TOOLS = ["ip", "bridge", "ping", "unshare", "lldpd", "lldpcli", "snmpd", "snmpwalk"];
const NTS = join(ROOT, "cli/bundle/nts.js");
const VIEW = { width: 1280, height: 800 };
// Fonts and canvases cannot be waited for by name.
const SETTLING_MS = 1_500;

/** Why nothing can be tested here, or null. */
export async function whatIsMissing(): Promise<string | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs Linux, and root for networks";
  for (const tool of TOOLS)
    if (!(await succeeds("sh", ["-c", `command -v ${tool}`]))) return `${tool} is not installed`;
  return null;
}

/** @returns how many networks were drawn as they are, and how many were not */
export async function drawSwitched(): Promise<{ passed: number; failed: number }> {
  const first = Number(process.env["SEED"] ?? 1);
  const count = Number(process.env["LABS"] ?? 3);
  const stack = await startStack({ env: UNLIMITED });
  let failed = 0;
  try {
    for (let seed = first; seed < first + count; seed++) {
      const picture = seed === first ? process.env["PICTURE"] : undefined;
      const faults = await faultsOf(seed, stack, picture).catch((error: unknown) => [(error as Error).message]);
      if (faults.length > 0) failed++;
      console.log(`${faults.length === 0 ? "✓" : "✕"} ${seed}`);
      for (const fault of faults) console.log(`  ${fault}`);
    }
  } finally {
    await stack.stop();
  }
  return { passed: count - failed, failed };
}

async function faultsOf(seed: number, stack: Stack, picture: string | undefined): Promise<string[]> {
  const network = switchedOf(seed);
  const laboratory = await buildSwitched(network);
  const folder = await mkdtemp(join(tmpdir(), "nts-switched-"));
  try {
    const account = await anAccount(stack.url);
    const { session } = account;
    const { id } = await session.data<{ id: string }>("post", "/api/v1/networks", { name: `Switches ${seed}` });
    const collected = await collect({ session, networkId: id, url: stack.url, network, laboratory, folder });
    if (picture !== undefined) await takePicture(stack, account, id, picture);
    const other = await session.data<{ id: string }>("post", "/api/v1/networks", { name: `Files ${seed}` });
    const imported = await importFiles({ account, networkId: other.id, url: stack.url, network, laboratory, folder });
    return [...collected, ...imported];
  } finally {
    await laboratory.remove();
    await rm(folder, { recursive: true });
  }
}

interface Looking {
  readonly networkId: string;
  readonly url: string;
  readonly network: Switched;
  readonly laboratory: SwitchedLaboratory;
  readonly folder: string;
}

/** Three looks: the first one finds the links, the second changes nothing, and the third one follows a machine to another port. */
async function collect({
  session,
  networkId,
  url,
  network,
  laboratory,
  folder,
}: Looking & { readonly session: Caller }): Promise<string[]> {
  const senses = join(folder, "senses.json");
  await writeFile(senses, JSON.stringify({ snmp: { communities: [COMMUNITY] } }), { mode: 0o600 });
  const uplink = await openUplink(url, UPLINK);
  const collector = await aCollector(session, {
    ...{ network_id: networkId, name: "Eye", packets_per_second: 500 },
    targets: { cidrs: [SUBNET], exclude: [] },
  });
  const words = ["--state", collector.folder, "--settings", senses, "--server", uplink.url, "--token", collector.token];
  const agent = startAgent(laboratory, "eye", words);
  try {
    await collector.done();
    const faults = await differences("the first look", session, networkId, network);
    const before = await linksIn(session, networkId);
    await collector.run();
    const again = await linksIn(session, networkId);
    if (JSON.stringify(before) !== JSON.stringify(again)) faults.push("the second look has changed links");
    const moved = movedIn(network);
    await laboratory.move(moved.name, moved.to);
    await collector.run();
    return [...faults, ...(await differences("a machine was moved", session, networkId, moved.network))];
  } catch (error) {
    console.error(agent.said());
    throw error;
  } finally {
    await agent.end("SIGKILL");
    await collector.remove();
    await uplink.close();
  }
}

/** A machine that does not speak LLDP, and a port of the last switch to which it goes. */
function movedIn(network: Switched): { name: string; to: { name: string; port: string }; network: Switched } {
  const cable = network.cables.find(({ to }) => to.length === 1 && to[0]?.port === null);
  const name = cable?.to[0]?.name ?? "";
  const to = { name: network.switches.at(-1)?.name ?? "", port: "port99" };
  const cables = network.cables.map((one) => (one === cable ? { ...one, at: to } : one));
  return { name, to, network: { ...network, cables } };
}

/** What people do without a collector: files of all devices, imported together. */
async function importFiles({
  account,
  networkId,
  url,
  network,
  laboratory,
  folder,
}: Looking & { readonly account: Account }): Promise<string[]> {
  const files: string[] = [];
  const keep = async (name: string, text: string): Promise<void> => {
    const path = join(folder, name);
    await writeFile(path, text);
    files.push(path);
  };
  for (const { name, ip } of network.switches)
    await keep(`${name}.txt`, await laboratory.at(EYE, "snmpwalk", "-On", "-v2c", "-c", COMMUNITY, ip, ".1"));
  for (const { name } of network.machines.filter(({ isHeard }) => isHeard))
    await keep(
      `${name}.json`,
      await laboratory.at(name, "sh", "-c", "lldpcli -f json0 show chassis; lldpctl -f json0"),
    );
  const { secret } = await aKey(url, account, { permissions: "Member", network_ids: [networkId] });
  const env = { NTS_URL: url, NTS_API_KEY: secret };
  const importing = async (...paths: readonly string[]): Promise<ImportPlan> => {
    const words = ["import", ...paths, "--network", networkId, "--yes", "-o", "json"];
    return JSON.parse((await execa(process.execPath, [NTS, ...words], { env })).stdout) as ImportPlan;
  };
  // Addresses of machines that say nothing themselves.
  const known = join(folder, "neighbours.json");
  await writeFile(known, await laboratory.at(EYE, "ip", "-j", "neigh", "show", "dev", CARD));
  await importing(known);
  const { skipped } = await importing(...files);
  for (const { what, reason } of skipped) console.log(`  files: skipped ${what}: ${reason}`);
  return differences("files", account.session, networkId, movedIn(network).network);
}

function linksIn(session: Caller, networkId: string): Promise<Link[]> {
  return session.data("get", `/api/v1/links?network_id=${networkId}&limit=0&order_by=created_at`);
}

/** What is there and not drawn, and what is drawn and not there. */
async function differences(when: string, session: Caller, networkId: string, network: Switched): Promise<string[]> {
  const hosts = await session.data<Host[]>("get", `/api/v1/hosts?network_id=${networkId}&limit=0`);
  const links = await linksIn(session, networkId);
  const machineAt = new Map([...network.switches, ...network.machines].map(({ ip, name }) => [ip, name]));
  const machineWith = new Map(
    [...network.switches, ...network.machines].map(({ mac, name }) => [mac.toUpperCase(), name]),
  );
  const names = new Map(hosts.map((host) => [host.id, nameOf(host)]));
  function nameOf({ name, interfaces }: Host): string {
    const known = interfaces.flatMap(
      ({ ip_address: ip, mac_address: mac }) => machineAt.get(ip) ?? machineWith.get(mac ?? "") ?? [],
    );
    return known[0] ?? name;
  }
  const hubs = new Map(
    links.flatMap(({ ends }) => {
      const hub = ends.find(({ host_id }) => hosts.find(({ id }) => id === host_id)?.attributes["unmanaged"] === true);
      const upper = ends.find((end) => end !== hub && end.port !== null);
      return hub === undefined || upper === undefined
        ? []
        : [[hub.host_id, hubAt({ name: names.get(upper.host_id) ?? "", port: upper.port ?? "" })] as const];
    }),
  );
  const drawn = links
    .map(({ ends }) =>
      textOf(...ends.map(({ host_id, port }) => ({ name: hubs.get(host_id) ?? names.get(host_id) ?? "?", port }))),
    )
    .sort();
  const truth = truthOf(network);
  const missing = truth.filter((one) => !drawn.includes(one));
  const wrong = drawn.filter((one) => !truth.includes(one));
  console.log(`  ${when}: ${truth.length - missing.length} of ${truth.length} links, ${wrong.length} others`);
  return [
    ...missing.map((one) => `${when}: ${one} is missing`),
    ...wrong.map((one) => `${when}: ${one} is not there`),
    ...(drawn.length === new Set(drawn).size ? [] : [`${when}: some links are drawn twice`]),
  ];
}

async function takePicture(stack: Stack, { cookie }: Account, networkId: string, path: string): Promise<void> {
  const browser = await startChromium();
  try {
    const context = await browser.newContext({ baseURL: stack.url, viewport: VIEW, reducedMotion: "reduce" });
    await context.addCookies([{ name: "session_id", value: cookie.replace("session_id=", ""), url: stack.url }]);
    const page = await context.newPage();
    await page.goto(`/topology?view=links&network=${networkId}`);
    await page.locator("canvas").first().waitFor();
    await page.waitForTimeout(SETTLING_MS);
    await page.screenshot({ path, animations: "disabled" });
    console.log(`  ${path}`);
  } finally {
    await browser.close();
  }
}
