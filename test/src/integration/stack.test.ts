import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
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
    if (mongodb === null) throw new Error("ownMongod gives an own MongoDB");
    await insert(urls.mongodb, "before");
    const before = mongodb.pid();
    await mongodb.kill();
    expect(mongodb.isRunning()).toBe(false);
    await mongodb.restart();
    expect(mongodb.pid()).not.toBe(before);
    expect(await count(urls.mongodb, "before")).toBe(1);
  });

  it("take part in transactions", async () => {
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

  it("free soon what a process locked that was killed amid a transaction", async () => {
    const client = new MongoClient(servers.urls.mongodb);
    try {
      const lifetime = { getParameter: 1, transactionLifetimeLimitSeconds: 1 };
      expect(await client.db("admin").command(lifetime)).toMatchObject({ transactionLifetimeLimitSeconds: 8 });
    } finally {
      await client.close();
    }
  });

  it("say how they ended when they are asked to stop", async () => {
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
