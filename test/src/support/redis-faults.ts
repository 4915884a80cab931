/** Faults of Redis, each applied to the real server or to the network in front of it. */
import { Redis } from "ioredis";
import type { LoneGateways } from "./lone-gateways.js";

type Deed = (world: LoneGateways) => Promise<void> | void;

export interface RedisFault {
  /** Completes "while Redis …". */
  readonly what: string;
  readonly begin: Deed;
  readonly end: Deed;
}

/** Sends commands to Redis directly, bypassing the network of the gateways. */
export async function tellRedis({ servers }: LoneGateways, ...commands: [string, ...string[]][]): Promise<void> {
  const redis = new Redis(servers.urls.redis);
  try {
    for (const [command, ...args] of commands) await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

const fault = (what: string, begin: Deed, end: Deed): RedisFault => ({ what, begin, end });
const told = (...command: [string, ...string[]]): Deed => {
  return (world) => tellRedis(world, command);
};

/** Those that prevent gateways from counting there. */
export const REDIS_FAULTS: readonly RedisFault[] = [
  fault(
    "refuses connections",
    ({ servers }) => servers.redis.kill(),
    ({ servers }) => servers.redis.restart(),
  ),
  fault(
    "hangs",
    ({ servers }) => {
      servers.redis.pause();
    },
    ({ servers }) => {
      servers.redis.resume();
    },
  ),
  fault(
    "is slow",
    ({ redisNetwork }) => redisNetwork?.delay(800),
    ({ redisNetwork }) => redisNetwork?.delay(0),
  ),
  fault(
    "is cut off without a word",
    ({ redisNetwork }) => redisNetwork?.lose(true),
    ({ redisNetwork }) => redisNetwork?.lose(false),
  ),
  fault("is read-only", told("REPLICAOF", "127.0.0.1", "1"), told("REPLICAOF", "NO", "ONE")),
  fault(
    "misses its replicas",
    told("CONFIG", "SET", "min-replicas-to-write", "1"),
    told("CONFIG", "SET", "min-replicas-to-write", "0"),
  ),
  fault("is full", told("CONFIG", "SET", "maxmemory", "1"), told("CONFIG", "SET", "maxmemory", "0")),
];
