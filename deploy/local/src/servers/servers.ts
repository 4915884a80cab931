/** The three servers of a data folder: those with a given URL are used as they are, the others are started. */
import { join } from "node:path";
import type { Component } from "../processes/component.js";
import { freePort } from "../processes/ports.js";
import type { ServerUrls } from "../processes/system.js";
import type { Secrets } from "../secrets.js";
import { SERVER_PROGRAMS } from "./catalogue.js";
import { requireListening, requireMongodb } from "./external.js";
import { findOrFetch, type FindOptions } from "./find.js";
import { createMongod, type MongodbService } from "./mongod.js";
import { createNats, type NatsUrls } from "./nats.js";
import { createRedis } from "./redis.js";
import type { OwnServer } from "./server-options.js";

export type ServerKind = "mongodb" | "redis" | "nats";

export interface ServersOptions extends FindOptions {
  readonly dataDir: string;
  readonly secrets: Secrets;
  /** Running servers; absent ones are to be started. */
  readonly given: Partial<Readonly<Record<ServerKind, string>>>;
}

/**
 * Finds the server programs; nothing is started yet.
 *
 * @throws StartProblem if a given server is unusable, or a program is unavailable
 */
export async function prepareServers(options: ServersOptions): Promise<{ components: Component[]; urls: ServerUrls }> {
  const { given } = options;
  await Promise.all([
    given.mongodb === undefined ? undefined : requireMongodb(given.mongodb),
    given.redis === undefined ? undefined : requireListening("redis", given.redis),
    given.nats === undefined ? undefined : requireListening("nats", given.nats),
  ]);
  const components: Component[] = [];
  const use = async (kind: ServerKind): Promise<PreparedServer> => {
    const url = given[kind];
    if (url !== undefined) return { url };
    const own = await prepareServer(kind, options);
    components.push(own.component);
    return own;
  };
  const [mongodb, redis, nats] = await Promise.all([use("mongodb"), use("redis"), use("nats")]);
  return { components, urls: urlsOf({ mongodb, redis, nats }) };
}

function urlsOf({ mongodb, redis, nats }: Record<ServerKind, PreparedServer>): ServerUrls {
  const { serviceUrls } = mongodb;
  return {
    mongodb: mongodb.url,
    ...(serviceUrls !== undefined && { mongodbOf: serviceUrls }),
    redis: redis.url,
    nats: natsUrlsOf(nats),
  };
}

interface PreparedServer {
  readonly url: string;
  /** Of MongoDB, if it is our own. */
  readonly serviceUrls?: Readonly<Record<MongodbService, string>>;
  /** Of Redis, if it is our own. */
  readonly operatorUrl?: string;
  /** Of NATS, if it is our own. */
  readonly urls?: NatsUrls;
}

/** The bus URL of each kind of process; equal for an external server. */
export function natsUrlsOf({ url, urls }: PreparedServer): NatsUrls {
  return urls ?? { gateway: url, identity: url, topology: url };
}

/** A server of our own, to be started on a free port with its files in the data folder. */
export async function prepareServer(
  kind: ServerKind,
  options: FindOptions & { dataDir: string; secrets: Secrets },
): Promise<OwnServer & PreparedServer> {
  const { dataDir, secrets } = options;
  const runnable = await findOrFetch(SERVER_PROGRAMS[kind], options);
  const place = { runnable, folder: join(dataDir, kind), port: await freePort() };
  switch (kind) {
    case "mongodb":
      return createMongod({ ...place, secrets });
    case "redis":
      return createRedis({
        ...place,
        passwords: { operator: secrets.redisPassword, gateway: secrets.redisGatewayPassword },
      });
    case "nats":
      return createNats({ ...place, passwords: secrets.natsPasswords });
  }
}
