/** Everything that a stack leaves where others could read it: as texts, by place. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { BSON, MongoClient } from "mongodb";
import { connect, type NatsConnection } from "nats";
import { BUS_RIGHTS, keyChanged } from "@nts/shared/contract/messages";
import type { Stack } from "./stack.js";

/** The content of one place. */
export interface Place {
  readonly name: string;
  readonly kind: "log" | "bus" | "redis" | "identity" | "topology" | "metrics" | "spans";
  readonly text: string;
}

export interface BusListener {
  /** Publishes a text on the bus, as identity. */
  publish(text: string): Promise<void>;
  /** What was published on the bus since, including subjects. */
  messages(): Place;
  close(): Promise<void>;
}

/** Subscribes to everything that any process may receive on the bus, with the credentials of the processes. */
export async function listenToBus({ servers }: Stack): Promise<BusListener> {
  const lines: string[] = [];
  const listen = async (process: "gateway" | "identity"): Promise<NatsConnection> => {
    const { host, username, password } = new URL(servers.urls.nats[process]);
    const connection = await connect({ servers: host, user: username, pass: password });
    for (const subject of BUS_RIGHTS[process].subscribe)
      connection.subscribe(subject, {
        callback: (_error, { subject, data, headers }) => {
          lines.push(`${subject} ${String(headers ?? "")} ${new TextDecoder().decode(data)}`);
        },
      });
    await connection.flush();
    return connection;
  };
  const connections = await Promise.all([listen("gateway"), listen("identity")]);
  return {
    publish: async (text) => {
      connections[1].publish(keyChanged.subject, text);
      await connections[1].flush();
      await connections[0].flush();
    },
    messages: () => ({ name: "NATS", kind: "bus", text: lines.join("\n") }),
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

/** Reads the logs, the metrics, Redis and both databases. */
export async function readPlaces(stack: Stack): Promise<Place[]> {
  const parts = await Promise.all([logsOf(stack), metricsOf(stack), redisOf(stack), databasesOf(stack)]);
  return parts.flat();
}

async function logsOf({ dataDir }: Stack): Promise<Place[]> {
  const folder = join(dataDir, "logs");
  return Promise.all(
    (await readdir(folder)).map(async (name) => ({
      name: `logs/${name}`,
      kind: "log" as const,
      text: await readFile(join(folder, name), "utf8"),
    })),
  );
}

async function metricsOf({ gateways, identities, topologies }: Stack): Promise<Place[]> {
  return Promise.all(
    [...gateways, ...identities, ...topologies].map(async ({ name, opsUrl }) => ({
      name: `metrics of ${name}`,
      kind: "metrics" as const,
      text: await (await fetch(`${opsUrl}/metrics`)).text(),
    })),
  );
}

async function redisOf({ servers }: Stack): Promise<Place[]> {
  const redis = new Redis(servers.redisOperatorUrl);
  try {
    const lines: string[] = [];
    for (const key of await redis.keys("*")) lines.push(`${key} ${JSON.stringify(await valueOf(redis, key))}`);
    return [{ name: "Redis", kind: "redis", text: lines.join("\n") }];
  } finally {
    redis.disconnect();
  }
}

/** @throws Error for a type of value that the product is not known to use */
async function valueOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  if (type === "hash") return redis.hgetall(key);
  if (type === "string") return redis.get(key);
  if (type === "none") return null; // it has expired since
  throw new Error(`Redis keeps a ${type}, which is not supported here`);
}

async function databasesOf({ servers, databases }: Stack): Promise<Place[]> {
  const client = new MongoClient(servers.urls.mongodb);
  try {
    const places: Place[] = [];
    for (const kind of ["identity", "topology"] as const) {
      const database = client.db(databases[kind]);
      for (const { name } of await database.listCollections().toArray()) {
        const documents = await database.collection(name).find({}).toArray();
        places.push({
          name: `${kind}.${name}`,
          kind,
          text: documents.map((one) => BSON.EJSON.stringify(one)).join("\n"),
        });
      }
    }
    return places;
  } finally {
    await client.close();
  }
}
