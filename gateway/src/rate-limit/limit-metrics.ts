import { createDurations } from "@nts/shared/durations";
import type { Registry } from "prom-client";
import type { LimiterOptions } from "./limiter.js";

/** Makes the function that notes how long requests waited for their limit, and from where it came. */
export function createLimitMetrics(registry: Registry): LimiterOptions["observe"] {
  const waits = createDurations({
    name: "nts_rate_limit_wait_seconds",
    help: "Time that requests waited for their limit, by source: redis, local while Redis is away, local_after_redis where Redis did not answer in time.",
    labelNames: ["source"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    registers: [registry],
  });
  const observers = {
    redis: waits.begin({ source: "redis" }),
    local: waits.begin({ source: "local" }),
    local_after_redis: waits.begin({ source: "local_after_redis" }),
  };
  return (source, seconds, requests) => {
    observers[source](seconds, requests);
  };
}
