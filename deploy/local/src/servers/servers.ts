/** The three servers of one data folder: those whose URL the caller gives are used as they are, the others are ours to run. */
import { join } from "node:path";
import type { Component } from "../processes/component.js";
import { freePort } from "../processes/ports.js";
import type { Secrets } from "../secrets.js";
import { SERVER_PROGRAMS } from "./catalogue.js";
import { requireListening, requireMongodb } from "./external.js";
import { findOrFetch, type FindOptions } from "./find.js";
import { createMongod } from "./mongod.js";
import { createNats } from "./nats.js";
import { createRedis } from "./redis.js";
import type { OwnServer } from "./server-options.js";

export type ServerKind = "mongodb" | "redis" | "nats";
export type ServerUrls = Readonly<Record<ServerKind, string>>;

export interface ServersOptions extends FindOptions {
  readonly dataDir: string;
  readonly secrets: Secrets;
  /** Servers that run already; what is absent is ours to run. */
  readonly given: Partial<ServerUrls>;
}

/**
 * Finds what is needed to run the servers; none of them is started yet.
 *
 * @throws StartProblem when a given one cannot be used, or a missing one cannot be had
 */
export async function prepareServers(options: ServersOptions): Promise<{ components: Component[]; urls: ServerUrls }> {
  const { given } = options;
  await Promise.all([
    given.mongodb === undefined ? undefined : requireMongodb(given.mongodb),
    given.redis === undefined ? undefined : requireListening("redis", given.redis),
    given.nats === undefined ? undefined : requireListening("nats", given.nats),
  ]);
  const components: Component[] = [];
  const urls: Record<ServerKind, string> = { mongodb: "", redis: "", nats: "" };
  for (const kind of ["mongodb", "redis", "nats"] as const) {
    const own = given[kind] === undefined ? await prepareServer(kind, options) : null;
    if (own !== null) components.push(own.component);
    urls[kind] = own?.url ?? given[kind] ?? "";
  }
  return { components, urls };
}

/** One server of our own, ready to be launched on a free port with its files under the data folder. */
export async function prepareServer(
  kind: ServerKind,
  options: FindOptions & { dataDir: string; secrets: Secrets },
): Promise<OwnServer> {
  const { dataDir, secrets } = options;
  const runnable = await findOrFetch(SERVER_PROGRAMS[kind], options);
  const place = { runnable, folder: join(dataDir, kind), port: await freePort() };
  switch (kind) {
    case "mongodb":
      return createMongod(place);
    case "redis":
      return createRedis({ ...place, password: secrets.redisPassword });
    case "nats":
      return createNats({ ...place, password: secrets.natsPassword });
  }
}
