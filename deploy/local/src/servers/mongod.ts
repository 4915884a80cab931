import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Db, type Document, MongoClient, MongoServerError } from "mongodb";
import type { Component } from "../processes/component.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

const REPLICA_SET = "rs0";
const PROBE_TIMEOUT_MS = 1_000;
const USER = "nts";

// A transaction whose process was killed holds its locks for so long, a minute by default. No transaction of ours takes
// longer than six seconds.
const TRANSACTION_SECONDS = 8;
// A set of one member confirms that it is the primary when its journal is next written: every 100 ms by default.
const JOURNAL_MS = 5;
// As much as containers have unless told otherwise; it takes no more than there is data.
const CACHE_GB = "1";
// Up to four threads write out changed pages, however few processors there are: requests wait while they have them all.
const EVICTION_THREADS = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
const EVICTION = `eviction=(threads_min=1,threads_max=${EVICTION_THREADS})`;
const NO_CONFIGURATION = 94;
const USER_NOT_FOUND = 11;

/** What a replica set of our own is reached by. */
export interface MongodbSecrets {
  readonly mongodbPassword: string;
  /** Written to the key file, which is what turns access control on in a replica set. */
  readonly mongodbKey: string;
}

/**
 * MongoDB as a replica set of one member (transactions need a set), with a user and password, open to this machine only.
 * A data folder that was used without a password before gets the user and keeps its data.
 */
export function createMongod({
  runnable,
  folder,
  port,
  secrets,
}: ServerOptions & { secrets: MongodbSecrets }): OwnServer {
  mkdirSync(folder, { recursive: true });
  // Beside the folder of MongoDB, which holds its data alone.
  const keyFile = join(dirname(folder), "mongodb.key");
  writeFileSync(keyFile, secrets.mongodbKey, { mode: 0o600 });
  const member = `127.0.0.1:${port}`;
  const component: Component = {
    name: "mongod",
    tier: "server",
    command: runnable.command,
    args: [
      ...["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
      ...["--keyFile", keyFile, "--journalCommitInterval", String(JOURNAL_MS)],
      ...["--replSet", REPLICA_SET, "--wiredTigerCacheSizeGB", CACHE_GB, "--networkMessageCompressors", "snappy"],
      ...["--wiredTigerEngineConfigString", EVICTION],
      ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
      ...["--setParameter", `transactionLifetimeLimitSeconds=${TRANSACTION_SECONDS}`],
    ],
    env: serverEnvironment(runnable),
    isReady: () => isUsable(member, secrets),
  };
  return { component, url: urlOf(member, secrets.mongodbPassword) };
}

/** The URL of the MongoDB that was started with a command line; null when that names no port. */
export function mongodbUrlOf(command: string, password: string): string | null {
  const port = / --port (\d+)/.exec(command)?.[1];
  return port === undefined ? null : urlOf(`127.0.0.1:${port}`, password);
}

function urlOf(member: string, password: string): string {
  return `mongodb://${USER}:${password}@${member}/?replicaSet=${REPLICA_SET}`;
}

/**
 * Whether the member accepts writes and knows the user. What is missing is made: a set that does not exist yet or knows the
 * member by an earlier port, and the user.
 */
async function isUsable(member: string, { mongodbKey, mongodbPassword }: MongodbSecrets): Promise<boolean> {
  // A member that is in no set, or in a set under another address, has no user that could log in: only the members'
  // own identity, whose password is the key, is known to every one.
  const client = new MongoClient(`mongodb://${member}/?directConnection=true`, {
    auth: { username: "__system", password: mongodbKey },
    authSource: "local",
    authMechanism: "SCRAM-SHA-256",
    serverSelectionTimeoutMS: PROBE_TIMEOUT_MS,
    connectTimeoutMS: PROBE_TIMEOUT_MS,
  });
  try {
    const admin = client.db("admin");
    const hello = await admin.command({ hello: 1 });
    if (hello["isWritablePrimary"] === true && hello["me"] === member) {
      await setUser(admin, mongodbPassword);
      return true;
    }
    await configure(member, (command) => admin.command(command));
    return false;
  } catch {
    return false; // still starting: asked again soon
  } finally {
    await client.close();
  }
}

async function setUser(admin: Db, pwd: string): Promise<void> {
  const roles = ["root"];
  try {
    await admin.command({ updateUser: USER, pwd, roles });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== USER_NOT_FOUND) throw error;
    await admin.command({ createUser: USER, pwd, roles });
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
