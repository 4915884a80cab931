/** Faults of Redis, each applied to the real server or to the network in front of it. */
import { Redis } from "ioredis";
import type { IsolatedGateways } from "./isolated-gateways.js";

type Action = (world: IsolatedGateways) => Promise<void> | void;

export interface RedisFault {
  /** Completes "while Redis …". */
  readonly what: string;
  readonly begin: Action;
  readonly end: Action;
}

/** Sends commands to Redis directly, bypassing the network of the gateways. */
export async function sendToRedis({ servers }: IsolatedGateways, ...commands: [string, ...string[]][]): Promise<void> {
  const redis = new Redis(servers.redisOperatorUrl);
  try {
    for (const [command, ...args] of commands) await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

const fault = (what: string, begin: Action, end: Action): RedisFault => ({ what, begin, end });
const redisCommand = (...command: [string, ...string[]]): Action => {
  return (world) => sendToRedis(world, command);
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
    ({ redisNetwork }) => redisNetwork?.dropAll(true),
    ({ redisNetwork }) => redisNetwork?.dropAll(false),
  ),
  fault("is read-only", redisCommand("REPLICAOF", "127.0.0.1", "1"), redisCommand("REPLICAOF", "NO", "ONE")),
  fault(
    "misses its replicas",
    redisCommand("CONFIG", "SET", "min-replicas-to-write", "1"),
    redisCommand("CONFIG", "SET", "min-replicas-to-write", "0"),
  ),
  fault("is full", redisCommand("CONFIG", "SET", "maxmemory", "1"), redisCommand("CONFIG", "SET", "maxmemory", "0")),
];
