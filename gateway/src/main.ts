import { createBus } from "@nts/shared/bus/bus";
import { addBusMetrics } from "@nts/shared/bus/bus-metrics";
import { readConfig } from "@nts/shared/config";
import { httpWarning } from "@nts/shared/exposure";
import { createOperationsApp } from "@nts/shared/http/operations";
import { type Readiness, startProcess, stopOnSignal, waitAtMost } from "@nts/shared/lifecycle";
import { startServer } from "@nts/shared/http/server";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { createLog, type Log } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";
import { createTracing } from "@nts/shared/tracing/tracing";
import { createUpstream } from "@nts/shared/upstream/upstream";
import type { Registry } from "prom-client";
import { v7 } from "uuid";
import { createRequestHandling } from "./request-handling.js";
import { type Credentials, startCredentials } from "./authenticate/credentials.js";
import { SILENCE_MS } from "./authenticate/key-changes.js";
import { allowancesOf, GatewayConfig, tenancySecretsOf } from "./config.js";
import { startPublicServer } from "./edge/public-server.js";
import {
  addConnectionMetrics,
  addInFlightMetrics,
  addStateMetrics,
  addUpstreamMetrics,
  createVerifierMetrics,
} from "./metrics.js";
import { createDispatchTransport } from "./proxy/dispatch-transport.js";
import { createMiddlewareTransport } from "./proxy/middleware-transport.js";
import { createProxy } from "./proxy/proxy.js";
import { createLimitMetrics } from "./rate-limit/limit-metrics.js";
import { createLimiter } from "./rate-limit/limiter.js";
import { createRedisProbe } from "./rate-limit/redis.js";
import { connectRedis } from "./rate-limit/redis-connection.js";
import { createRedisGuard } from "./rate-limit/redis-guard.js";

const OPERATIONS_HEADER_BYTES = 16_384;

// Final reports get little time, but enough for a retry.
const LAST_WORDS_MS = 3_000;

startProcess(async () => {
  const config = readConfig(GatewayConfig, process.env);
  const log = createLog("gateway", config.LOG_LEVEL);
  const metrics = createMetrics("gateway");
  const { registry } = metrics;
  const tracing = await createTracing({
    processName: "gateway",
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
  const gatewayId = v7();
  const { redis, guard } = guardedRedis(config, gatewayId, log);
  const bus = createBus(config.NATS_URL, `gateway ${gatewayId}`, log);
  const { upstreams, services, disconnect } = connectServices(config, log);
  const credentials = startCredentials({
    upstream: upstreams.identity,
    sign: createTenancySigner(tenancySecretsOf(config).identity, "identity"),
    observer: createVerifierMetrics(registry),
    mostVerifications: config.MAX_VERIFICATIONS,
    staleSeconds: config.STALE_CREDENTIAL_SECONDS,
    ...{ gatewayId, bus, log },
  });
  const { liveGateways } = credentials.follower;
  const observe = createLimitMetrics(registry);
  const limiter = createLimiter({ ...allowancesOf(config), redis, guard, liveGateways, observe });
  const parts = { config, credentials, limiter, redis, guard, services, metrics, tracing, log };
  const { listeners, connections, inFlight } = createRequestHandling(parts);

  addUpstreamMetrics(registry, Object.values(upstreams));
  addStateMetrics(registry, { ...credentials, limiter });
  addInFlightMetrics(registry, inFlight);
  addBusMetrics(registry, bus);
  const readiness: Readiness = { stopping: false };
  const operations = await startOperations(config, { registry, readiness, credentials });
  // Requests may arrive as soon as the port is open.
  await Promise.all(Object.values(upstreams).map(({ found }) => found));
  const server = await startPublicServer(listeners, {
    host: config.HOST,
    port: config.PORT,
    connections,
    mostConnections: config.MAX_CONNECTIONS + config.CHANGE_STREAMS,
  });
  addConnectionMetrics(registry, server);
  for (const warning of exposureWarnings(config)) log.warn(warning);
  log.info({ port: server.port, ops_port: operations.port, gateway: gatewayId }, "gateway listens");

  stopOnSignal(log, {
    readiness,
    leave: server.leave,
    delayMs: config.DRAIN_DELAY_MS,
    steps: [
      () => Promise.all([credentials.streams.close(), server.close()]),
      // Nothing is served from here on, so identity need not wait for this gateway any longer.
      () => waitAtMost(LAST_WORDS_MS, Promise.all([credentials.keyUses.stop(), credentials.follower.leave()])),
      async () => {
        guard.stop();
        redis.disconnect();
        await Promise.all([credentials.close(), disconnect()]);
      },
      () => bus.close(),
      () => tracing.close(),
      () => operations.close(),
    ],
  });
});

/** What fails silently where others can reach the system. */
function exposureWarnings(config: GatewayConfig): string[] {
  const warnings = httpWarning(config);
  // The gateway itself speaks http only.
  if (config.PUBLIC_URL?.startsWith("https:") === true && config.TRUST_PROXY_HOPS === 0)
    warnings.push(
      "PUBLIC_URL is https, so a proxy is in front, but TRUST_PROXY_HOPS is 0: all clients count as one address; " +
        "see docs/exposing.md",
    );
  return warnings;
}

/** The Redis connection and its health guard. */
function guardedRedis(config: GatewayConfig, gatewayId: string, log: Log) {
  const redis = connectRedis(config.REDIS_URL);
  const probe = createRedisProbe(redis, gatewayId);
  return { redis, guard: createRedisGuard({ probe, timeoutMs: config.REDIS_PATIENCE_MS, log }) };
}

/** The services with their replicas and proxies. */
function connectServices(config: GatewayConfig, log: Log) {
  const upstreams = {
    identity: createUpstream({ service: "identity", urls: config.IDENTITY_URLS, log }),
    topology: createUpstream({ service: "topology", urls: config.TOPOLOGY_URLS, log }),
  };
  const transports = { identity: createMiddlewareTransport(), topology: createDispatchTransport() };
  const services = {
    identity: createProxy({ upstream: upstreams.identity, transport: transports.identity, log }),
    topology: createProxy({ upstream: upstreams.topology, transport: transports.topology, log }),
  };
  const disconnect = async (): Promise<void> => {
    await Promise.all([...Object.values(transports), ...Object.values(upstreams)].map((one) => one.close()));
  };
  return { upstreams, services, disconnect };
}

interface OperationsParts {
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly credentials: Pick<Credentials, "follower">;
}

/** Serves metrics and health on the internal port. */
function startOperations(config: GatewayConfig, { registry, readiness, credentials }: OperationsParts) {
  const { follower } = credentials;
  const listener = createOperationsApp(registry, readiness, {
    // Redis and the bus are optional at run time. Identity may be slow, but not silent for longer than credentials are
    // accepted without it.
    identity: () => {
      const silentMs = follower.sinceResponseMs();
      const mostMs = Math.max(config.STALE_CREDENTIAL_SECONDS * 1_000, SILENCE_MS);
      if (silentMs === null || silentMs > mostMs) throw new Error("identity does not respond");
    },
  });
  return startServer(listener, {
    host: config.HOST,
    port: config.OPS_PORT,
    maxHeaderBytes: OPERATIONS_HEADER_BYTES,
    keepAliveMs: 5_000,
    drainMs: 1_000,
  });
}
