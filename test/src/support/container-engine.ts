/** A Docker engine for tests, and the images of a system in containers. */
import { execa } from "execa";
import { succeeds } from "./python-tools.js";

/** A Docker engine that answers. */
export interface RunningEngine {
  /** Stops the engine if the tests started it. */
  stop(): Promise<void>;
}

/** What a test run needs to start systems in containers. */
export interface ContainerEngine extends RunningEngine {
  /** Names of images, as settings of docker-compose.yml. */
  readonly images: Readonly<Record<string, string>>;
}

// The first of each is that of docker-compose.yml, the others are fallbacks with the same server.
const IMAGES: Readonly<Record<string, readonly string[]>> = {
  NODE_IMAGE: ["node:24-bookworm-slim"],
  MONGO_IMAGE: ["mongo:8.0", "mongo:7.0", "mongo:6.0"],
  REDIS_IMAGE: ["redis:7-bookworm"],
  NATS_IMAGE: ["nats:2-alpine", "nats:2-bookworm"],
  EDGE_IMAGE: ["haproxy:3.2", "network-topology-test/haproxy"],
};

const DEBIAN_HAPROXY = `FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/*
USER haproxy
`;

/**
 * The running engine, or one that the command CONTAINER_LAB starts with `up` and stops with `down`. @returns null when
 * there is none
 */
export async function startEngine(env: NodeJS.ProcessEnv): Promise<RunningEngine | null> {
  const isRunning = () => succeeds("docker", ["info"]);
  const lab = env["CONTAINER_LAB"] ?? "";
  const isOurs = !(await isRunning()) && lab !== "";
  if (isOurs) await execa(lab, ["up"], { stdio: ["ignore", "inherit", "inherit"] });
  if (!(await isRunning())) return null;
  return {
    stop: async () => {
      if (isOurs) await execa(lab, ["down"], { stdio: ["ignore", "inherit", "inherit"] });
    },
  };
}

/** The same with the images of a system, and without leftovers of a killed run. */
export async function prepareEngine(env: NodeJS.ProcessEnv): Promise<ContainerEngine | null> {
  const engine = await startEngine(env);
  if (engine === null) return null;
  await removeLeftovers();
  const images: Record<string, string> = {};
  for (const setting of Object.keys(IMAGES)) images[setting] = await imageOf(setting, env);
  return { ...engine, images };
}

/** The image set for docker-compose.yml, otherwise one that is local or can be pulled. */
export async function imageOf(setting: string, env: NodeJS.ProcessEnv): Promise<string> {
  return env[setting] ?? (await firstOf(IMAGES[setting] ?? []));
}

/** The first image that is local or can be pulled. */
async function firstOf(names: readonly string[]): Promise<string> {
  for (const name of names) {
    if (await succeeds("docker", ["image", "inspect", name])) return name;
    if (name.startsWith("network-topology-test/")) {
      await execa("docker", ["build", "--quiet", "--tag", name, "-"], { input: DEBIAN_HAPROXY });
      return name;
    }
    if (await succeeds("docker", ["pull", "--quiet", name])) return name;
  }
  throw new Error(`None of these images is available: ${names.join(", ")}.`);
}

/** Leftovers of killed test runs: systems are named after the process that started them. */
async function removeLeftovers(): Promise<void> {
  const project = "com.docker.compose.project";
  for (const [kind, remove] of [
    ["container", ["rm", "--force", "--volumes"]],
    ["network", ["rm"]],
    ["volume", ["rm"]],
  ] as const) {
    const every = kind === "container" ? ["--all"] : [];
    const name = kind === "volume" ? "{{.Name}}" : "{{.ID}}";
    const format = `${name} {{.Label "${project}"}}`;
    const { stdout } = await execa("docker", [
      kind,
      "ls",
      ...every,
      "--filter",
      `label=${project}`,
      "--format",
      format,
    ]);
    const dead = stdout.split("\n").flatMap((line) => {
      const [, id = "", pid] = /^(\S+) nts-test\S*-(\d+)$/.exec(line) ?? [];
      return pid !== undefined && !isAlive(Number(pid)) ? [id] : [];
    });
    if (dead.length > 0) await execa("docker", [kind, ...remove, ...dead]);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
