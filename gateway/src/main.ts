import { setTimeout as delay } from "node:timers/promises";
import { createBus } from "@nts/shared/bus/bus";
import { addBusMetrics } from "@nts/shared/bus/bus-metrics";
import { readConfig } from "@nts/shared/config";
import { pullKeyChanges, recordKeyUses, verifyCredential } from "@nts/shared/contract/internal";
import { createInternalClient } from "@nts/shared/http/internal-client";
import { createOperationsApp, type Readiness } from "@nts/shared/http/operations";
import { startServer } from "@nts/shared/http/server";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { startProcess, stopOnSignal } from "@nts/shared/lifecycle";
import { createLog } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";
import { createTracing } from "@nts/shared/tracing/tracing";
import { createUpstream } from "@nts/shared/upstream/upstream";
import { v7 } from "uuid";
import { createAccessLog } from "./access-log.js";
import { createApp } from "./app.js";
import { createAdmission } from "./authenticate/admission.js";
import { createTenancyHeaders } from "./authenticate/caller.js";
import { createChangeLog } from "./authenticate/change-log.js";
import { followKeyChanges } from "./authenticate/key-changes.js";
import { createKeyCache } from "./authenticate/key-cache.js";
import { createKeyUses } from "./authenticate/key-uses.js";
import { createLease } from "./authenticate/lease.js";
import { createVerifier } from "./authenticate/verifier.js";
import { systemClock as clock } from "./clock.js";
import { GatewayConfig } from "./config.js";
import { createConsole } from "./console/console.js";
import { createCors } from "./edge/cors.js";
import { createExchanges } from "./edge/exchange.js";
import { everyAnswerFields } from "./edge/json-headers.js";
import { startPublicServer } from "./edge/public-server.js";
import { addConnectionMetrics, addStateMetrics, addUpstreamMetrics, createVerifierMetrics } from "./metrics.js";
import { createPages } from "./pages.js";
import { createProxy } from "./proxy/proxy.js";
import { createDispatchTransport } from "./proxy/dispatch-transport.js";
import { createMiddlewareTransport } from "./proxy/middleware-transport.js";
import { createLimitMetrics } from "./rate-limit/limit-metrics.js";
import { createLimiter } from "./rate-limit/limiter.js";
import { connectRedis } from "./rate-limit/redis-connection.js";

const OPERATIONS_HEADER_BYTES = 16_384;

// An answer to a pull that takes longer is worth little of the second that a lease lasts.
const PULL_MS = 400;
const VERIFY_MS = 1_000;
const LAST_VERIFY_MS = 3_000;
const KEY_USES_MS = 1_000;
// What identity is told at the end is worth no more than that: enough to tell it again when it was silent before.
const LAST_WORDS_MS = 3_000;

startProcess(async () => {
  const config = readConfig(GatewayConfig, process.env);
  const log = createLog("gateway", config.LOG_LEVEL);
  const metrics = createMetrics("gateway");
  const tracing = await createTracing({
    processName: "gateway",
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
  const gatewayId = v7();

  const redis = connectRedis(config.REDIS_URL);
  const bus = createBus(config.NATS_URL, `gateway ${gatewayId}`, log);

  const sign = createTenancySigner(config.TENANCY_SECRETS, "identity");
  const upstreams = {
    identity: createUpstream({ service: "identity", urls: config.IDENTITY_URLS, log }),
    topology: createUpstream({ service: "topology", urls: config.TOPOLOGY_URLS, log }),
  };
  const transports = { identity: createMiddlewareTransport(), topology: createDispatchTransport() };
  const identity = createInternalClient({
    upstream: upstreams.identity,
    sign,
    timeoutMs: VERIFY_MS,
    lastTimeoutMs: LAST_VERIFY_MS,
  });
  const record = createInternalClient({ upstream: upstreams.identity, sign, timeoutMs: PULL_MS });
  const reports = createInternalClient({ upstream: upstreams.identity, sign, timeoutMs: KEY_USES_MS });

  const lease = createLease(clock);
  const changes = createChangeLog();
  const cache = createKeyCache(clock);
  const verifier = createVerifier({
    ask: (credential, cause) => identity.ask(verifyCredential, { body: credential, cause }),
    cache,
    lease,
    changes,
    clock,
    staleMs: config.STALE_CREDENTIAL_SECONDS * 1_000,
    log,
    observer: createVerifierMetrics(metrics.registry),
  });
  const follower = followKeyChanges({
    gatewayId,
    pull: (after) => record.ask(pullKeyChanges, { query: { after, gateway: gatewayId } }),
    sayLeaving: (after) => record.ask(pullKeyChanges, { query: { after, gateway: gatewayId, leaving: true } }),
    verifier,
    changes,
    lease,
    bus,
    clock,
    log,
  });
  const keyUses = createKeyUses((uses) => reports.ask(recordKeyUses, { body: { uses } }), log);

  const limiter = createLimiter({
    redis,
    perUser: { perMinute: config.RATE_LIMIT_PER_MINUTE, burst: config.RATE_LIMIT_BURST },
    perAddress: { perMinute: config.ANONYMOUS_RATE_LIMIT_PER_MINUTE, burst: config.ANONYMOUS_RATE_LIMIT_BURST },
    liveGateways: follower.liveGateways,
    gatewayId,
    patienceMs: config.REDIS_PATIENCE_MS,
    observe: createLimitMetrics(metrics.registry),
    log,
  });
  const admission = createAdmission({
    verifier,
    limiter,
    keyUses,
    ownOrigin: config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL).origin,
  });

  const everyAnswer = everyAnswerFields(config.PUBLIC_URL);
  const app = createApp({
    exchanges: createExchanges({
      trustedHops: config.TRUST_PROXY_HOPS,
      everyAnswer,
      tracing,
      onEnd: createAccessLog(log, metrics),
    }),
    cors: createCors(config.CORS_ORIGINS),
    admission,
    tenancyHeader: createTenancyHeaders(config.TENANCY_SECRETS),
    services: {
      identity: createProxy({ upstream: upstreams.identity, transport: transports.identity, log }),
      topology: createProxy({ upstream: upstreams.topology, transport: transports.topology, log }),
    },
    pages: createPages(),
    webConsole: createConsole(),
    everyAnswer,
    log,
  });

  addUpstreamMetrics(metrics.registry, Object.values(upstreams));
  addStateMetrics(metrics.registry, { lease, cache, limiter, follower });
  addBusMetrics(metrics.registry, bus);
  const readiness: Readiness = { stopping: false };
  const operations = await startServer(
    createOperationsApp(metrics.registry, readiness, {
      // Redis and the bus are not asked for: without them the gateway serves all the same. Identity must have answered,
      // and not so long ago that no credential could be accepted any more.
      identity: () => {
        const silentMs = follower.sinceAnswerMs();
        if (silentMs === null || (!lease.isAlive() && silentMs > config.STALE_CREDENTIAL_SECONDS * 1_000))
          throw new Error("identity does not answer");
      },
    }),
    {
      host: config.HOST,
      port: config.OPS_PORT,
      maxHeaderBytes: OPERATIONS_HEADER_BYTES,
      keepAliveMs: 5_000,
      drainMs: 1_000,
    },
  );
  const server = await startPublicServer(app, {
    host: config.HOST,
    port: config.PORT,
    maxConnections: config.MAX_CONNECTIONS,
  });
  addConnectionMetrics(metrics.registry, server);
  log.info({ port: server.port, gateway: gatewayId }, "gateway listens");

  stopOnSignal(log, {
    readiness,
    leave: server.leave,
    delayMs: config.DRAIN_DELAY_MS,
    steps: [
      () => server.close(),
      // From here on nothing is served, which identity is told, so that it waits for this gateway no longer.
      () => Promise.race([Promise.all([keyUses.stop(), follower.leave()]), delay(LAST_WORDS_MS)]),
      async () => {
        limiter.stop();
        redis.disconnect();
        const closing = [identity, record, reports, ...Object.values(transports), ...Object.values(upstreams)];
        await Promise.all(closing.map((one) => one.close()));
      },
      () => bus.close(),
      () => tracing.close(),
      () => operations.close(),
    ],
  });
});
