import type { Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Tracing } from "@nts/shared/tracing/spans";
import type { Redis } from "ioredis";
import { createAccessLog } from "./access-log.js";
import { createAdmit } from "./pipeline/admit.js";
import { createRespondLocally } from "./pipeline/respond-locally.js";
import { createAuthenticate, createRecheck } from "./authenticate/authenticate.js";
import { createTenancyHeaders } from "./authenticate/caller.js";
import type { Credentials } from "./authenticate/credentials.js";
import { type GatewayConfig, inFlightLimitsOf, tenancySecretsOf } from "./config.js";
import { createConsole } from "./console/console.js";
import { commonFields } from "./edge/response-headers.js";
import { createListeners } from "./pipeline/listeners.js";
import { createCors } from "./edge/cors.js";
import { createNoteForwarded } from "./edge/forwarded-unheeded.js";
import { createInFlight, type InFlight } from "./edge/in-flight.js";
import { createOpenConnections, type OpenConnections } from "./edge/open-connections.js";
import { createUploadDeadlines } from "./edge/upload-deadlines.js";
import type { Listeners } from "./edge/public-server.js";
import { createBodyDiscard } from "./edge/body-discard.js";
import { createUnreadResponses } from "./edge/unread-responses.js";
import { createAssistants } from "./mcp/assistants.js";
import { createProtectionMetrics } from "./metrics.js";
import { createPages } from "./files/pages.js";
import { createSecurityTxt } from "./files/security-txt.js";
import { createPipeline } from "./pipeline/pipeline.js";
import { createForward, type ForwardOptions } from "./proxy/forward.js";
import { createOAuthMetadata } from "./oauth/metadata.js";
import { createOAuth } from "./oauth/oauth.js";
import { createCharges } from "./charges/charges.js";
import type { Limiter } from "./rate-limit/limiter.js";
import type { RedisGuard } from "./rate-limit/redis-guard.js";
import { createRefusals } from "./charges/refusals.js";
import { createRoutes } from "./pipeline/routes.js";
import { createStreamSlots } from "./streams/slots.js";
import { createStreamRights } from "./streams/stream-rights.js";

export interface RequestHandlingOptions {
  readonly config: GatewayConfig;
  readonly credentials: Credentials;
  readonly limiter: Limiter;
  readonly redis: Redis;
  readonly guard: RedisGuard;
  readonly services: ForwardOptions["services"];
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
}

/** Assembles the pipeline and its dependencies. */
export function createRequestHandling(options: RequestHandlingOptions): {
  readonly listeners: Listeners;
  readonly connections: OpenConnections;
  readonly inFlight: InFlight;
} {
  const { config, credentials, limiter, redis, guard, services, metrics, tracing, log } = options;
  const publicUrl = config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL);
  const protection = createProtectionMetrics(metrics.registry);
  const inFlight = createInFlight(inFlightLimitsOf(config), protection.refused);
  const streamSlots = createStreamSlots({
    most: config.CHANGE_STREAMS_PER_USER,
    onRefused: () => {
      protection.refused("user");
    },
    ...{ redis, guard },
  });
  const charges = createCharges(limiter);
  const refusals = createRefusals(charges);
  const uploadDeadlines = createUploadDeadlines();
  const pages = createPages(createSecurityTxt({ contacts: config.SECURITY_CONTACT, publicUrl: config.PUBLIC_URL }));
  const oauthMetadata = createOAuthMetadata(config.PUBLIC_URL);
  const webConsole = createConsole();
  const authenticate = createAuthenticate({
    verifier: credentials.verifier,
    charges,
    ownOrigin: publicUrl?.origin ?? null,
  });
  const pipeline = createPipeline({
    ownHost: publicUrl?.host ?? null,
    routes: createRoutes({
      page: (path, query) => oauthMetadata.find(path) ?? pages.find(path, query),
      console: webConsole.find,
    }),
    admit: createAdmit({ authenticate, charges, keyUses: credentials.keyUses }),
    forward: createForward({
      refuse: refusals.refuseUnsound,
      recheck: createRecheck(authenticate),
      rightsOf: createStreamRights({ authenticate, ...credentials }),
      tenancyHeader: createTenancyHeaders(tenancySecretsOf(config)),
      ...{ inFlight, streamSlots, uploadDeadlines, services },
    }),
    assistants: createAssistants(inFlight, (...asked) => listeners.serve(...asked)),
    oauth: createOAuth(inFlight, credentials.tokens),
    challenge: oauthMetadata.challenge,
    respondLocally: createRespondLocally(webConsole.notFoundFor),
    framesOf: credentials.framesOf,
    onUse: credentials.follower.use,
    ...{ charges, refusals },
  });
  const connections = createOpenConnections({
    most: config.MAX_CONNECTIONS,
    mostOfAddress: config.TRUST_PROXY_HOPS === 0 ? config.MAX_CONNECTIONS_PER_ADDRESS : null,
  });
  const context = {
    trustedHops: config.TRUST_PROXY_HOPS,
    commonHeaders: commonFields(config.PUBLIC_URL),
    unread: createUnreadResponses(protection.cut),
    bodyDiscard: createBodyDiscard(),
    account: createAccessLog(log, metrics),
    onDefect: protection.defect,
    ...{ connections, tracing, log },
  };
  const cors = createCors(config.CORS_ORIGINS);
  const noteForwarded = createNoteForwarded(config.TRUST_PROXY_HOPS, log);
  const listeners = createListeners({ context, pipeline, refusals, uploadDeadlines, charges, cors, noteForwarded });
  return { listeners, connections, inFlight };
}
