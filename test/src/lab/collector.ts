/**
 * `npm run long -- collector`: from an empty system to the picture of a lab, by one container with one key; and the same image as a
 * collector with a token.
 */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { type Account, aKey, anAccount } from "../support/api.js";
import { imageOf, startEngine } from "../support/container-engine.js";
import { startStack } from "../support/stack.js";
import { until } from "../support/until.js";
import { aCollector } from "./agent-runs.js";
import { buildOfContainers } from "./containers.js";
import { DOCK, NETWORK } from "./machines.js";

const MAX_SECONDS = 60;
/** Maximum size of the compressed image, as registries store it. */
const MAX_MEGABYTES = 80;
const IMAGE = "network-topology-test/collector";
const PLACE = ["--network", "host", "--pid", "host", "--volume", "/var/run/docker.sock:/var/run/docker.sock:ro"];

/** Whether the lab was in the picture in time; without Docker it reports that nothing was tried. */
export async function collectInLab(): Promise<boolean> {
  const engine = await startEngine(process.env);
  if (engine === null) {
    console.error("SKIPPED, nothing was tested: no Docker engine answers.");
    return true;
  }
  const folder = await mkdtemp(join(tmpdir(), "nts-collector-"));
  try {
    const isSmall = await buildImage(folder);
    const lab = await buildOfContainers(await imageOf("NODE_IMAGE", process.env));
    const stack = await startStack();
    try {
      const account = await anAccount(stack.url);
      const isCollected = await collect(stack.url, account, folder);
      return (await lookAround(stack.url, account, folder)) && isCollected && isSmall;
    } finally {
      await stack.stop();
      await lab.remove();
    }
  } finally {
    await rm(folder, { recursive: true });
    await engine.stop();
  }
}

/** @returns false when it is too large */
async function buildImage(folder: string): Promise<boolean> {
  const { stdout: packed } = await execa(
    "npm",
    ["pack", "--ignore-scripts=false", "--workspace", "cli", "--silent", "--pack-destination", folder],
    { cwd: ROOT },
  );
  await copyFile(join(ROOT, "deploy/collector/Dockerfile"), join(folder, "Dockerfile"));
  const base = await imageOf("NODE_IMAGE", process.env);
  await execa("docker", ["build", "--quiet", "--tag", IMAGE, "--build-arg", `NODE_IMAGE=${base}`, folder]);
  const { stdout: stored } = await execa("docker", ["image", "inspect", "--format", "{{.Size}}", IMAGE]);
  const { stdout: fetched } = await execa("sh", ["-c", `docker save ${IMAGE} | gzip | wc -c`]);
  const [onDisk, compressed] = [stored, fetched].map((bytes) => Math.round(Number(bytes) / 1e6));
  const name = packed.trim().split("\n").at(-1);
  console.log(`${name} with the Node of ${base}: ${compressed} MB compressed, ${onDisk} MB on the disk`);
  return Number(fetched) / 1e6 < MAX_MEGABYTES;
}

async function collect(url: string, account: Account, folder: string): Promise<boolean> {
  const startedAt = performance.now();
  const { id } = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Lab" });
  const { secret } = await aKey(url, account, { permissions: "Member", network_ids: [id] });
  const settings = join(folder, "collector.env");
  await writeFile(settings, `NTS_URL=${url}\nNTS_API_KEY=${secret}\n`, { mode: 0o600 });
  const name = `nts-lab-${process.pid}-collector`;
  await execa("docker", ["run", "--detach", "--name", name, ...PLACE, "--env-file", settings, IMAGE]);
  try {
    await until(() => isInPicture(account, id), 250, MAX_SECONDS * 1_000);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(`From nothing to the picture: ${seconds.toFixed(1)} s of ${MAX_SECONDS}`);
    return seconds < MAX_SECONDS;
  } finally {
    console.log((await execa("docker", ["logs", name], { all: true, reject: false })).all);
    await execa("docker", ["rm", "--force", name], { reject: false });
  }
}

/** Whether `nts agent` in the image looks around, and goes on with its key when its container is started again. */
async function lookAround(url: string, { session }: Account, folder: string): Promise<boolean> {
  const { id } = await session.data<{ id: string }>("post", "/api/v1/networks", { name: "Agent" });
  const targets = { cidrs: [NETWORK], exclude: [] };
  const collector = await aCollector(session, { network_id: id, name: "Agent", targets, packets_per_second: 500 });
  const settings = join(folder, "agent.env");
  await writeFile(settings, `NTS_URL=${url}\nNTS_AGENT_TOKEN=${collector.token}\n`, { mode: 0o600 });
  const name = `nts-lab-${process.pid}-agent`;
  const own = ["--volume", `${name}:/var/lib/nts-agent`];
  await execa("docker", ["run", "--detach", "--name", name, ...PLACE, ...own, "--env-file", settings, IMAGE, "agent"]);
  try {
    await collector.done();
    await execa("docker", ["restart", name]);
    const { covered } = await collector.run();
    const hosts = await session.data<object[]>("get", `/api/v1/hosts?network_id=${id}&q=${DOCK.ip}`);
    console.log(`The agent in the image has covered ${covered.join()}, also after its container was started again`);
    return covered.length > 0 && hosts.length === 1;
  } finally {
    console.log((await execa("docker", ["logs", name], { all: true, reject: false })).all);
    await execa("docker", ["rm", "--force", name], { reject: false });
    await execa("docker", ["volume", "rm", name], { reject: false });
    await collector.remove();
  }
}

/**
 * Whether the machine of the lab is a node, and so is the container whose port it publishes. Retries on a busy system.
 */
async function isInPicture({ session }: Account, network: string): Promise<boolean> {
  const idsOf = async (path: string): Promise<string[]> => {
    const { status, body } = await session.send("get", path);
    return status === 200 ? (body as unknown as { data: { id: string }[] }).data.map(({ id }) => id) : [];
  };
  const hosts = await idsOf(`/api/v1/hosts?network_id=${network}&q=${DOCK.ip}`);
  const services = await idsOf(`/api/v1/services?network_id=${network}&q=:${DOCK.port}`);
  const { status, body } = await session.send("get", `/api/v1/topology?network_id=${network}`);
  const nodes = status === 200 ? JSON.stringify((body as unknown as { data: { nodes: object[] } }).data.nodes) : "";
  return [hosts, services].every(([first]) => first !== undefined && nodes.includes(first));
}
