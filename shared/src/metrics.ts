import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { droppedLines } from "./log.js";
import { SERVER_VERSION } from "./version.js";

/** Metrics of a process for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts one request; `seconds` from its first byte to the end of the response. */
  observeRequest(request: CountedRequest, seconds: number): void;
}

/** What requests are counted by. */
export interface CountedRequest {
  /** As by `methodName`. */
  readonly method: string;
  /** The path of the operation; null if the request matched none. */
  readonly route: string | null;
  readonly status: number;
}

/** A gauge: `name`, `help`, and how to read its current value. */
export type GaugeReading = readonly [name: string, help: string, read: () => number];

/** Adds gauges that are read on each scrape. */
export function addGauges(registry: Registry, readings: readonly GaugeReading[]): void {
  for (const [name, help, read] of readings)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
}

/** Prom-client samples the event loop every 10 ms by default, which costs an idle process more than all of its own timers. */
const LAG_SAMPLES_MS = 100;

/** Creates an empty registry whose metrics carry the name of the process. */
export function createRegistry(processName: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process: processName });
  return registry;
}

/**
 * Creates a registry with Node's default metrics, which are observed from now on, the version, the count of dropped lines
 * of the log, and the request histogram.
 */
export function createMetrics(processName: string): Metrics {
  const registry = createRegistry(processName);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLES_MS });
  const requests = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Time from a request to the end of its response, by method, route and status.",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const build = { name: "nts_build_info", help: "1; the version is in the label.", labelNames: ["version"] };
  new Gauge({ ...build, registers: [registry] }).set({ version: SERVER_VERSION }, 1);
  addLogMetrics(registry);
  return {
    registry,
    observeRequest: ({ method, route, status }, seconds) => {
      const labels = { http_request_method: method, http_response_status_code: status };
      requests.observe(route === null ? labels : { ...labels, http_route: route }, seconds);
    },
  };
}

function addLogMetrics(registry: Registry): void {
  new Counter({
    name: "nts_log_lines_dropped_total",
    help: "Lines of the log that were dropped because nobody read them.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}
