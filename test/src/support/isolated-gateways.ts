/** Gateways as real processes, with a real Redis and NATS, between a test and its {@link ServiceStub}. */
import { connect } from "node:net";
import { createProcess, type System, urlOf } from "@nts/local/processes/system";
import { freePorts } from "@nts/local/processes/ports";
import { createSecrets, type TenancySecrets } from "@nts/local/secrets";
import { startHandle } from "./handle.js";
import { type ServiceStub, startServiceStub } from "./service-stub.js";
import { type ProcessHandle, type Servers, startServers } from "./stack.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";

export interface IsolatedGateways {
  readonly servers: Servers;
  readonly stub: ServiceStub;
  /** Null unless requested. */
  readonly redisNetwork: TcpProxy | null;
  readonly gateways: readonly ProcessHandle[];
  /** The secrets with which the gateways sign the tenancy header. */
  readonly tenancySecrets: TenancySecrets;
  /** The base URL of the first gateway. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface IsolatedGatewaysOptions {
  readonly gateways?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The public URL of the gateways; an https address when absent. */
  readonly publicUrl?: string;
  /** Base URLs of the replicas of topology; the stub when absent. */
  readonly topologies?: readonly string[];
  /** Base URLs of further replicas of topology, in addition to the stub. */
  readonly otherTopologies?: readonly string[];
  /** Base URLs of further replicas of identity, in addition to the stub. */
  readonly otherIdentities?: readonly string[];
  /** The gateways reach Redis over a network that the test can disturb. */
  readonly redisNetwork?: boolean;
}

/** Starts them and waits until they are ready. */
export async function startIsolatedGateways(options: IsolatedGatewaysOptions = {}): Promise<IsolatedGateways> {
  const { gateways = 1, env = {}, otherTopologies = [], otherIdentities = [] } = options;
  const servers = await startServers();
  const stub = await startServiceStub(gateways);
  const redisUrl = new URL(servers.urls.redis);
  const redisNetwork = options.redisNetwork === true ? await startTcpProxy(Number(redisUrl.port)) : null;
  if (redisNetwork !== null) redisUrl.port = String(redisNetwork.port);
  const ports = await freePorts(2 * gateways);
  const system: System = {
    dataDir: servers.dataDir,
    secrets: createSecrets(),
    servers: { ...servers.urls, redis: redisUrl.href },
    publicUrl: options.publicUrl ?? "https://topology.example.com",
    databases: { identity: "unused", topology: "unused" },
    environment: { PATH: process.env["PATH"], ...env },
    identityUrls: [stub.url, ...otherIdentities],
    topologyUrls: options.topologies ?? [stub.url, ...otherTopologies],
  };
  const handles = await Promise.all(
    Array.from({ length: gateways }, async (_, index) => {
      const own = { port: ports[2 * index] ?? 0, opsPort: ports[2 * index + 1] ?? 0 };
      const handle = await startHandle(createProcess("gateway", `gateway-${index + 1}`, own, system), servers.dataDir);
      return { ...handle, url: urlOf(own), opsUrl: `http://127.0.0.1:${own.opsPort}` };
    }),
  );
  return {
    servers,
    stub,
    redisNetwork,
    gateways: handles,
    tenancySecrets: system.secrets.tenancySecrets,
    url: handles[0]?.url ?? "",
    async stop() {
      await Promise.all(handles.map((handle) => handle.stop()));
      await stub.stop();
      await redisNetwork?.stop();
      await servers.stop();
    },
  };
}

const FIRST_BYTE_MS = 5_000;

/** Sends bytes and returns what is received until the peer closes, or is silent for `quietMs`. */
export async function exchangeBytes(url: string, bytes: string, quietMs = 500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    const end = (): void => {
      socket.destroy();
      resolve(received);
    };
    // A busy machine may take long for the first byte.
    socket.setEncoding("latin1").setTimeout(Math.max(quietMs, FIRST_BYTE_MS), end);
    socket.on("data", (text: string) => {
      socket.setTimeout(quietMs);
      received += text;
    });
    socket.once("error", end).once("close", end);
  });
}

export { metricOf } from "./metrics.js";
