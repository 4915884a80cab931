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
import { createAnswerHere } from "./answer-here.js";
import { createAuthenticate } from "./authenticate/authenticate.js";
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
import { everyAnswerFields } from "./edge/answer-headers.js";
import { createAnswerers } from "./edge/answerers.js";
import type { ExchangeContext } from "./edge/exchange.js";
import { createInFlight } from "./edge/in-flight.js";
import { createPace } from "./edge/pace.js";
import { startPublicServer } from "./edge/public-server.js";
import { createUnreadAnswers } from "./edge/unread-answers.js";
import {
  addConnectionMetrics,
  addInFlightMetrics,
  addStateMetrics,
  addUpstreamMetrics,
  createProtectionMetrics,
  createVerifierMetrics,
} from "./metrics.js";
import { createPages } from "./pages.js";
import { createPipeline } from "./pipeline.js";
import { createForward } from "./proxy/forward.js";
import { createProxy } from "./proxy/proxy.js";
import { createDispatchTransport } from "./proxy/dispatch-transport.js";
import { createMiddlewareTransport } from "./proxy/middleware-transport.js";
import { createCharges } from "./rate-limit/charges.js";
import { createLimitMetrics } from "./rate-limit/limit-metrics.js";
import { createLimiter } from "./rate-limit/limiter.js";
import { connectRedis } from "./rate-limit/redis-connection.js";
import { createRoutes } from "./routes.js";

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

  const secrets = { identity: config.GATEWAY_TO_IDENTITY_SECRETS, topology: config.GATEWAY_TO_TOPOLOGY_SECRETS };
  const sign = createTenancySigner(secrets.identity, "identity");
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
    atATime: config.MAX_VERIFICATIONS,
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
    deregister: (after) => record.ask(pullKeyChanges, { query: { after, gateway: gatewayId, leaving: true } }),
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
    perLookup: { perMinute: config.LOOKUP_RATE_LIMIT_PER_MINUTE, burst: config.LOOKUP_RATE_LIMIT_BURST },
    perAddress: { perMinute: config.ANONYMOUS_RATE_LIMIT_PER_MINUTE, burst: config.ANONYMOUS_RATE_LIMIT_BURST },
    liveGateways: follower.liveGateways,
    gatewayId,
    timeoutMs: config.REDIS_PATIENCE_MS,
    observe: createLimitMetrics(metrics.registry),
    log,
  });
  const charges = createCharges(limiter);
  const authenticate = createAuthenticate({
    verifier,
    charges,
    ownOrigin: config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL).origin,
  });

  const protection = createProtectionMetrics(metrics.registry);
  const limits = {
    user: {
      requests: config.IN_FLIGHT_PER_USER,
      atServices: config.AT_SERVICES_PER_USER,
      uploads: config.UPLOADS_PER_ORGANIZATION,
      bodyBytes: config.BODY_BYTES_PER_USER,
    },
    organization: {
      requests: config.IN_FLIGHT_PER_ORGANIZATION,
      atServices: config.AT_SERVICES_PER_ORGANIZATION,
      uploads: config.UPLOADS_PER_ORGANIZATION,
      bodyBytes: config.BODY_BYTES,
    },
    address: {
      requests: config.IN_FLIGHT_PER_ADDRESS,
      atServices: config.AT_SERVICES_PER_ADDRESS,
      uploads: config.UPLOADS_PER_ORGANIZATION,
      bodyBytes: config.BODY_BYTES_PER_ADDRESS,
    },
    bodyBytes: config.BODY_BYTES,
  };
  const inFlight = createInFlight(limits, protection.refused);
  const pages = await createPages();
  const webConsole = createConsole();
  const pace = createPace();
  const pipeline = createPipeline({
    ownHost: config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL).host,
    routes: createRoutes({ page: pages.find, console: webConsole.find }),
    authenticate,
    charges,
    keyUses,
    forward: createForward({
      inFlight,
      pace,
      refuse: (exchange, status) => {
        pipeline.refuseUnsound(exchange, status);
      },
      tenancyHeader: createTenancyHeaders(secrets),
      services: {
        identity: createProxy({ upstream: upstreams.identity, transport: transports.identity, log }),
        topology: createProxy({ upstream: upstreams.topology, transport: transports.topology, log }),
      },
    }),
    answerHere: createAnswerHere(webConsole.notFoundFor),
  });
  const context: ExchangeContext = {
    trustedHops: config.TRUST_PROXY_HOPS,
    everyAnswer: everyAnswerFields(config.PUBLIC_URL),
    tracing,
    unread: createUnreadAnswers(protection.cut),
    log,
    account: createAccessLog(log, metrics),
    onDefect: protection.defect,
  };
  const answerers = createAnswerers({ context, pipeline, pace, charges, cors: createCors(config.CORS_ORIGINS) });

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
  // The edge may send requests as soon as the port is open.
  await Promise.all(Object.values(upstreams).map(({ found }) => found));
  const server = await startPublicServer(answerers, {
    host: config.HOST,
    port: config.PORT,
    maxConnections: config.MAX_CONNECTIONS,
    maxConnectionsPerAddress: config.TRUST_PROXY_HOPS === 0 ? config.MAX_CONNECTIONS_PER_ADDRESS : null,
  });
  addConnectionMetrics(metrics.registry, server);
  addInFlightMetrics(metrics.registry, inFlight);
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
