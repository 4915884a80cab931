import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ClientSession, MongoClient } from "mongodb";
import { type Servers, startServers } from "../support/stack.js";

describe("the servers of a suite", () => {
  let servers: Servers;

  beforeAll(async () => {
    servers = await startServers({ ownMongod: true });
  });

  afterAll(async () => {
    await servers.stop();
  });

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
