/**
 * Topology in the test's own process, as one or several instances that share only their database, like replicas, so
 * that no queue inside the process hides a race. Callers have any level and scope.
 */
import { randomUUID } from "node:crypto";
import { Agent, type IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import type { CommandStartedEvent, Db } from "mongodb";
import type { Input } from "@nts/shared/client";
import type { Plan } from "@nts/shared/contract";
import type { DataOf, Endpoint, Permission } from "@nts/shared/contract/endpoint";
import { requestTarget } from "@nts/client/request-target";
import { bodyTypesOf } from "@nts/shared/contract/upload";
import { INTERNAL, INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { startServer } from "@nts/shared/http/server";
import { createTenancySigner, createTenancyVerifier, type Principal, type Scope } from "@nts/shared/http/tenancy";
import { createLog } from "@nts/shared/log";
import { createRegistry } from "@nts/shared/metrics";
import { passOn } from "@nts/shared/tracing/tracing";
import { createMongoClient, openDatabase } from "@nts/shared/mongo/connect";
import { migrate } from "@nts/shared/mongo/migrations";
import { createTransactions } from "@nts/shared/mongo/transaction";
import type { ShareLimits } from "@nts/shared/quotas";
import { createShares } from "@nts/shared/scheduling/shares";
import { createTopologyApp } from "@nts/topology/app";
import { createImportJobRunner } from "@nts/topology/imports/jobs/jobs";
import { createRevertJobRunner } from "@nts/topology/reverts/jobs";
import { createImportRunner } from "@nts/topology/imports/runner";
import { journalCollections } from "@nts/topology/journal/collections";
import { startJournal } from "@nts/topology/journal/journal";
import { createWebhooks } from "@nts/topology/webhooks/webhooks";
import { createFeeds } from "@nts/topology/journal/feeds";
import { createJournalReader } from "@nts/topology/journal/read";
import { createWaiting } from "@nts/topology/journal/waiting";
import type { RevertLimits } from "@nts/topology/resources/revert";
import { INDEXES } from "@nts/topology/storage/indexes";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { createStorage, type Storage } from "@nts/topology/storage/storage";
import { abandon } from "./abandon.js";
import { exchange } from "./bare-exchange.js";
import { createInProcessImportRunner } from "./import-sessions.js";
import { requireDeclared } from "./declared.js";
import { createOwnClient, releaseDatabase, acquireDatabase } from "./prepared-databases.js";
import { withoutOrganization } from "./tenant-filters.js";

const SECRETS = ["the-secret-of-the-tests-of-topology"];

export interface TopologyOptions {
  readonly instances?: number;
  /** Wraps the storage of the instances, for example to disable a guard. */
  readonly storage?: (storage: Storage, db: Db) => Storage;
  readonly shares?: Partial<ShareLimits>;
  /** One of the instances at a time writes the journal. */
  readonly journal?: boolean;
  /** Imports run in threads of their own, as in production, and otherwise in the test's, where they start at once. */
  readonly importThreads?: boolean;
  /** Entities that a revert writes in one transaction. */
  readonly revertLimits?: RevertLimits;
  /** Called with every command that the instances send to MongoDB. */
  readonly onCommand?: (command: CommandStartedEvent) => void;
}

export interface Topology {
  readonly db: Db;
  /** Sent notices: kind, organization, id. */
  readonly notices: readonly (readonly [string, string, string])[];
  /** A caller of a new organization with all permissions, by default. */
  aCaller(options?: Partial<Scope> & { permission?: Permission }): Caller;
  /** An internal process. */
  aProcess(): Caller;
  /** The ports of the instances. */
  readonly ports: readonly number[];
  /** The number of connections of the first instance. */
  connections(): Promise<number>;
  /** @throws Error when a command of an instance lacked the organization */
  stop(): Promise<void>;
}

/** A principal on whose behalf the gateway calls; always through one instance. */
export interface Caller {
  readonly scope: Scope;
  send<E extends Endpoint>(operation: E, input: Input<E> & WithHeaders): Promise<ServiceResponse<DataOf<E>>>;
  /** The data of a request that must succeed, retrying conflicts. @throws Error with the response otherwise */
  call<E extends Endpoint>(operation: E, input: Input<E> & WithHeaders): Promise<DataOf<E>>;
  /** Status, code and params of a request that must be rejected. @throws Error when it is not */
  refusal<E extends Endpoint>(operation: E, input: Input<E> & WithHeaders): Promise<Refusal>;
  /** A page of a list, which must succeed. */
  list<E extends Endpoint>(operation: E, input: Input<E>): Promise<Page<DataOf<E>>>;
  /** Sends what the contract would not allow. */
  raw(method: string, path: string, body?: unknown, headers?: Headers): Promise<ServiceResponse<unknown>>;
  /** Starts a read, and disconnects at the first bytes of the response. */
  abandon(path: string): Promise<void>;
  /** The tenancy header of the caller. */
  tenancy(): string;
  /** The same caller through another instance. */
  via(instance: number): Caller;
  /** The same user with fewer networks. */
  restrictedTo(networks: string[]): Caller;
  /** Another user of the same organization. */
  colleague(options: { permission?: Permission; networks?: string[] }): Caller;
}

/** Undefined removes a default header. */
export type Headers = Readonly<Record<string, string | undefined>>;

interface WithHeaders {
  readonly headers?: Headers;
}

export interface ServiceResponse<Data> {
  readonly status: number;
  /** Of a success. */
  readonly data: Data;
  /** Of a failure. */
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The members of `meta` beyond the versions. */
  readonly meta: {
    readonly dry_run?: true;
    readonly plan?: Plan;
    readonly next?: string | null;
    readonly oldest?: string;
  };
  readonly etag: string | undefined;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export type Refusal = [status: number, code: string, params: Readonly<Record<string, unknown>>];

export interface Page<Row> {
  readonly rows: Row[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Starts the service on an empty database, which is reused after it has stopped. */
export async function startTopology(options: TopologyOptions = {}): Promise<Topology> {
  const { instances = 1, journal = false } = options;
  const url = process.env["MONGODB_URL"];
  if (url === undefined) throw new Error("MONGODB_URL is not set: run these tests with `node test/run.mjs`");
  const notices: [string, string, string][] = [];
  const unscoped = new Set<string>();
  // The tests' own commands are none of the service's.
  const ownClient = createOwnClient(url);
  const db = acquireDatabase(ownClient, "topology");
  const agent = new Agent({ keepAlive: true });
  const waiting = createWaiting();
  const parts = { options, url, database: db.databaseName, waiting, notices, unscoped };
  const started = await Promise.all(Array.from({ length: instances }, () => startInstance(parts)));
  const [first] = started;
  if (first === undefined) throw new Error("at least one instance is needed");
  await migrate(db, { migrations: MIGRATIONS, indexes: INDEXES, log: createLog("topology", "warn") });

  const keeper = journal
    ? startJournal({
        collections: journalCollections(db),
        registry: createRegistry("topology"),
        log: createLog("topology", process.env["TEST_LOG_LEVEL"] ?? "error"),
        retentionDays: 90,
        onRecorded: waiting.wake,
      })
    : null;

  const connect = (principal: Principal, scope: Scope, instance: number): Caller =>
    callerOf({ agent, ports: started.map(({ server }) => server.port), principal, scope, instance });
  return {
    db,
    notices,
    aCaller: ({ organizationId = randomUUID(), networks = "all", permission = "Owner", isUnverified } = {}) => {
      const scope = { organizationId, networks, ...(isUnverified && { isUnverified }) };
      return connect({ kind: "key", credentialId: randomUUID(), userId: randomUUID(), permission, scope }, scope, 0);
    },
    ports: started.map(({ server }) => server.port),
    connections: () => promisify(first.server.server.getConnections.bind(first.server.server))(),
    aProcess: () => connect({ kind: "process" }, { organizationId: "", networks: [] }, 0),
    stop: async () => {
      agent.destroy();
      await keeper?.stop();
      await Promise.all(started.map(({ server, jobs }) => Promise.all([server.close(), jobs.stop()])));
      await Promise.all(started.map(({ client }) => client.close()));
      await releaseDatabase(db, "topology");
      await ownClient.close();
      if (unscoped.size > 0) throw new Error(`these commands lack the organization:\n${[...unscoped].join("\n")}`);
    },
  };
}

interface Parts {
  readonly options: TopologyOptions;
  readonly url: string;
  readonly database: string;
  readonly waiting: ReturnType<typeof createWaiting>;
  readonly notices: [string, string, string][];
  readonly unscoped: Set<string>;
}

async function startInstance({ options, url, database, waiting, notices, unscoped }: Parts) {
  const { storage = (it: Storage): Storage => it, shares, importThreads = false, onCommand } = options;
  const client = createMongoClient(`${url}${url.includes("?") ? "&" : "/?"}monitorCommands=true`, "topology-test");
  client.on("commandStarted", (command) => {
    onCommand?.(command);
    const problem = withoutOrganization(command);
    if (problem !== null) unscoped.add(problem);
  });
  const served = openDatabase(client, database);
  const own = createShares(shares);
  const stored = createStorage(served, createTransactions(client), { shares: own });
  const used = storage(stored, served);
  const runner = importThreads ? createImportRunner() : createInProcessImportRunner();
  const jobs = createImportJobRunner(used, runner);
  const app = createTopologyApp({
    storage: used,
    journal: {
      reader: createJournalReader(used.database),
      waiting,
      feeds: createFeeds(served, createLog("topology", "error")),
    },
    imports: { runner, jobs },
    revertLimits: options.revertLimits,
    reverts: createRevertJobRunner(used),
    webhooks: createWebhooks(served, {
      allow: ["127.0.0.0/8"],
      most: 20,
      registry: createRegistry("topology"),
      log: createLog("topology", "error"),
    }).operations,
    notices: {
      networkDeleted: (organization, id) => void notices.push(["network", organization, id]),
      tagDeleted: (organization, id) => void notices.push(["tag", organization, id]),
      viewDeleted: (organization, id) => void notices.push(["view", organization, id]),
      auditNoted: () => undefined,
    },
    router: {
      verifyTenancy: createTenancyVerifier({ users: SECRETS, processes: SECRETS }, "topology"),
      log: createLog("topology", process.env["TEST_LOG_LEVEL"] ?? "error"),
      tracing: passOn,
      shares: own,
    },
  });
  const serving = { maxHeaderBytes: INTERNAL_HEADER_LIMIT_BYTES, keepAliveMs: 60_000, drainMs: 1_000 };
  return { client, jobs, server: await startServer(app.handle, { host: "127.0.0.1", port: 0, ...serving }) };
}

interface Connection {
  readonly agent: Agent;
  readonly ports: readonly number[];
  readonly principal: Principal;
  readonly scope: Scope;
  readonly instance: number;
}

function callerOf(connection: Connection): Caller {
  const { agent, ports, principal, scope, instance } = connection;
  const sign = createTenancySigner(SECRETS, "topology");
  const raw: Caller["raw"] = async (method, path, body, headers = {}) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const sent: Record<string, unknown> = {
      [INTERNAL.tenancy]: sign(principal),
      ...(body === undefined
        ? {}
        : { "content-type": bodyTypesOf({ method })[0], "content-length": Buffer.byteLength(text) }),
      ...headers,
    };
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    const to = { agent, port: ports[instance], method: method.toUpperCase(), path, headers: given };
    const response = await exchange(text, to);
    requireDeclared(method, path, { ...response, headers: Object.keys(response.headers) });
    return response;
  };
  const send: Caller["send"] = async (operation, input) => {
    const { body, headers, ...target } = input as Record<string, Record<string, string> | undefined>;
    return (await raw(operation.method, requestTarget(operation.path, target), body, headers)) as never;
  };
  const succeed: Caller["send"] = async (operation, input) => {
    let response = await send(operation, input);
    // A busy machine may return this where the contract allows it, and clients are expected to retry.
    const mayCollide = operation.errors.some((code) => code === "write_conflict");
    for (let again = 0; again < 3 && mayCollide && response.code === "write_conflict"; again++)
      response = await send(operation, input);
    if (response.status === 200) return response;
    throw new Error(`${operation.operationId} answered ${response.status}: ${response.text}`);
  };
  return {
    scope,
    tenancy: () => sign(principal),
    raw,
    send,
    abandon: (path) => abandon({ port: ports[instance], path, headers: { [INTERNAL.tenancy]: sign(principal) } }),
    call: async (operation, input) => (await succeed(operation, input)).data,
    refusal: async (operation, input) => {
      const { status, code, params, text } = await send(operation, input);
      if (status < 400) throw new Error(`${operation.operationId} succeeded: ${text}`);
      return [status, code, params];
    },
    list: async (operation, input) => {
      const { data, headers } = await succeed(operation, input);
      const number = (header: string): number => Number(headers[header]);
      const [total, limit, offset] = [INTERNAL.listTotal, INTERNAL.listLimit, INTERNAL.listOffset].map(number);
      return { rows: data as never, total: total ?? NaN, limit: limit ?? NaN, offset: offset ?? NaN };
    },
    via: (other) => callerOf({ ...connection, instance: other }),
    restrictedTo: (networks) => {
      const own = { ...scope, networks };
      return callerOf({ ...connection, principal: { ...principal, scope: own } as Principal, scope: own });
    },
    colleague: ({ permission = "Owner", networks }) => {
      const own: Scope = { organizationId: scope.organizationId, networks: networks ?? "all" };
      const user = { kind: "key", credentialId: randomUUID(), userId: randomUUID(), permission, scope: own } as const;
      return callerOf({ ...connection, principal: user, scope: own });
    },
  };
}
