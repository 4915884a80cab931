import { createDurations } from "@nts/shared/durations";
import type { Registry } from "prom-client";
import type { LimiterOptions } from "./limiter.js";

/** Makes the function that notes how long requests waited for their limit, and who told it. */
export function createLimitMetrics(registry: Registry): LimiterOptions["observe"] {
  const waits = createDurations({
    name: "nts_rate_limit_wait_seconds",
    help: "Time that requests waited for their limit: told by redis, by local while Redis is away, by local_after_redis where Redis did not answer in time.",
    labelNames: ["teller"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    registers: [registry],
  });
  const observers = {
    redis: waits.begin({ teller: "redis" }),
    local: waits.begin({ teller: "local" }),
    local_after_redis: waits.begin({ teller: "local_after_redis" }),
  };
  return (teller, seconds, requests) => {
    observers[teller](seconds, requests);
  };
}
