/**
 * The real system: servers and one process per gateway and service, with ports and a data folder of its own. The test
 * run shares MongoDB, which is slow to start, with separate databases; use `ownMongod` to break it.
 */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Component, runFolderOf } from "@nts/local/processes/component";
import { freePorts } from "@nts/local/processes/ports";
import {
  createProcess,
  type ProcessKind,
  type ProcessPorts,
  type ServerUrls,
  type System,
  urlOf,
} from "@nts/local/processes/system";
import { stopLeftovers } from "@nts/local/processes/run-records";
import { createSecrets, type TenancySecrets } from "@nts/local/secrets";
import { natsUrlsOf, prepareServer, type ServerKind } from "@nts/local/servers/servers";
import { type Handle, startHandle } from "./handle.js";
import { acquireDatabaseName, createOwnClient, releaseDatabase } from "./prepared-databases.js";

export type { Handle } from "./handle.js";

const CHEAP_PASSWORDS = new URL("../../suites/cheap-passwords.mjs", import.meta.url).href;

/** Arguments of Node.js with which processes of identity hash passwords cheaply; none outside of a test run. */
export function cheapPasswords(): string[] {
  return process.env["NTS_CHEAP_PASSWORDS"] === "yes" ? [`--import=${CHEAP_PASSWORDS}`] : [];
}

/** A gateway or service under test; `url` is its own base URL, `opsUrl` that of its health and metrics. */
export interface ProcessHandle extends Handle {
  readonly url: string;
  readonly opsUrl: string;
}

/** A process of a whole system. */
export interface StackProcess extends ProcessHandle {
  /** Starts it again after `stop`, as a process of another build. */
  restartAs(build: Pick<StackOptions, "createProcess">): Promise<void>;
}

/** A server under test. */
export interface ServerHandle extends Handle {
  readonly url: string;
}

/** The servers of one suite. `mongodb` is null when the test run shares it. */
export interface Servers {
  readonly dataDir: string;
  readonly urls: ServerUrls;
  /** Redis' operator, who may run every command. */
  readonly redisOperatorUrl: string;
  /** The users of the services, whose databases have other names here; null when the test run shares MongoDB. */
  readonly mongodbOf: ServerUrls["mongodbOf"] | null;
  readonly mongodb: ServerHandle | null;
  readonly redis: ServerHandle;
  readonly nats: ServerHandle;
  stop(): Promise<void>;
}

export interface Stack {
  readonly dataDir: string;
  readonly servers: Servers;
  readonly gateways: readonly StackProcess[];
  readonly identities: readonly StackProcess[];
  readonly topologies: readonly StackProcess[];
  /** The names of the databases, to inspect them directly. */
  readonly databases: System["databases"];
  /** The secrets with which processes sign the tenancy header. */
  readonly tenancySecrets: TenancySecrets;
  /** The base URL of the first gateway. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface StackOptions {
  readonly gateways?: number;
  readonly identities?: number;
  readonly topologies?: number;
  /** Creates the processes; those of this build by default. */
  readonly createProcess?: typeof createProcess;
  /** Further settings of the processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Passwords are hashed as in production, at 50 ms of a processor each, also in a test run. */
  readonly costlyPasswords?: boolean;
  /** A MongoDB of its own (2 s more), for suites that break it. */
  readonly ownMongod?: boolean;
  /** Instead of empty databases of the shared MongoDB; they are the caller's. */
  readonly databases?: System["databases"];
}

/** Starts Redis and NATS, and MongoDB when requested or not shared; stop them with `stop`. */
export async function startServers(options: Pick<StackOptions, "ownMongod"> = {}): Promise<Servers> {
  const dataDir = await newDataDir();
  const secrets = createSecrets();
  const shared = options.ownMongod === true ? undefined : process.env["MONGODB_URL"];
  const start = async (kind: ServerKind) => {
    const { component, ...own } = await prepareServer(kind, { dataDir, secrets, report: () => undefined });
    return { ...(await startHandle(component, dataDir)), ...own };
  };
  const [mongodb, redis, nats] = await orStopAll(
    dataDir,
    Promise.all([shared === undefined ? start("mongodb") : null, start("redis"), start("nats")]),
  );
  return {
    dataDir,
    urls: { mongodb: mongodb?.url ?? shared ?? "", redis: redis.url, nats: natsUrlsOf(nats) },
    redisOperatorUrl: redis.operatorUrl ?? redis.url,
    mongodbOf: mongodb?.serviceUrls ?? null,
    mongodb,
    redis,
    nats,
    async stop() {
      await Promise.all([mongodb?.stop(), redis.stop(), nats.stop()]);
      await removeData(dataDir);
    },
  };
}

/** Starts a whole system, by default one process of each kind, and waits until all of it is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { gateways = 1, identities = 1, topologies = 1 } = options;
  const servers = await startServers(options);
  const { dataDir } = servers;
  const ports = {
    gateway: await portsFor(gateways),
    identity: await portsFor(identities),
    topology: await portsFor(topologies),
  };
  const isShared = servers.mongodb === null;
  const suffix = randomBytes(6).toString("hex");
  const secrets = createSecrets();
  const system: System = {
    dataDir,
    secrets,
    servers: servers.urls,
    publicUrl: ports.gateway[0] === undefined ? "http://127.0.0.1" : urlOf(ports.gateway[0]),
    databases:
      options.databases ??
      (isShared
        ? { identity: acquireDatabaseName("identity"), topology: acquireDatabaseName("topology") }
        : { identity: `identity_${suffix}`, topology: `topology_${suffix}` }),
    environment: {
      ...{ PATH: process.env["PATH"], LOG_LEVEL: "info" },
      ...{ REGISTRATION: "open", VERIFIED_OWNERS: "no", REGISTRATIONS_PER_SITE: "1000000" },
      ...options.env,
    },
    identityUrls: ports.identity.map(urlOf),
    topologyUrls: ports.topology.map(urlOf),
  };
  const startAll = (kind: ProcessKind): Promise<StackProcess[]> =>
    Promise.all(
      ports[kind].map(async (own, index) => {
        const made = ({ createProcess: create = createProcess }: Pick<StackOptions, "createProcess">): Component => {
          const component = create(kind, `${kind}-${index + 1}`, own, system);
          const isCheap = kind === "identity" && options.costlyPasswords !== true;
          return isCheap ? { ...component, args: [...cheapPasswords(), ...component.args] } : component;
        };
        const handle = await startHandle(made(options), dataDir);
        return {
          ...{ ...handle, url: urlOf(own), opsUrl: `http://127.0.0.1:${own.opsPort}` },
          restartAs: (build) => handle.restart(made(build)),
        };
      }),
    );
  const services = Promise.all([startAll("identity"), startAll("topology")]);
  const [identityHandles, topologyHandles] = await orStopAll(dataDir, services);
  const gatewayHandles = await orStopAll(dataDir, startAll("gateway"));

  return {
    dataDir,
    servers,
    gateways: gatewayHandles,
    identities: identityHandles,
    topologies: topologyHandles,
    databases: system.databases,
    tenancySecrets: secrets.tenancySecrets,
    url: system.publicUrl,
    async stop() {
      await Promise.all(gatewayHandles.map((handle) => handle.stop()));
      await Promise.all([...identityHandles, ...topologyHandles].map((handle) => handle.stop()));
      if (isShared && options.databases === undefined) await releaseDatabases(servers.urls.mongodb, system.databases);
      await servers.stop();
    },
  };
}

/** Waits for a start; when it fails, everything on the data folder is stopped before the error is thrown. */
async function orStopAll<T>(dataDir: string, start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    await stopLeftovers(runFolderOf(dataDir));
    throw error;
  }
}

async function portsFor(count: number): Promise<ProcessPorts[]> {
  const free = await freePorts(2 * count);
  return Array.from({ length: count }, (_, index) => ({
    port: free[2 * index] ?? 0,
    opsPort: free[2 * index + 1] ?? 0,
  }));
}

/**
 * Inside the folder of the test run when there is one: the run keeps it when something fails, and removes it otherwise.
 */
async function newDataDir(): Promise<string> {
  const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
  await mkdir(base, { recursive: true });
  return mkdtemp(join(base, "stack-"));
}

/** The data is useless once the servers are stopped; the logs are not. */
async function removeData(dataDir: string): Promise<void> {
  for (const folder of ["mongodb", "redis", "nats", "run"]) {
    await rm(join(dataDir, folder), { recursive: true, force: true });
  }
}

async function releaseDatabases(url: string, { identity, topology }: System["databases"]): Promise<void> {
  const client = createOwnClient(url);
  try {
    await releaseDatabase(client.db(identity), "identity");
    await releaseDatabase(client.db(topology), "topology");
  } finally {
    await client.close();
  }
}
