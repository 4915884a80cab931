import { Redis } from "ioredis";

// Timeouts to detect and replace a dead connection; together less than the two seconds in which limits must be exact
// again.
const CONNECT_MS = 1_000;
const SILENT_MS = 1_000;
const RECONNECT_AFTER_MS = 200;

/**
 * A reconnecting client that neither queues nor repeats calls. Whether Redis is available is determined by using it.
 */
export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    retryStrategy: () => RECONNECT_AFTER_MS,
  });
  // Without a listener the process would end; the limiter detects and logs it itself.
  redis.on("error", () => undefined);
  return redis;
}
