import { Redis } from "ioredis";

// Times within which a connection that has died without a word is noticed and replaced: together less than the two seconds
// in which limits are to be exact again.
const CONNECT_MS = 1_000;
const SILENT_MS = 1_000;
const RECONNECT_AFTER_MS = 200;

/**
 * A connection that comes back by itself. A call fails where it would have to wait for that, and none is made a second time.
 * Whether Redis can be used is found out by using it.
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
  // Without a listener the process would end; the limiter sees and says for itself that Redis is away.
  redis.on("error", () => undefined);
  return redis;
}
