/**
 * Connects to a bus in a process of its own, whose trusted certificates can be set, and prints "connected" or the
 * connection error.
 */
import { createBus } from "@nts/shared/bus/bus";
import { createLog } from "@nts/shared/log";
import { until } from "./until.js";

const log = createLog("bus", "silent");
let outcome = "";
log.warn = ({ err }: { err?: Error }) => {
  outcome ||= err?.message ?? "";
};
const bus = createBus(process.argv[2] ?? "", "test", log);
await until(() => bus.isConnected() || outcome !== "");
console.log(bus.isConnected() ? "connected" : outcome);
await bus.close();
process.exit();
