import type { MongoClient } from "mongodb";
import type { Registry } from "prom-client";
import { addGauges } from "../metrics.js";

/**
 * Adds metrics of the client's connection pools; to be called before it connects. Monitoring connections are not
 * counted.
 */
export function addPoolMetrics(registry: Registry, client: MongoClient): void {
  let size = 0;
  let checkedOut = 0;
  let waiting = 0;
  client
    .on("connectionCreated", () => (size += 1))
    .on("connectionClosed", () => (size -= 1))
    .on("connectionCheckOutStarted", () => (waiting += 1))
    .on("connectionCheckOutFailed", () => (waiting -= 1))
    .on("connectionCheckedOut", () => {
      waiting -= 1;
      checkedOut += 1;
    })
    .on("connectionCheckedIn", () => (checkedOut -= 1));
  addGauges(registry, [
    ["nts_mongodb_pool_size", "Connections to MongoDB, being established or open.", () => size],
    ["nts_mongodb_pool_checked_out", "Connections in use by an operation.", () => checkedOut],
    ["nts_mongodb_pool_waiting", "Operations waiting for a connection.", () => waiting],
    ["nts_mongodb_pool_limit", "Maximum number of connections to one server.", () => client.options.maxPoolSize],
  ]);
}
