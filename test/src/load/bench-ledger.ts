/**
 * `npm run bench -- ledger`: the processor time per request that each optimization of the ledger in docs/performance.md
 * saves, measured in alternation with the obvious way.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { openSync } from "node:fs";
import type { Document } from "mongodb";
import { pino } from "pino";
import { v7 } from "uuid";
import { membersOf } from "@nts/gateway/access-log";
import { createCaller, createTenancyHeaders } from "@nts/gateway/authenticate/caller";
import type { Exchange } from "@nts/gateway/edge/exchange";
import { newRequestId } from "@nts/gateway/edge/request-id";
import { batchPerTick } from "@nts/gateway/rate-limit/batching";
import { connectRedis } from "@nts/gateway/rate-limit/redis-connection";
import { createRedisBuckets } from "@nts/gateway/rate-limit/redis";
import { createLines, createLog } from "@nts/shared/log";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { textIn } from "@nts/shared/mongo/raw-fields";
import { rawBatches } from "@nts/shared/mongo/raw-find";
import { sharedDatabase, UNSHARED } from "@nts/topology/storage/database";
import { createGatheredRead } from "@nts/topology/storage/gathered";
import { startStack } from "../support/stack.js";
import { cpuMicrosOf } from "./measure.js";
import { row } from "./work.js";

const ROUNDS = 5;
/** Requests that arrive in one turn of the event loop. */
const AT_A_TIME = 16;
const ROWS = 2_000;

/** An optimization, and the obvious way, for a number of requests. */
interface Entry {
  readonly name: string;
  readonly file: string;
  readonly times: number;
  readonly ours: (times: number) => Promise<unknown>;
  readonly obvious: (times: number) => Promise<unknown>;
}

const stack = await startStack({ ownMongod: true });
const client = createMongoClient(stack.servers.urls.mongodb, "ledger");
const redis = connectRedis(stack.servers.redisOperatorUrl);
await once(redis, "ready");
const nowhere = openSync("/dev/null", "w"); // stays open: lines may still be buffered
try {
  const mongod = stack.servers.mongodb?.pid();
  row("optimization", "file", "ours µs", "obvious µs", "of MongoDB: ours", "obvious");
  row(...Array.from({ length: 6 }, () => "---"));
  for (const entry of [...inProcess(nowhere), ofRedis(), ...(await ofDatabase())]) await print(entry, mongod);
} finally {
  redis.disconnect();
  await client.close();
  await stack.stop();
}

function inProcess(descriptor: number): Entry[] {
  const id = randomUUID();
  const scope = { organizationId: id, networks: "all" } as const;
  const principal = { kind: "key", credentialId: id, userId: id, permission: "Owner", scope } as const;
  const secret = ["a-secret-of-at-least-thirty-two-bytes"];
  const headers = createTenancyHeaders({ identity: secret, topology: secret });
  const caller = createCaller(principal);
  const named = { operationId: "get_service", route: "/api/v1/services/{id}", request: { method: "GET" } };
  const outcome = { requestId: id, span: { traceId: id }, status: 200, clientAddress: "192.0.2.1", isDelivered: true };
  const exchange = { ...named, ...outcome, principal } as unknown as Exchange;
  const line = JSON.parse(`{${membersOf(exchange, 1.25)}}`) as object;
  const lines = createLines(createLog("ledger", "info", descriptor as 1), "request");
  const plain = pino(
    { timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: descriptor, sync: false, minLength: 8_192 }),
  );
  return [
    repeated(
      "ids from a pool of randomness",
      "gateway/src/edge/request-id.ts",
      () => newRequestId(),
      () => v7(),
    ),
    repeated(
      "tenancy headers kept for 20 s",
      "gateway/src/authenticate/caller.ts",
      () => headers(caller, "topology"),
      () => headers(createCaller(principal), "topology"),
    ),
    repeated(
      "lines of requests without pino's formatting",
      "shared/src/log.ts",
      () => {
        lines(membersOf(exchange, 1.25));
      },
      () => {
        plain.info(line, "request");
      },
    ),
  ];
}

function ofRedis(): Entry {
  const buckets = createRedisBuckets(redis, "ledger", { burst: 1_000_000, perMinute: 60_000_000 });
  const take = batchPerTick(({ key, count }) => buckets.take(key, count));
  return {
    name: "tokens of one turn in one call of Redis",
    file: "gateway/src/rate-limit/batching.ts",
    times: 20_000,
    ours: (times) => together(times, () => take("ours")),
    obvious: (times) => together(times, () => buckets.take("obvious", 1)),
  };
}

async function ofDatabase(): Promise<Entry[]> {
  const db = openDatabase(client, "ledger");
  const organizationId = randomUUID();
  const scope = { organizationId, networks: "all" } as const;
  const ids = Array.from({ length: ROWS }, () => randomUUID());
  const services = db.collection<Document & { _id: string }>("services");
  const wire = JSON.stringify({ text: "x".repeat(900) });
  await services.insertMany(
    ids.map((_id) => ({ _id, organization_id: organizationId, network_id: null, revision: 1, wire })),
  );
  const gathered = createGatheredRead(sharedDatabase(db, UNSHARED), "services", false);
  const some = (): string => ids[Math.floor(Math.random() * ROWS)] ?? "";
  const find = { collection: "services", filter: { organization_id: organizationId }, projection: { wire: 1 } };
  return [
    {
      name: "reads by id of one turn in one query",
      file: "services/topology/src/storage/gathered.ts",
      times: 8_000,
      ours: (times) => together(times, () => gathered(scope, some())),
      obvious: (times) => together(times, () => services.findOne({ _id: some(), organization_id: organizationId })),
    },
    {
      name: `lists as bytes, ${ROWS} rows`,
      file: "shared/src/mongo/raw-find.ts",
      times: 20,
      ours: async (times) => {
        for (let n = 0; n < times; n++)
          for await (const batch of rawBatches(db, find))
            for (const start of batch.starts) textIn(batch, start, "wire");
      },
      obvious: async (times) => {
        for (let n = 0; n < times; n++) await services.find(find.filter, { projection: find.projection }).toArray();
      },
    },
  ];
}

function repeated(name: string, file: string, ours: () => unknown, obvious: () => unknown): Entry {
  const many = (what: () => unknown) => (times: number) => together(times, () => Promise.resolve(what()));
  return { name, file, times: 50_000, ours: many(ours), obvious: many(obvious) };
}

async function together(times: number, what: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += AT_A_TIME) await Promise.all(Array.from({ length: AT_A_TIME }, what));
}

async function print({ name, file, times, ours, obvious }: Entry, mongod: number | undefined): Promise<void> {
  const samples: [number, number][][] = [[], []];
  for (let round = 0; round <= ROUNDS; round++)
    for (const [way, what] of [ours, obvious].entries()) {
      const sample = await measured(() => what(times), times, mongod);
      if (round > 0) samples[way]?.push(sample); // the first one warms up
    }
  const [own, theirs] = samples.map((of) => [0, 1].map((which) => medianOf(of.map((one) => one[which] ?? 0))));
  const cell = (micros = 0): string => micros.toFixed(1);
  row(name, file, cell(own?.[0]), cell(theirs?.[0]), cell(own?.[1]), cell(theirs?.[1]));
}

/** Microseconds of processor time per request of this process and of MongoDB. */
async function measured(what: () => Promise<unknown>, times: number, mongod = process.pid): Promise<[number, number]> {
  const ofMongod = async (): Promise<number> => cpuMicrosOf({ name: "mongod", pid: mongod });
  const before = process.cpuUsage();
  const startedAt = await ofMongod();
  await what();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / times, ((await ofMongod()) - startedAt) / times];
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
