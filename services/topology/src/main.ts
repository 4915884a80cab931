import type { Db } from "mongodb";
import type { Registry } from "prom-client";
import { type Bus, createBus } from "@nts/shared/bus/bus";
import { addBusMetrics } from "@nts/shared/bus/bus-metrics";
import { readConfig } from "@nts/shared/config";
import { auditNoted, changesAppended, networkDeleted, tagDeleted, viewDeleted } from "@nts/shared/contract/messages";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { createOperationsApp } from "@nts/shared/http/operations";
import { type Readiness, startProcess, stopOnSignal } from "@nts/shared/lifecycle";
import { withProbe } from "@nts/shared/http/probe";
import { startServer, type RunningServer } from "@nts/shared/http/server";
import { createTenancyVerifier } from "@nts/shared/http/tenancy";
import { createLog, type Log } from "@nts/shared/log";
import { addGauges, createMetrics } from "@nts/shared/metrics";
import { bringUpToDate } from "@nts/shared/mongo/bring-up-to-date";
import { closeMongo, connectMongo, createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { createProgressKeeper } from "@nts/shared/mongo/migration-progress";
import { migrate } from "@nts/shared/mongo/migrations";
import { addPoolMetrics } from "@nts/shared/mongo/pool-metrics";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { watchDatabase } from "@nts/shared/mongo/watch";
import { createShares } from "@nts/shared/scheduling/shares";
import { createTracing } from "@nts/shared/tracing/tracing";
import { IDLE, STOPPING } from "@nts/shared/timing";
import { createTopologyApp } from "./app.js";
import { type TopologyConfig, TopologySettings } from "./config.js";
import { addImportMetrics } from "./imports/metrics.js";
import { createImportJobRunner } from "./imports/jobs/jobs.js";
import { createRevertJobRunner } from "./reverts/jobs.js";
import { createImportRunner, type ImportRunner } from "./imports/runner.js";
import { journalCollections } from "./journal/collections.js";
import { addInventoryMetrics } from "./inventory-metrics.js";
import { createFeeds, type Feeds } from "./journal/feeds.js";
import { type Journal, startJournal } from "./journal/journal.js";
import { createJournalReader } from "./journal/read.js";
import { createWaiting, type Waiting } from "./journal/waiting.js";
import type { OnRecorded } from "./journal/writer.js";
import { INDEXES } from "./storage/indexes.js";
import { MIGRATIONS } from "./storage/migrations.js";
import type { Notices } from "./deletions/notices.js";
import type { Quotas } from "./storage/quota.js";
import { createStorage, type Storage } from "./storage/storage.js";
import { startStateMetrics } from "./state-metrics.js";
import { type Sweeper, startSweeper } from "./deletions/sweeper.js";
import { createWebhooks } from "./webhooks/webhooks.js";
import type { Workers } from "./webhooks/workers.js";

/** Maximum networks listed in a change notice. */
const MOST_NETWORKS = 50;

startProcess(async () => {
  const settings = readConfig(TopologySettings, process.env);
  const log = createLog("topology", settings.LOG_LEVEL);
  const metrics = createMetrics("topology");
  const tracing = await tracingOf(settings, log);
  const mongo = createMongoClient(settings.MONGODB_URL, "topology");
  const db = openDatabase(mongo, settings.MONGODB_DATABASE);
  const bus = createBus(settings.NATS_URL, "topology", log);
  addPoolMetrics(metrics.registry, mongo);
  addBusMetrics(metrics.registry, bus);
  const stateMetrics = startStateMetrics(db, metrics.registry);
  if (settings.INVENTORY_METRICS === "yes") addInventoryMetrics(db, metrics.registry);

  const shares = createShares({ operations: settings.ORGANIZATION_OPERATIONS, streams: settings.ORGANIZATION_STREAMS });
  const storage = createStorage(db, createTransactions(mongo), {
    shares,
    quotas: quotasOf(settings),
    maxIdempotencyKeys: settings.MAX_IDEMPOTENCY_KEYS_PER_USER,
  });
  const runner = createImports(metrics.registry);
  const importJobs = createImportJobRunner(storage, runner);
  const reverts = createRevertJobRunner(storage);
  const notices = noticesOver(bus);
  const webhooks = createDelivery(settings, { db, bus, registry: metrics.registry, log });
  const journal = createJournal(settings, { db, bus, registry: metrics.registry, log });
  const app = createTopologyApp({
    storage,
    notices,
    imports: { runner, jobs: importJobs },
    journal: { reader: createJournalReader(storage.database), waiting: journal.waiting, feeds: journal.feeds },
    webhooks: webhooks.operations,
    reverts,
    router: { verifyTenancy: verifierOf(settings), log, tracing, observe: metrics.observeRequest, shares },
  });

  const readiness: Readiness = { stopping: false };
  const listening = {
    host: settings.HOST,
    maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES,
    keepAliveMs: IDLE.atServicesMs,
  };
  let api: RunningServer | null = null;
  let sweeper: Sweeper | null = null;
  const watch = watchDatabase(settings.MONGODB_URL, "topology", log);
  const checks = {
    mongodb: () => watch.requireAvailable(),
    api: () => {
      if (api === null) throw new Error("the database is not up to date yet");
    },
  };
  const progress = createProgressKeeper(log);
  const operationsApp = createOperationsApp(metrics.registry, readiness, checks, progress.current);
  const operations = await startServer(operationsApp, { ...listening, port: settings.OPS_PORT, drainMs: 0 });
  stopOnSignal(log, {
    readiness,
    leave: () => api?.leave(),
    delayMs: settings.DRAIN_DELAY_MS,
    steps: [
      () =>
        Promise.all([
          stateMetrics.stop(),
          journal.feeds.close(),
          api?.close(),
          importJobs.stop(),
          reverts.stop(),
          sweeper?.stop(),
          webhooks.stop(),
        ]),
      ...[journal, bus, { close: () => closeMongo(mongo) }, watch, tracing, operations].map((one) => () => one.close()),
    ],
  });

  // The database may start later; until then the process is alive but not ready.
  await connectMongo(mongo, log);
  const migrated = { url: settings.MONGODB_URL, database: settings.MONGODB_DATABASE, name: "topology", log, progress };
  const schema = { migrations: MIGRATIONS, indexes: INDEXES, log, progress };
  await bringUpToDate(migrated, (own) => migrate(own, schema));
  api = await startServer(withProbe(readiness, app.handle), {
    ...listening,
    port: settings.PORT,
    drainMs: STOPPING.drainServiceMs,
  });
  sweeper = startSweeper(db, metrics.registry, { storage, notices, log });
  await journal.start(storage.database);
  webhooks.start(storage, journal.feeds, notices);
  log.info({ port: api.port, ops_port: operations.port }, "listening");
});

function quotasOf(settings: TopologyConfig): Quotas {
  return {
    entities: settings.MAX_ENTITIES_PER_ORGANIZATION,
    networks: settings.MAX_NETWORKS_PER_ORGANIZATION,
    tags: settings.MAX_TAGS_PER_ORGANIZATION,
    views: settings.MAX_VIEWS_PER_ORGANIZATION,
  };
}

/** Notifies other processes over the bus. */
function noticesOver(bus: Bus): Notices {
  return {
    networkDeleted: (organization_id, network_id) => {
      bus.publish(networkDeleted, { organization_id, network_id });
    },
    tagDeleted: (organization_id, tag_id) => {
      bus.publish(tagDeleted, { organization_id, tag_id });
    },
    viewDeleted: (organization_id, view_id) => {
      bus.publish(viewDeleted, { organization_id, view_id });
    },
    auditNoted: (organization_id) => {
      bus.publish(auditNoted, { organization_id });
    },
  };
}

interface Dependencies {
  readonly db: Db;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly log: Log;
}

function createImports(registry: Registry): ImportRunner {
  const imports = createImportRunner();
  addImportMetrics(registry, imports);
  return imports;
}

/** The journal and its notices. */
function createJournal(settings: TopologyConfig, { db, bus, registry, log }: Dependencies) {
  const feeds = createFeeds(db, log);
  addGauges(registry, [["nts_change_streams", "Streams of changes that are fed by this process.", feeds.count]]);
  // A separate client, as it occupies a connection to wait for changes.
  const client = createMongoClient(settings.MONGODB_URL, "topology-journal");
  let keeper: Journal | null = null;
  return {
    feeds,
    waiting: wokenOver(bus, feeds),
    start: async ({ idle }: Pick<Storage["database"], "idle">) => {
      await connectMongo(client, log);
      const collections = journalCollections(client.db(settings.MONGODB_DATABASE));
      const retentionDays = settings.CHANGES_RETENTION_DAYS;
      keeper = startJournal({ collections, registry, log, retentionDays, onRecorded: publishOver(bus), idle });
    },
    /** After the last write of this process, so that another one need not wait for its lease. */
    close: async () => {
      await keeper?.stop();
      await closeMongo(client);
    },
  };
}

/** Webhook delivery, woken over the bus. */
function createDelivery(settings: TopologyConfig, { db, bus, registry, log }: Dependencies) {
  const { WEBHOOK_ALLOW: allow, MAX_WEBHOOKS_PER_ORGANIZATION: most } = settings;
  const webhooks = createWebhooks(db, { allow, most, registry, log });
  let workers: Workers | null = null;
  return {
    operations: webhooks.operations,
    start: (storage: Storage, { reader }: Feeds, { auditNoted: onPaused }: Notices) => {
      const started = webhooks.start({ storage, reader, onPaused });
      bus.subscribe(changesAppended, ({ organization_id }) => {
        started.wake(organization_id);
      });
      workers = started;
    },
    stop: async () => {
      webhooks.operations.stop();
      await workers?.stop();
    },
  };
}

/** Notifies all processes that the journal has new entries. */
function publishOver(bus: Bus): OnRecorded {
  return (organization_id, networks) => {
    const network_ids = networks.size > MOST_NETWORKS ? null : [...networks];
    bus.publish(changesAppended, { organization_id, network_ids });
  };
}

/** Waiting requests and followers of this process, woken over the bus. */
function wokenOver(bus: Bus, feeds: Feeds): Waiting {
  const waiting = createWaiting();
  bus.subscribe(changesAppended, ({ organization_id, network_ids }) => {
    feeds.wake(organization_id);
    waiting.wake(organization_id, network_ids === null ? null : new Set(network_ids));
  });
  return waiting;
}

function tracingOf(settings: TopologyConfig, log: Log) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = settings;
  return createTracing({ processName: "topology", endpoint, share, log });
}

function verifierOf(settings: TopologyConfig) {
  const secrets = { users: settings.GATEWAY_TO_TOPOLOGY_SECRETS, processes: settings.IDENTITY_TO_TOPOLOGY_SECRETS };
  return createTenancyVerifier(secrets, "topology");
}
