import type { Registry } from "prom-client";
import { addGauges } from "../metrics.js";
import type { Bus } from "./bus.js";

/** Adds a gauge for whether the bus is reachable. */
export function addBusMetrics(registry: Registry, bus: Pick<Bus, "isConnected">): void {
  addGauges(registry, [["nts_bus_connected", "1 while connected to NATS, else 0.", () => Number(bus.isConnected())]]);
}
