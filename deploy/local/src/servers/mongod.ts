import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { type Db, type Document, MongoClient, MongoServerError } from "mongodb";
import type { Component } from "../processes/component.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

const REPLICA_SET = "rs0";
const PROBE_TIMEOUT_MS = 1_000;
const USER = "nts";

// How long the locks of a killed process' transaction are held; a minute by default. Our transactions take six seconds
// at most.
const TRANSACTION_SECONDS = 8;
// The last of concurrent writers may wait for the next write of the journal; every 100 ms by default. Every 5 ms takes 2.3 %
// of a processor while nothing happens, this 0.5 %.
const JOURNAL_MS = 30;
// The default of containers; it takes no more than there is data.
const CACHE_GB = "1";
// By default four eviction threads, however few processors there are, which can block requests.
const EVICTION_THREADS = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
const EVICTION = `eviction=(threads_min=1,threads_max=${EVICTION_THREADS})`;
const NO_CONFIGURATION = 94;
const USER_NOT_FOUND = 11;

/** The services, each with a user and a database of its name. */
export type MongodbService = "identity" | "topology";

/** Connection data of our own replica set. */
export interface MongodbSecrets {
  readonly mongodbPassword: string;
  readonly mongodbPasswords: Readonly<Record<MongodbService, string>>;
  /** The content of the key file, which enables access control in a replica set. */
  readonly mongodbKey: string;
}

/**
 * MongoDB as a replica set of one member, which transactions require, with a password, listening on this machine only.
 */
export function createMongod({
  runnable,
  folder,
  port,
  secrets,
}: ServerOptions & { secrets: MongodbSecrets }): OwnServer & { readonly serviceUrls: Record<MongodbService, string> } {
  mkdirSync(folder, { recursive: true });
  // Next to MongoDB's own folder, which contains its data only.
  const keyFile = join(dirname(folder), "mongodb.key");
  writeFileSync(keyFile, secrets.mongodbKey, { mode: 0o600 });
  const member = `127.0.0.1:${port}`;
  const component: Component = {
    name: "mongod",
    tier: "server",
    command: runnable.command,
    args: [
      ...["--dbpath", folder, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
      ...["--keyFile", keyFile, "--replSet", REPLICA_SET, "--journalCommitInterval", String(JOURNAL_MS)],
      ...["--wiredTigerCacheSizeGB", CACHE_GB, "--networkMessageCompressors", "snappy"],
      ...["--wiredTigerEngineConfigString", EVICTION],
      ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
      ...["--setParameter", `transactionLifetimeLimitSeconds=${TRANSACTION_SECONDS}`],
    ],
    env: serverEnvironment(runnable),
    isReady: () => isUsable(member, secrets),
  };
  const { identity, topology } = secrets.mongodbPasswords;
  return {
    component,
    url: urlOf(member, USER, secrets.mongodbPassword),
    serviceUrls: { identity: urlOf(member, "identity", identity), topology: urlOf(member, "topology", topology) },
  };
}

/** The URL of a MongoDB by its command line; null if that has no port. */
export function mongodbUrlOf(command: string, password: string): string | null {
  const port = / --port (\d+)/.exec(command)?.[1];
  return port === undefined ? null : urlOf(`127.0.0.1:${port}`, USER, password);
}

function urlOf(member: string, user: string, password: string): string {
  return `mongodb://${user}:${password}@${member}/?replicaSet=${REPLICA_SET}`;
}

/**
 * Whether the member accepts writes and has the users. Creates the set, corrects its port, and creates the users as
 * needed.
 */
async function isUsable(
  member: string,
  { mongodbKey, mongodbPassword, mongodbPasswords }: MongodbSecrets,
): Promise<boolean> {
  // A member in no set, or in one with another address, has no user: only the internal identity, whose password is the
  // key, can log in.
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
      await setUser(admin, USER, mongodbPassword, ["root"]);
      for (const service of ["identity", "topology"] as const)
        await setUser(admin, service, mongodbPasswords[service], [{ role: "readWrite", db: service }]);
      return true;
    }
    await configure(member, (command) => admin.command(command));
    return false;
  } catch {
    return false; // still starting: polled again
  } finally {
    await client.close();
  }
}

async function setUser(admin: Db, user: string, pwd: string, roles: readonly unknown[]): Promise<void> {
  try {
    await admin.command({ updateUser: user, pwd, roles });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== USER_NOT_FOUND) throw error;
    await admin.command({ createUser: user, pwd, roles });
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
