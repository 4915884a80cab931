import { createBus } from "@nts/shared/bus/bus";
import { readConfig } from "@nts/shared/config";
import { networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { createOperationsApp, type Readiness } from "@nts/shared/http/operations";
import { startServer } from "@nts/shared/http/server";
import { createTenancyVerifier } from "@nts/shared/http/tenancy";
import { keepTrying, startProcess, stopOnSignal } from "@nts/shared/lifecycle";
import { createLog } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";
import { createMongoClient, pingDatabase } from "@nts/shared/mongo/connect";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { createTopologyApp } from "./app.js";
import { TopologySettings } from "./config.js";
import { createIndexes } from "./indexes.js";
import { createStorage } from "./storage/storage.js";

startProcess(async () => {
  const settings = readConfig(TopologySettings, process.env);
  const log = createLog("topology", settings.LOG_LEVEL);
  const metrics = createMetrics("topology");
  const mongo = createMongoClient(settings.MONGODB_URL, "topology");
  const db = mongo.db(settings.MONGODB_DATABASE);
  const bus = createBus(settings.NATS_URL, "topology", log);

  const app = createTopologyApp({
    storage: createStorage(db, createTransactions(mongo)),
    notices: {
      networkDeleted: (organization_id, network_id) => {
        bus.publish(networkDeleted, { organization_id, network_id });
      },
      tagDeleted: (organization_id, tag_id) => {
        bus.publish(tagDeleted, { organization_id, tag_id });
      },
    },
    router: {
      verifyTenancy: createTenancyVerifier(settings.TENANCY_SECRETS, "topology"),
      log,
      observe: metrics.observeRequest,
    },
  });

  const readiness: Readiness = { stopping: false };
  let indexed = false;
  const operations = await startServer(
    createOperationsApp(metrics.registry, readiness, {
      mongodb: () => pingDatabase(db),
      indexes: () => {
        if (!indexed) throw new Error("indexes are still being made");
      },
    }),
    { host: settings.HOST, port: settings.OPS_PORT, maxHeaderBytes: 16_384, keepAliveMs: 5_000, drainMs: 1_000 },
  );
  const api = await startServer(app.handle, {
    host: settings.HOST,
    port: settings.PORT,
    maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES,
    keepAliveMs: 65_000,
    drainMs: 10_000,
  });
  stopOnSignal(log, readiness, settings.DRAIN_DELAY_MS, [api.close, bus.close, () => mongo.close(), operations.close]);
  log.info({ port: api.port, ops_port: operations.port }, "listening");

  // The database may come later than this process; until then it is alive and not ready.
  await keepTrying(log, "making the indexes", () => createIndexes(db));
  indexed = true;
  log.info("ready");
});
