/** The processes of the product: their main files and environments. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLoopback } from "@nts/shared/exposure";
import type { Secrets } from "../secrets.js";
import { StartProblem } from "../start-problem.js";
import type { Component } from "./component.js";
import { migrationAt, respondsOk } from "./probes.js";
import type { Tier } from "./run-records.js";

/** The repository folder. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

export type ProcessKind = "gateway" | "identity" | "topology";

/** The URLs of MongoDB, Redis and NATS; each kind of process has its own users. */
export interface ServerUrls {
  /** With the rights of the operator, if the server is our own. */
  readonly mongodb: string;
  /** With the rights of each service; those of `mongodb` if absent. */
  readonly mongodbOf?: Readonly<Record<Exclude<ProcessKind, "gateway">, string>>;
  readonly redis: string;
  readonly nats: Readonly<Record<ProcessKind, string>>;
}

const PROCESSES: Readonly<Record<ProcessKind, { tier: Tier; main: string }>> = {
  gateway: { tier: "gateway", main: "gateway/dist/bundle/main.js" },
  identity: { tier: "service", main: "services/identity/dist/bundle/main.js" },
  topology: { tier: "service", main: "services/topology/dist/bundle/main.js" },
};

/**
 * As in `deploy/Dockerfile`: half of Node's default for new objects, at the same processor time; and buffers freed at
 * once, because Node 20 collects the whole heap when those that another thread has yet to free add up. V8's four threads for
 * compilation and collection would take the processors from the threads that they work for.
 */
const NODE_FLAGS = ["--max-semi-space-size=8", "--no-concurrent-array-buffer-sweeping", "--v8-pool-size=1"];

/**
 * As in `deploy/Dockerfile`: buffers of files go back to the system when they are freed. By default, glibc keeps them as soon as some of
 * that size were freed, and in a heap for each thread.
 */
const MEMORY = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "262144", MALLOC_TRIM_THRESHOLD_: "262144" };

/** Set for every process, so that the caller's values do not leak in. */
const OWN_VARIABLES = new Set([
  ...["HOST", "PORT", "OPS_PORT", "DATA_DIR", "NODE_OPTIONS"],
  ...["GATEWAY_TO_IDENTITY_SECRETS", "GATEWAY_TO_TOPOLOGY_SECRETS", "IDENTITY_TO_TOPOLOGY_SECRETS"],
  "SECOND_FACTOR_SECRETS",
  ...["MONGODB_URL", "MONGODB_DATABASE", "REDIS_URL", "NATS_URL", "IDENTITY_URLS", "TOPOLOGY_URLS"],
]);

/** Ports of a process: `port` for its work, `opsPort` for health and metrics. */
export interface ProcessPorts {
  readonly port: number;
  readonly opsPort: number;
}

/** Settings common to all processes of a system. */
export interface System {
  readonly dataDir: string;
  readonly secrets: Secrets;
  readonly servers: ServerUrls;
  readonly publicUrl: string;
  /** Database names in MongoDB; different for each system on a server. */
  readonly databases: { readonly identity: string; readonly topology: string };
  /** The environment to pass on (settings such as `RATE_LIMIT_PER_MINUTE`); variables set here win. */
  readonly environment: NodeJS.ProcessEnv;
  /** Base URLs of all replicas of the services. */
  readonly identityUrls: readonly string[];
  readonly topologyUrls: readonly string[];
}

/** The base URL of a process on this machine. */
export function urlOf({ port }: ProcessPorts): string {
  return `http://127.0.0.1:${port}`;
}

/** A process of the product; it is ready when its `/readyz` responds with 200. */
export function createProcess(kind: ProcessKind, name: string, ports: ProcessPorts, system: System): Component {
  const { tier, main } = PROCESSES[kind];
  const readyz = `http://127.0.0.1:${ports.opsPort}/readyz`;
  return {
    name,
    tier,
    command: process.execPath,
    // The data folder identifies its processes when looking for leftovers.
    args: [...NODE_FLAGS, join(ROOT, main), `--data-dir=${system.dataDir}`],
    env: { ...handedOn(system.environment), ...environmentOf(kind, ports, system) },
    isReady: () => respondsOk(readyz),
    progress: () => migrationAt(readyz),
  };
}

/** @throws StartProblem with what is not built */
export function requireBuilt(): void {
  const missing = Object.values(PROCESSES).find(({ main }) => !existsSync(join(ROOT, main)));
  if (missing !== undefined) throw new StartProblem(`${missing.main} is missing; build it with: npm run build.`);
}

function environmentOf(kind: ProcessKind, ports: ProcessPorts, system: System): Record<string, string> {
  const { servers } = system;
  const common = {
    ...MEMORY,
    HOST: "127.0.0.1",
    PORT: String(ports.port),
    OPS_PORT: String(ports.opsPort),
    LOG_LEVEL: system.environment["LOG_LEVEL"] ?? "info",
    NATS_URL: servers.nats[kind],
  };
  const { gatewayToIdentity, gatewayToTopology, identityToTopology } = system.secrets.tenancySecrets;
  const secrets = {
    gatewayToIdentity: { GATEWAY_TO_IDENTITY_SECRETS: gatewayToIdentity.join(",") },
    gatewayToTopology: { GATEWAY_TO_TOPOLOGY_SECRETS: gatewayToTopology.join(",") },
    identityToTopology: { IDENTITY_TO_TOPOLOGY_SECRETS: identityToTopology.join(",") },
  };
  const topologyUrls = { TOPOLOGY_URLS: system.topologyUrls.join(",") };
  const publicUrl = { PUBLIC_URL: system.publicUrl };
  switch (kind) {
    case "gateway":
      return {
        ...common,
        ...secrets.gatewayToIdentity,
        ...secrets.gatewayToTopology,
        ...publicUrl,
        ...topologyUrls,
        IDENTITY_URLS: system.identityUrls.join(","),
        REDIS_URL: servers.redis,
      };
    case "identity":
      return {
        ...common,
        ...secrets.gatewayToIdentity,
        ...secrets.identityToTopology,
        SECOND_FACTOR_SECRETS: system.secrets.secondFactorSecret,
        ...publicUrl,
        ...topologyUrls,
        MONGODB_URL: servers.mongodbOf?.identity ?? servers.mongodb,
        MONGODB_DATABASE: system.databases.identity,
        REGISTRATION: registrationOf(system),
      };
    case "topology":
      return {
        ...common,
        ...secrets.gatewayToTopology,
        ...secrets.identityToTopology,
        MONGODB_URL: servers.mongodbOf?.topology ?? servers.mongodb,
        MONGODB_DATABASE: system.databases.topology,
      };
  }
}

/** The processes listen on loopback only; another public URL means that a proxy lets others in. */
function registrationOf({ environment: { REGISTRATION = "" }, publicUrl }: System): string {
  if (REGISTRATION !== "") return REGISTRATION;
  return URL.canParse(publicUrl) && isLoopback(new URL(publicUrl).hostname) ? "open" : "first";
}

function handedOn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !OWN_VARIABLES.has(entry[0]) && !entry[0].startsWith("npm_"),
  );
  return Object.fromEntries(entries);
}
