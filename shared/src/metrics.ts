import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** Metrics of a process, in the form that Prometheus reads. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts one request; `seconds` from its first byte to the end of the answer. */
  observeRequest(operationId: string, status: number, seconds: number): void;
}

/** An empty registry with the defaults of a Node process and the request histogram. */
export function createMetrics(processName: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process: processName });
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "nts_request_duration_seconds",
    help: "Time from a request to the end of its answer, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: (operation, status, seconds) => {
      requests.observe({ operation, status }, seconds);
    },
  };
}
