import type { Db } from "mongodb";
import { type Bus, createBus } from "@nts/shared/bus/bus";
import { addBusMetrics } from "@nts/shared/bus/bus-metrics";
import { readConfig } from "@nts/shared/config";
import { httpWarning, isLoopback } from "@nts/shared/exposure";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { createInternalClient } from "@nts/shared/upstream/internal-client";
import { createOperationsApp } from "@nts/shared/http/operations";
import { withProbe } from "@nts/shared/http/probe";
import { startServer, type RunningServer } from "@nts/shared/http/server";
import { createTenancySigner, createTenancyVerifier } from "@nts/shared/http/tenancy";
import { startProcess, stopOnSignal, waitAtMost } from "@nts/shared/lifecycle";
import { createLog, type Log } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";
import { bringUpToDate } from "@nts/shared/mongo/bring-up-to-date";
import { closeMongo, connectMongo, createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { createProgressKeeper } from "@nts/shared/mongo/migration-progress";
import { addPoolMetrics } from "@nts/shared/mongo/pool-metrics";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { watchDatabase } from "@nts/shared/mongo/watch";
import { createShares } from "@nts/shared/scheduling/shares";
import { createTracing } from "@nts/shared/tracing/tracing";
import { createUpstream } from "@nts/shared/upstream/upstream";
import { DEADLINES, IDLE, STOPPING } from "@nts/shared/timing";
import type { z } from "zod";
import { type App, createApp } from "./app.js";
import { startTakingNotes } from "./audit/take-notes.js";
import { IdentitySettings } from "./config.js";
import { mailSettings } from "./mail/configured.js";
import { startNotifying } from "./mail/notify.js";
import { startMailQueueMetrics } from "./mail/queue-metrics.js";
import { prepareDatabase } from "./storage/prepare-database.js";
import { startRemovingGrants } from "./flows/cleanup/ended-grants.js";
import { startKeyPurge } from "./flows/cleanup/key-purge.js";
import { startReferenceSweep } from "./flows/cleanup/reference-sweep.js";
import { startOrganizationSweep } from "./flows/cleanup/organization-sweep.js";
import type { Quotas } from "./model/quotas.js";
import { startWebhookPausing } from "./rights/webhook-pausing.js";
import { createPasswordJudge } from "./secrets/strength-judge.js";
import { createPasswords } from "./secrets/passwords.js";

const NAME = "identity";
/** Milliseconds for background work to end; a hanging database must not keep the process. */
const ENDING_MS = 2_000;

startProcess(async () => {
  const settings = readConfig(IdentitySettings, process.env);
  const log = createLog(NAME, settings.LOG_LEVEL);
  const metrics = createMetrics(NAME);
  const tracing = await traceTo(settings, log);
  const readiness = { stopping: false };

  const mongo = createMongoClient(settings.MONGODB_URL, NAME);
  const db = openDatabase(mongo, settings.MONGODB_DATABASE);
  const bus = createBus(settings.NATS_URL, NAME, log);
  addPoolMetrics(metrics.registry, mongo);
  addBusMetrics(metrics.registry, bus);
  const mailQueue = startMailQueueMetrics(db, metrics.registry);
  const { topology, disconnect } = connectTopology(settings, log);
  const secrets = settings.GATEWAY_TO_IDENTITY_SECRETS;
  const passwords = createPasswords();
  const passwordJudge = createPasswordJudge();
  const app = createApp({
    db,
    transaction: createTransactions(mongo),
    bus,
    topology,
    passwords,
    judgePassword: passwordJudge.judge,
    ...{ secondFactorSecrets: settings.SECOND_FACTOR_SECRETS ?? [], providers: settings.OIDC_PROVIDERS ?? [] },
    quotas: quotasOf(settings),
    ...{
      publicUrl: settings.PUBLIC_URL,
      registration: settings.REGISTRATION,
      mail: mailSettings(settings, metrics.registry),
    },
    verifyTenancy: createTenancyVerifier({ users: secrets, processes: secrets }, NAME),
    ...{ log, tracing },
    observe: metrics.observeRequest,
    shares: createShares({ operations: settings.ORGANIZATION_OPERATIONS, streams: settings.ORGANIZATION_STREAMS }),
  });

  const listening = {
    host: settings.HOST,
    maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES,
    keepAliveMs: IDLE.atServicesMs,
  };
  let api: RunningServer | null = null;
  const watch = watchDatabase(settings.MONGODB_URL, NAME, log);
  const checks = {
    mongodb: () => watch.requireAvailable(),
    api: () => {
      if (api === null) throw new Error("the database is not prepared yet");
    },
  };
  const progress = createProgressKeeper(log);
  const operationsApp = createOperationsApp(metrics.registry, readiness, checks, progress.current);
  const operations = await startServer(operationsApp, { ...listening, port: settings.OPS_PORT, drainMs: 0 });
  const sweeping = startSweeps(db, log, app);
  let working: { stop(): Promise<unknown> } | null = null;
  stopOnSignal(log, {
    readiness,
    leave: () => api?.leave(),
    delayMs: settings.DRAIN_DELAY_MS,
    steps: [
      async () => api?.close(),
      () => waitAtMost(ENDING_MS, Promise.all([bus.close(), passwords.close(), passwordJudge.close(), app.settled()])),
      () => waitAtMost(ENDING_MS, Promise.all([sweeping.stop(), mailQueue.stop(), working?.stop()])),
      ...[disconnect, () => closeMongo(mongo), () => watch.close(), () => tracing.close(), () => operations.close()],
    ],
  });

  void passwordJudge.load();
  await connectMongo(mongo, log);
  const migrated = { url: settings.MONGODB_URL, database: settings.MONGODB_DATABASE, name: NAME, log, progress };
  const options = { auditRetentionDays: settings.AUDIT_RETENTION_DAYS, progress };
  await bringUpToDate(migrated, (own) => prepareDatabase(own, log, options));
  api = await startServer(withProbe(readiness, app.handle), {
    ...listening,
    port: settings.PORT,
    drainMs: STOPPING.drainServiceMs,
  });
  working = startWork(db, bus, log, app);
  void app.checkProviders();
  for (const warning of exposureWarnings(settings)) log.warn(warning);
  log.info({ port: api.port, ops_port: operations.port }, "listening");
});

type Settings = z.infer<typeof IdentitySettings>;

/** What fails silently where others can reach the system. */
function exposureWarnings(settings: Settings): string[] {
  const warnings = httpWarning(settings);
  if (
    settings.REGISTRATION === "open" &&
    !(isLoopback(settings.HOST) && isLoopback(new URL(settings.PUBLIC_URL).hostname))
  )
    warnings.push("REGISTRATION=open: anyone who reaches the system can create an account; see docs/exposing.md");
  return warnings;
}

function traceTo({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share }: Settings, log: Log) {
  return createTracing({ processName: NAME, endpoint, share, log });
}

function connectTopology({ TOPOLOGY_URLS, IDENTITY_TO_TOPOLOGY_SECRETS }: Settings, log: Log) {
  const upstream = createUpstream({ service: "topology", urls: TOPOLOGY_URLS, log });
  const sign = createTenancySigner(IDENTITY_TO_TOPOLOGY_SECRETS, "topology");
  const topology = createInternalClient({ upstream, sign, timeoutMs: DEADLINES.topologyCallMs });
  return { topology, disconnect: () => Promise.all([topology.close(), upstream.close()]) };
}

/** Runs background work once the database is prepared, until stopped. */
function startWork(db: Db, bus: Bus, log: Log, { takeNotes, startMail, notify }: App) {
  const taking = startTakingNotes(bus, log, takeNotes);
  const mailing = startMail();
  const notifying = mailing && startNotifying(db, log, notify);
  return { stop: () => Promise.all([taking.stop(), mailing?.stop(), notifying?.stop()]) };
}

/** Purges deleted data until stopped. */
function startSweeps(db: Db, log: Log, app: App) {
  const { sweepReferences, sweepOrganizations, purgeKeys, pauseWebhooks, removeEndedGrants } = app;
  const started = [
    startReferenceSweep(db, log, sweepReferences),
    startOrganizationSweep(db, log, sweepOrganizations),
    startKeyPurge(db, log, purgeKeys),
    startRemovingGrants(removeEndedGrants, log),
    startWebhookPausing(db, log, pauseWebhooks),
  ];
  return { stop: () => Promise.all(started.map((one) => one.stop())) };
}

function quotasOf(settings: Settings): Quotas {
  return {
    keysPerUser: settings.MAX_KEYS_PER_USER,
    keysPerOrganization: settings.MAX_KEYS_PER_ORGANIZATION,
    sessionsPerUser: settings.MAX_SESSIONS_PER_USER,
    invitesPerOrganization: settings.MAX_INVITES_PER_ORGANIZATION,
    registrationsPerSite: settings.REGISTRATIONS_PER_SITE,
    untilVerified: settings.VERIFIED_OWNERS === "yes",
    idempotencyKeysPerUser: settings.MAX_IDEMPOTENCY_KEYS_PER_USER,
  };
}
