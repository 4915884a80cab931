import { mkdirSync } from "node:fs";
import { type Document, MongoClient } from "mongodb";
import type { Component } from "../processes/component.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

const REPLICA_SET = "rs0";
const PROBE_TIMEOUT_MS = 1_000;

// What a process locked that was killed amid a transaction stays locked for so long, by default for a minute. No
// transaction of ours lasts longer than six seconds.
const TRANSACTION_SECONDS = 8;
const NO_CONFIGURATION = 94;

/** MongoDB as a replica set of one member (transactions need a set), open to this machine only. */
export function createMongod({ runnable, folder, port }: ServerOptions): OwnServer {
  mkdirSync(folder, { recursive: true });
  const member = `127.0.0.1:${port}`;
  const component: Component = {
    name: "mongod",
    tier: "server",
    command: runnable.command,
    args: [
      ...["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
      ...["--replSet", REPLICA_SET, "--wiredTigerCacheSizeGB", "0.25", "--networkMessageCompressors", "snappy"],
      ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
      ...["--setParameter", `transactionLifetimeLimitSeconds=${TRANSACTION_SECONDS}`],
    ],
    env: serverEnvironment(runnable),
    isReady: () => isWritable(member),
  };
  return { component, url: urlOf(member) };
}

/** The URL of the MongoDB that was started with a command line; null when that names no port. */
export function mongodbUrlOf(command: string): string | null {
  const port = / --port (\d+)/.exec(command)?.[1];
  return port === undefined ? null : urlOf(`127.0.0.1:${port}`);
}

function urlOf(member: string): string {
  return `mongodb://${member}/?replicaSet=${REPLICA_SET}`;
}

/** Whether the member accepts writes; a set that does not exist yet, or that knows the member by an earlier port, is put right. */
async function isWritable(member: string): Promise<boolean> {
  const client = new MongoClient(`mongodb://${member}/?directConnection=true`, {
    serverSelectionTimeoutMS: PROBE_TIMEOUT_MS,
    connectTimeoutMS: PROBE_TIMEOUT_MS,
  });
  try {
    const admin = client.db("admin");
    const hello = await admin.command({ hello: 1 });
    if (hello["isWritablePrimary"] === true && hello["me"] === member) return true;
    await configure(member, (command) => admin.command(command));
    return false;
  } catch {
    return false; // still starting: asked again soon
  } finally {
    await client.close();
  }
}

async function configure(member: string, command: (document: Document) => Promise<Document>): Promise<void> {
  const members = [{ _id: 0, host: member }];
  try {
    const { config } = (await command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig };
    if (config.members[0]?.host === member) return;
    const version = config.version + 1;
    await command({
      replSetReconfig: { ...config, version, members: [{ ...config.members[0], host: member }] },
      force: true,
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== NO_CONFIGURATION) throw error;
    await command({ replSetInitiate: { _id: REPLICA_SET, members } });
  }
}

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}
