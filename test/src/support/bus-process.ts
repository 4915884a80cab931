/**
 * Connects to the bus of a URL in a process of its own, which Node.js can tell whom to trust, and prints "connected" or
 * what the connection failed with.
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
