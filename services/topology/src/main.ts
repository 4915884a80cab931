import { type Bus, createBus } from "@nts/shared/bus/bus";
import { addBusMetrics } from "@nts/shared/bus/bus-metrics";
import { readConfig } from "@nts/shared/config";
import { networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { createOperationsApp, type Readiness } from "@nts/shared/http/operations";
import { withProbe } from "@nts/shared/http/probe";
import { startServer, type RunningServer } from "@nts/shared/http/server";
import { createTenancyVerifier } from "@nts/shared/http/tenancy";
import { keepTrying, startProcess, stopOnSignal } from "@nts/shared/lifecycle";
import { createLog } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";
import { connectMongo, createMongoClient, openDatabase, pingDatabase } from "@nts/shared/mongo/connect";
import { migrate } from "@nts/shared/mongo/migrations";
import { addPoolMetrics } from "@nts/shared/mongo/pool-metrics";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { createShares } from "@nts/shared/shares";
import { createTracing } from "@nts/shared/tracing/tracing";
import { createTopologyApp } from "./app.js";
import { type TopologyConfig, TopologySettings } from "./config.js";
import { addImportMetrics } from "./imports/metrics.js";
import { createImportDesk } from "./imports/desk.js";
import { INDEXES } from "./storage/indexes.js";
import { MIGRATIONS } from "./storage/migrations.js";
import type { Notices } from "./deletions/notices.js";
import { createStorage } from "./storage/storage.js";
import { type Sweeper, startSweeper } from "./deletions/sweeper.js";

// Longer than any client of ours keeps an unused connection, so that none sends into one that is being closed.
const KEEP_ALIVE_MS = 75_000;
const DRAIN_MS = 9_000;

startProcess(async () => {
  const settings = readConfig(TopologySettings, process.env);
  const log = createLog("topology", settings.LOG_LEVEL);
  const metrics = createMetrics("topology");
  const tracing = await createTracing({
    processName: "topology",
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
  const mongo = createMongoClient(settings.MONGODB_URL, "topology");
  const db = openDatabase(mongo, settings.MONGODB_DATABASE);
  const bus = createBus(settings.NATS_URL, "topology", log);
  addPoolMetrics(metrics.registry, mongo);
  addBusMetrics(metrics.registry, bus);
  const imports = createImportDesk();
  addImportMetrics(metrics.registry, imports);

  const shares = createShares({ operations: settings.ORGANIZATION_OPERATIONS, streams: settings.ORGANIZATION_STREAMS });
  const storage = createStorage(db, createTransactions(mongo), {
    shares,
    maxEntities: settings.MAX_ENTITIES_PER_ORGANIZATION,
    maxIdempotencyKeys: settings.MAX_IDEMPOTENCY_KEYS_PER_USER,
    shortUpdates: settings.SHORT_UPDATES === "on",
  });
  const notices = noticesOver(bus);
  const app = createTopologyApp({
    storage,
    notices,
    imports,
    router: { verifyTenancy: verifierOf(settings), log, tracing, observe: metrics.observeRequest, shares },
  });

  const readiness: Readiness = { stopping: false };
  const listening = { host: settings.HOST, maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES, keepAliveMs: KEEP_ALIVE_MS };
  let api: RunningServer | null = null;
  let sweeper: Sweeper | null = null;
  const checks = {
    mongodb: () => pingDatabase(db),
    api: () => {
      if (api === null) throw new Error("the database is not up to date yet");
    },
  };
  const operationsApp = createOperationsApp(metrics.registry, readiness, checks);
  const operations = await startServer(operationsApp, { ...listening, port: settings.OPS_PORT, drainMs: 0 });
  stopOnSignal(log, {
    readiness,
    leave: () => api?.leave(),
    delayMs: settings.DRAIN_DELAY_MS,
    steps: [
      () => Promise.all([api?.close(), sweeper?.stop()]),
      ...[bus, mongo, tracing, operations].map((one) => () => one.close()),
    ],
  });

  // The database may come later than this process; until then it is alive and not ready.
  await connectMongo(mongo, log);
  const schema = { migrations: MIGRATIONS, indexes: INDEXES, log };
  await keepTrying(log, "bringing the database up to date", () => migrate(mongo.db(settings.MONGODB_DATABASE), schema));
  api = await startServer(withProbe(readiness, app.handle), { ...listening, port: settings.PORT, drainMs: DRAIN_MS });
  sweeper = startSweeper(db, metrics.registry, { storage, notices, log });
  log.info({ port: api.port, ops_port: operations.port }, "listening");
});

/** Tells other processes over the bus. */
function noticesOver(bus: Bus): Notices {
  return {
    networkDeleted: (organization_id, network_id) => {
      bus.publish(networkDeleted, { organization_id, network_id });
    },
    tagDeleted: (organization_id, tag_id) => {
      bus.publish(tagDeleted, { organization_id, tag_id });
    },
  };
}

function verifierOf(settings: TopologyConfig) {
  const secrets = { users: settings.GATEWAY_TO_TOPOLOGY_SECRETS, processes: settings.IDENTITY_TO_TOPOLOGY_SECRETS };
  return createTenancyVerifier(secrets, "topology");
}
