/**
 * The cost of confirming the primary with every check of a credential: checks in this process on one and three members,
 * with a linearizable read and a plain one.
 */
import { createCredentialStore } from "@nts/identity/storage/credentials";
import { createKeyChangeLog } from "@nts/identity/storage/key-changes";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { startReplicaSet } from "../support/replica-set.js";
import type { Stack } from "../support/stack.js";
import { row } from "./work.js";

const DATABASE = "confirmation_cost";
const SECONDS = 3;

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Prints a table. */
export async function measureConfirmation({ servers, dataDir }: Stack): Promise<void> {
  const set = await startReplicaSet(dataDir);
  row(
    "checks of a key",
    "at a time",
    "confirmed: per second",
    "p50 · p99 ms",
    "not confirmed: per second",
    "p50 · p99 ms",
  );
  row(...Array.from({ length: 6 }, () => "---"));
  try {
    for (const [members, url] of [
      ["one member", servers.urls.mongodb],
      ["three members", set.url],
    ] as const)
      for (const atATime of [1, 16]) {
        const [confirmed, plain] = await measureBoth(url, atATime);
        const cells = (of: Measured) => [of.perSecond.toFixed(0), `${of.p50Ms.toFixed(1)} · ${of.p99Ms.toFixed(1)}`];
        row(members, atATime, ...cells(confirmed), ...cells(plain));
      }
  } finally {
    await set.stop();
  }
}

async function measureBoth(url: string, atATime: number): Promise<[Measured, Measured]> {
  const client = createMongoClient(url, "confirmation-cost");
  try {
    const db = openDatabase(client, DATABASE);
    const log = createKeyChangeLog(db);
    await log.prepare();
    const keys = db.collection<{ _id: string; hash: string; user_id: string; organization_id: string }>("api_keys");
    await keys.updateOne(
      { _id: "key" },
      { $set: { hash: "hash", user_id: "user", organization_id: "organization" } },
      { upsert: true },
    );
    const confirmed = createCredentialStore(db, log.confirmed);
    const plain = createCredentialStore(db, log.highest);
    return [
      await measure(atATime, () => confirmed.findKey("hash")),
      await measure(atATime, () => plain.findKey("hash")),
    ];
  } finally {
    await client.db(DATABASE).dropDatabase();
    await client.close();
  }
}

async function measure(atATime: number, check: () => Promise<unknown>): Promise<Measured> {
  const times: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + SECONDS * 1_000;
  const work = async (): Promise<void> => {
    for (let sentAt = performance.now(); sentAt < end; sentAt = performance.now()) {
      await check();
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  const perSecond = (times.length / (performance.now() - startedAt)) * 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
}
