/**
 * The identity service in the test's own process, as replicas on a database of its own, like {@link startTopology}.
 * There are no networks, and no other subscribers of the bus.
 */
import type { CommandStartedEvent, Db } from "mongodb";
import { type App, type AppOptions, createApp } from "@nts/identity/app";
import { prepareDatabase } from "@nts/identity/storage/prepare-database";
import { createPasswords } from "@nts/identity/secrets/passwords";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { startServer } from "@nts/shared/http/server";
import { createTenancyVerifier } from "@nts/shared/http/tenancy";
import { createLog } from "@nts/shared/log";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { createShares } from "@nts/shared/scheduling/shares";
import { passOn } from "@nts/shared/tracing/tracing";
import { createDirect, type Direct } from "./direct.js";
import { createOwnClient, releaseDatabase, acquireDatabase } from "./prepared-databases.js";

/** Tests hash many passwords and attack none. */
const CHEAP_HASHING = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const SECRETS = ["the-secret-of-the-tests-of-identity"];

export interface IdentityOptions {
  /** Options of each replica; one replica for each. */
  readonly replicas?: readonly Partial<AppOptions>[];
  /** False leaves queued mails to other replicas. */
  readonly sendsMail?: boolean;
  /** Instead of an empty database; it is the caller's. */
  readonly database?: string;
  /** Called with every command that the replicas send to MongoDB once the database is prepared. */
  readonly onCommand?: (command: CommandStartedEvent) => void;
}

export interface Identity extends Direct {
  readonly db: Db;
  /** Removes references to deleted entities, as the first replica does regularly. */
  sweepReferences(): Promise<void>;
  /** Deletes the remaining data of deleted organizations, as the first replica does. */
  sweepOrganizations(signal?: AbortSignal): Promise<void>;
  /** Deletes the documents of removed keys, as the first replica does. */
  purgeKeys(): Promise<void>;
  /** Removes the access of assistants that has ended, as the first replica does regularly. */
  removeEndedGrants(): Promise<void>;
  /** Sends queued mails, when replicas were started without it. */
  startMail(): void;
  /** Sends no further ones. */
  stopMail(): Promise<void>;
  /** Queues mails about news, on all replicas at once. */
  notify(): Promise<void>;
  /** Resolves when all background writes are done. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Without other processes, mail or providers, and with any password. */
const STANDALONE = {
  bus: {
    publish: () => undefined,
    subscribe: () => undefined,
    isConnected: () => false,
    close: () => Promise.resolve(),
  },
  topology: { ask: () => Promise.resolve([] as never) },
  judgePassword: () => Promise.resolve(null),
  secondFactorSecrets: SECRETS,
  providers: [],
  mail: null,
  quotas: {
    keysPerUser: 1_000,
    keysPerOrganization: 1_000,
    sessionsPerUser: 100,
    invitesPerOrganization: 100,
    registrationsPerSite: 1_000_000,
    untilVerified: true,
    idempotencyKeysPerUser: 1_000,
  },
  publicUrl: "http://127.0.0.1",
  registration: "open",
} as const;

export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const { replicas = [{}], sendsMail = true, onCommand } = options;
  const url = process.env["MONGODB_URL"];
  if (url === undefined) throw new Error("MONGODB_URL is not set: run these tests with `node test/run.mjs`");
  const log = createLog("identity", process.env["TEST_LOG_LEVEL"] ?? "error");
  const passwords = createPasswords(CHEAP_HASHING);
  const verifyTenancy = createTenancyVerifier({ users: SECRETS, processes: SECRETS }, "identity");
  const ownClient = createOwnClient(url);
  const db = options.database === undefined ? acquireDatabase(ownClient, "identity") : ownClient.db(options.database);
  await prepareDatabase(db, log);

  const mailers: ReturnType<App["startMail"]>[] = [];
  const started = await Promise.all(
    replicas.map(async (own) => {
      const client = createMongoClient(onCommand === undefined ? url : `${url}&monitorCommands=true`, "identity-test");
      if (onCommand !== undefined) client.on("commandStarted", onCommand);
      const app = createApp({
        ...{ db: openDatabase(client, db.databaseName), transaction: createTransactions(client), log, tracing: passOn },
        ...{ passwords, verifyTenancy, shares: createShares(), ...STANDALONE, ...own },
      });
      if (sendsMail) mailers.push(app.startMail());
      const listening = { maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES, keepAliveMs: 1_000, drainMs: 1_000 };
      return { app, client, server: await startServer(app.handle, { host: "127.0.0.1", port: 0, ...listening }) };
    }),
  );
  const identities = started.map(({ server }) => ({ url: `http://127.0.0.1:${server.port}` }));
  const tenancySecrets = { gatewayToIdentity: SECRETS, gatewayToTopology: SECRETS, identityToTopology: SECRETS };
  return {
    ...createDirect({ tenancySecrets, identities, topologies: [] }),
    db,
    sweepReferences: async () => started[0]?.app.sweepReferences(new AbortController().signal),
    sweepOrganizations: async (signal = new AbortController().signal) => started[0]?.app.sweepOrganizations(signal),
    purgeKeys: async () => started[0]?.app.purgeKeys(new AbortController().signal),
    removeEndedGrants: async () => started[0]?.app.removeEndedGrants(new AbortController().signal),
    startMail: () => {
      for (const { app } of started) mailers.push(app.startMail());
    },
    stopMail: async () => {
      for (const mailing of mailers.splice(0)) await mailing?.stop();
    },
    notify: async () => {
      await Promise.all(started.map(({ app }) => app.notify(new AbortController().signal)));
    },
    settled: async () => {
      await Promise.all(started.map(({ app }) => app.settled()));
    },
    stop: async () => {
      await Promise.all(started.map(({ server }) => server.close()));
      for (const mailing of mailers) await mailing?.stop();
      await Promise.all([passwords.close(), ...started.map(({ client }) => client.close())]);
      if (options.database === undefined) await releaseDatabase(db, "identity");
      await ownClient.close();
    },
  };
}
