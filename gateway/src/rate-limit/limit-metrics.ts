import { Histogram, type Registry } from "prom-client";
import type { LimiterOptions } from "./limiter.js";

/** Creates a function that records how long limits took, and their source. */
export function createLimitMetrics(registry: Registry): LimiterOptions["observe"] {
  const waits = new Histogram({
    name: "nts_rate_limit_duration_seconds",
    help: "Time that requests waited for the rate limit, by source: redis, local while Redis is unavailable, local_after_redis if Redis did not respond in time.",
    labelNames: ["source"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    registers: [registry],
  });
  for (const source of ["redis", "local", "local_after_redis"]) waits.zero({ source });
  const observers = {
    redis: waits.labels("redis"),
    local: waits.labels("local"),
    local_after_redis: waits.labels("local_after_redis"),
  };
  return (source, seconds, requests) => {
    for (let n = 0; n < requests; n++) observers[source].observe(seconds);
  };
}
