import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./processes/system.js";
import type { ServerKind } from "./servers/servers.js";
import { StartProblem } from "./start-problem.js";

/** Number of processes of each kind. */
export interface Replicas {
  readonly gateway: number;
  readonly identity: number;
  readonly topology: number;
}

/** Settings of `npm start`. */
export interface Settings {
  readonly demo: boolean;
  readonly replicas: Replicas;
  /** Port of the first gateway; the others follow. */
  readonly port: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Running servers. */
  readonly given: Partial<Readonly<Record<ServerKind, string>>>;
}

const DEFAULT_PORT = 8080;
const HIGHEST_PORT = 65_535;
const MOST_REPLICAS = 16;

/**
 * Parses arguments and environment. `npm start --demo`, without the second `--`, arrives as an npm variable and means
 * the same.
 *
 * @throws StartProblem with the invalid option or variable
 */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const options = readOptions(args, env);
  const replicas = readReplicas(options.replicas);
  return {
    demo: options.demo,
    replicas,
    port: readPort(env["PORT"], replicas.gateway),
    dataDir: isSet(env["DATA_DIR"]) ? resolve(env["DATA_DIR"]) : resolve(ROOT, ".local"),
    given: {
      ...(isSet(env["MONGODB_URL"]) && { mongodb: env["MONGODB_URL"] }),
      ...(isSet(env["REDIS_URL"]) && { redis: env["REDIS_URL"] }),
      ...(isSet(env["NATS_URL"]) && { nats: env["NATS_URL"] }),
    },
  };
}

function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): { demo: boolean; replicas: string } {
  const fromNpm = { demo: env["npm_config_demo"] === "true", replicas: env["npm_config_replicas"] ?? "" };
  // npm consumes `--replicas`, but leaves its value as a word if they are separate
  const isValueLeft = fromNpm.replicas === "true" && args.length === 1 && !args[0]?.startsWith("-");
  if (isValueLeft) return { ...fromNpm, replicas: args[0] ?? "" };
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { demo: { type: "boolean" }, replicas: { type: "string" } },
    });
    return { ...fromNpm, ...values };
  } catch (error) {
    const [reason] = (error as Error).message.split(/[.\n]/);
    throw new StartProblem(`${reason ?? "The options cannot be read"}; npm start -- --help lists the options.`);
  }
}

function readReplicas(text: string): Replicas {
  const replicas = { gateway: 1, identity: 1, topology: 1 };
  for (const part of text.split(",").filter((word) => word.trim() !== "")) {
    const [kind = "", count = ""] = part.split("=").map((word) => word.trim());
    const number = Number(count);
    if (!(kind in replicas) || !/^\d+$/.test(count) || number < 1 || number > MOST_REPLICAS) {
      throw new StartProblem(
        `--replicas does not understand "${part}"; write for example --replicas gateway=2,topology=2,identity=2, with 1 to ${MOST_REPLICAS} of each.`,
      );
    }
    replicas[kind as keyof Replicas] = number;
  }
  return replicas;
}

function readPort(text: string | undefined, gateways: number): number {
  const port = isSet(text) ? Number(text) : DEFAULT_PORT;
  if (!Number.isInteger(port) || port < 1 || port + gateways - 1 > HIGHEST_PORT) {
    throw new StartProblem(`PORT is "${text ?? ""}", but must be a number from 1 to ${HIGHEST_PORT - gateways + 1}.`);
  }
  return port;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
