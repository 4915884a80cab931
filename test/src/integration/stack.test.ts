import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { type ClientSession, MongoClient } from "mongodb";
import { type Servers, startServers } from "../support/stack.js";

let servers: Servers;

beforeAll(async () => {
  servers = await startServers({ ownMongod: true });
});

afterAll(async () => {
  await servers.stop();
});

describe("the servers of a suite", () => {
  it("can be killed and started again with their data", async () => {
    const { mongodb, urls } = servers;
    if (mongodb === null) throw new Error("ownMongod starts a MongoDB");
    await insert(urls.mongodb, "before");
    const before = mongodb.pid();
    await mongodb.kill();
    expect(mongodb.isRunning()).toBe(false);
    await mongodb.restart();
    expect(mongodb.pid()).not.toBe(before);
    expect(await count(urls.mongodb, "before")).toBe(1);
  });

  it("support transactions", async () => {
    const client = new MongoClient(servers.urls.mongodb);
    try {
      await client.withSession((session) =>
        session.withTransaction(() =>
          client.db("trial").collection("notes").insertOne({ note: "inside" }, { session }),
        ),
      );
    } finally {
      await client.close();
    }
    expect(await count(servers.urls.mongodb, "inside")).toBe(1);
  });

  it("release the locks of an abandoned transaction as soon as its lifetime is over", async () => {
    const client = new MongoClient(servers.urls.mongodb);
    try {
      const shorter = { setParameter: 1, transactionLifetimeLimitSeconds: 1 };
      expect(await client.db("admin").command(shorter)).toMatchObject({ was: 8 });
      const notes = client.db("trial").collection<{ _id: string; writer: string }>("locked");
      await notes.insertOne({ _id: "one", writer: "nobody" });
      const abandoned = client.startSession();
      abandoned.startTransaction();
      const write = (writer: string, session?: ClientSession) =>
        notes.updateOne({ _id: "one" }, { $set: { writer } }, { ...(session && { session }), maxTimeMS: 30_000 });
      await write("abandoned", abandoned);
      await write("another");
      await expect(abandoned.commitTransaction()).rejects.toMatchObject({ codeName: "NoSuchTransaction" });
      expect(await notes.findOne({ _id: "one" })).toEqual({ _id: "one", writer: "another" });
    } finally {
      await client.close();
    }
  });

  it("report how they ended when they are stopped", async () => {
    expect(await servers.redis.stop()).toEqual({ code: 0, signal: null });
    await servers.redis.restart();
    expect(servers.redis.isRunning()).toBe(true);
  });
});

describe("the servers of npm start", () => {
  it("give each process a user that may only do what its work needs", async () => {
    const { mongodbOf } = servers;
    if (!mongodbOf) throw new Error("ownMongod starts a MongoDB with users");
    for (const [own, other] of [
      ["identity", "topology"],
      ["topology", "identity"],
    ] as const) {
      const client = new MongoClient(mongodbOf[own]);
      await client.db(own).collection("notes").insertOne({ note: "own" });
      await expect(client.db(other).collection("notes").findOne()).rejects.toThrow(/not authorized/i);
      await expect(client.db("admin").command({ usersInfo: 1 })).rejects.toThrow(/not authorized/i);
      await client.close();
    }
    const gateway = new Redis(servers.urls.redis, { enableReadyCheck: false });
    const forbidden = [
      ["get", "other"],
      ["keys", "*"],
      ["flushall"],
      ["config", "get", "*"],
      ["acl", "list"],
      ["publish", "a", "b"],
    ] as const;
    for (const [command, ...args] of forbidden) await expect(gateway.call(command, ...args)).rejects.toThrow(/NOPERM/);
    const counted =
      'redis.call("TIME"); redis.call("SET", KEYS[1], "1", "PX", 1000); return redis.call("GET", KEYS[1])';
    expect(await gateway.eval(counted, 1, "nts:user:one")).toBe("1");
    await expect(gateway.eval('return redis.call("DEL", KEYS[1])', 1, "nts:user:one")).rejects.toThrow(
      /NOPERM|can't run/,
    );
    gateway.disconnect();
    const url = new URL(servers.urls.redis);
    const nobody = new Redis(`redis://${url.host}`, { enableReadyCheck: false, retryStrategy: null });
    nobody.on("error", () => undefined);
    await expect(nobody.get("nts:user:one")).rejects.toThrow(/NOAUTH/);
    nobody.disconnect();
  });
});

async function insert(url: string, note: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    await client.db("trial").collection("notes").insertOne({ note });
  } finally {
    await client.close();
  }
}

async function count(url: string, note: string): Promise<number> {
  const client = new MongoClient(url);
  try {
    return await client.db("trial").collection("notes").countDocuments({ note });
  } finally {
    await client.close();
  }
}
