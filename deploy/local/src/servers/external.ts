import { MongoClient } from "mongodb";
import { greets } from "../processes/probes.js";
import { StartProblem } from "../start-problem.js";
import { SERVER_PROGRAMS } from "./catalogue.js";

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Checks an existing MongoDB.
 *
 * @throws StartProblem if it does not respond, or is no replica set, which transactions require
 */
export async function requireMongodb(url: string): Promise<void> {
  let setName: unknown;
  try {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS });
    try {
      setName = (await client.db("admin").command({ hello: 1 }))["setName"];
    } finally {
      await client.close();
    }
  } catch (error) {
    throw new StartProblem(
      `MONGODB_URL cannot be used (${(error as Error).message}); correct it, or unset it to have MongoDB started for you.`,
    );
  }
  if (typeof setName !== "string") {
    throw new StartProblem(
      "MONGODB_URL names a single server, but transactions need a replica set; one of one member is enough (mongod --replSet rs0, then rs.initiate()).",
    );
  }
}

/** @throws StartProblem if nothing listens at the given Redis or NATS URL */
export async function requireListening(kind: "redis" | "nats", url: string): Promise<void> {
  const { urlVariable, title } = SERVER_PROGRAMS[kind];
  const usual = kind === "redis" ? 6379 : 4222;
  const [first] = url.split(",");
  const address = URL.canParse(first ?? "") ? new URL(first ?? "") : null;
  if (address === null || address.hostname === "") {
    throw new StartProblem(`${urlVariable} is not a URL; it should look like ${kind}://host:${usual}.`);
  }
  const port = address.port === "" ? usual : Number(address.port);
  if (await greets({ host: address.hostname, port, send: "", expect: "" })) return;
  throw new StartProblem(
    `${urlVariable} names ${address.hostname}:${port}, which is not reachable; correct it, or unset it to have ${title} started for you.`,
  );
}
