/** The whole system in containers, as docker-compose.yml describes it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { freePorts } from "@nts/local/processes/ports";
import { ROOT } from "@nts/local/processes/system";
import { until } from "./until.js";

const DEPLOY = join(ROOT, "deploy");

export interface ContainerSystem {
  readonly url: string;
  /** The secrets made by init-secrets, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Changes settings of what is started from now on. */
  change(settings: Readonly<Record<string, string>>): void;
  /** Runs Compose on the system. @returns what it printed */
  compose(...args: readonly string[]): Promise<string>;
  /** Runs one of the scripts of `deploy`. */
  script(name: "backup" | "restore" | "roll", args: readonly string[]): Promise<Ended>;
  /** The ids of the containers of a service. */
  containersOf(service: string): Promise<string[]>;
  /** Waits until the API answers. */
  untilServing(): Promise<void>;
  /** Stops and removes everything, including data. */
  remove(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
}

/** Starts a new system, with secrets and a port of its own. The images must have been built. */
export async function startContainerSystem(
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ContainerSystem> {
  const folder = await mkdtemp(join(tmpdir(), "containers-"));
  const [port = 0] = await freePorts(1);
  const file = join(folder, "env");
  await execa(join(DEPLOY, "init-secrets"), [file]);
  const made = valuesIn(await readFile(file, "utf8"));
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...made,
    ...settings,
    COMPOSE_PROJECT_NAME: `${name}-${process.pid}`,
    PUBLISH: `127.0.0.1:${port}`,
    PUBLIC_URL: url,
    INSECURE_HTTP: "yes",
    REGISTRATION: "open",
    VERSION: "test",
    MONGODB_CACHE_GB: "0.25",
  };

  const run = async (command: string, args: readonly string[]): Promise<Ended> => {
    const { exitCode, all } = await execa(command, args, {
      env,
      all: true,
      reject: false,
      stdin: "ignore",
    });
    return { exitCode: exitCode ?? -1, output: all };
  };
  const compose = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, output } = await run(join(DEPLOY, "compose"), args);
    if (exitCode !== 0) throw new Error(`compose ${args.join(" ")} ended with ${exitCode}:\n${output}`);
    return output;
  };
  const system: ContainerSystem = {
    url,
    secrets: made,
    change: (changed) => Object.assign(env, changed),
    compose,
    script: (script, args) => run(join(DEPLOY, script), args),
    containersOf: async (service) => (await compose("ps", "-q", service)).split("\n").filter((id) => id !== ""),
    untilServing: () =>
      until(async () => (await fetch(`${url}/api/health`).catch(() => null))?.ok === true, 200, 60_000),
    remove: async () => {
      await compose("down", "--volumes", "--remove-orphans", "--timeout", "5");
      await rm(folder, { recursive: true });
    },
  };
  try {
    await compose("up", "--detach");
    await system.untilServing();
  } catch (error) {
    const logs = await run(join(DEPLOY, "compose"), ["logs", "--tail", "40"]);
    await system.remove();
    throw new Error(`The system did not start:\n${logs.output}`, { cause: error });
  }
  return system;
}

/** Builds the images that all systems of a test run use. */
export async function buildImages(env: Readonly<Record<string, string>>): Promise<void> {
  for (const [image, folder] of [
    ["gateway", "gateway"],
    ["identity", "services/identity"],
    ["topology", "services/topology"],
    ["archive", "deploy/archive"],
  ] as const) {
    const options = ["--file", join(DEPLOY, "Dockerfile"), "--tag", `network-topology/${image}:test`];
    const built = ["--build-arg", `PROCESS=${folder}`, "--build-arg", `NODE_IMAGE=${env["NODE_IMAGE"] ?? ""}`];
    await execa("docker", ["build", "--quiet", ...options, ...built, ROOT], { stdin: "ignore" });
  }
}

function valuesIn(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/^([A-Z][A-Z_]+)=(.+)$/gm)) values[name] = value;
  return values;
}
