import type { Db } from "mongodb";
import type { Service } from "@nts/shared/contract";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { createSharedReads } from "@nts/shared/scheduling/queued-reads";
import { createWrites } from "@nts/shared/writes/writes";
import type { Writes } from "@nts/shared/http/write-request";
import { ENTITY_KINDS, type EntityIn, type EntityKinds, type StoredKinds } from "../kinds/index.js";
import { type AddressAllocator, createAddressAllocator } from "./address-allocator.js";
import { type AuditNotes, createAuditNotes } from "./audit-notes.js";
import { createAddressStore, type AddressStore } from "./stores/addresses.js";
import { createBindingStore, type BindingStore } from "./stores/bindings.js";
import { type CountedStore, createCountedStore } from "./stores/counted.js";
import { type CollectorJobs, createCollectorJobs } from "./collector-jobs.js";
import { createImportJobs, type ImportJobs } from "./import-jobs.js";
import { createRevertJobs, type RevertJobs } from "./revert-jobs.js";
import { createHostStore, type HostStore } from "./stores/hosts.js";
import { createInterfaceStore, type InterfaceStore } from "./stores/interfaces.js";
import { createNetworkStore, type NetworkStore } from "./stores/networks.js";
import { createServiceStore, type ServiceStore } from "./stores/services.js";
import { createSockets, type Sockets } from "./stores/sockets.js";
import { createWebhookStore, type WebhookStore } from "./stores/webhooks.js";
import { type Database, type DatabaseShares, sharedDatabase, UNSHARED } from "./database.js";
import { createDeletions, type Deletions } from "./deletions.js";
import { createGuards, type Guards } from "./guards.js";
import { createEntities, type Entities, type Entity, type EntityKind } from "./entities.js";
import { createQuota, DEFAULT_QUOTAS, type Quota, type Quotas } from "./quota.js";
import { createSightings, type Sightings } from "./sightings.js";
import { createTotals, type Totals } from "./totals.js";
import { createShortWrites, type ShortWrites } from "./short-writes.js";

/** The stores of kinds that have operations of their own. */
interface OwnStores {
  readonly networks: NetworkStore;
  readonly hosts: HostStore;
  readonly interfaces: InterfaceStore;
  readonly services: ServiceStore;
  readonly bindings: BindingStore;
}

/** The stores of all kinds, by collection. */
type Stores = OwnStores & {
  readonly [Name in Exclude<keyof EntityKinds, keyof OwnStores>]: Entities<EntityIn<Name>>;
};

/** All database access of handlers. */
export interface Storage extends Stores {
  /** For callers with their own reads. */
  readonly database: Database;
  readonly transaction: RunTransaction;
  readonly writes: Writes;
  readonly guards: Guards;
  readonly totals: Totals;
  readonly deletions: Deletions;
  readonly quota: Quota;
  readonly sockets: Sockets;
  readonly webhooks: WebhookStore;
  readonly auditNotes: AuditNotes;
  readonly sightings: Sightings;
  readonly importJobs: ImportJobs;
  readonly revertJobs: RevertJobs;
  readonly collectorJobs: CollectorJobs;
  readonly addresses: AddressStore;
  readonly counted: CountedStore;
  /** Reserves addresses for the requests of this process. */
  readonly addressAllocator: AddressAllocator;
  /** Writes services without a transaction. */
  readonly shortWrites: ShortWrites<Service>;
}

export interface StorageOptions {
  /** Stored forms; other than the default only in tests. */
  readonly kinds?: StoredKinds;
  /** Of an organization. */
  readonly quotas?: Partial<Quotas>;
  /** Idempotency keys per user and day. */
  readonly maxIdempotencyKeys?: number;
  /** Shares of connections by organization; by default none. */
  readonly shares?: DatabaseShares;
}

/** Fraction of time in which an organization with many networks may sum its counters. */
const SUMS_DUTY = 0.25;

export function createStorage(db: Db, transaction: RunTransaction, options: StorageOptions = {}): Storage {
  const { quotas, shares = UNSHARED } = options;
  const kinds: StoredKinds = options.kinds ?? ENTITY_KINDS;
  const database = sharedDatabase(db, shares);
  const addresses = createAddressStore(database);
  const own: OwnStores = {
    networks: createNetworkStore(database, kinds.networks),
    hosts: createHostStore(database, kinds),
    interfaces: createInterfaceStore(database, addresses, kinds.interfaces),
    services: createServiceStore(database, kinds.services),
    bindings: createBindingStore(database, kinds.bindings),
  };
  const others = Object.values(kinds).filter(({ collection }) => !(collection in own));
  const entities = {
    ...own,
    ...Object.fromEntries(
      others.map((kind) => [kind.collection, createEntities(database, kind as unknown as EntityKind<Entity>)]),
    ),
    webhooks: createWebhookStore(database),
  } as Stores & { readonly webhooks: WebhookStore };
  const reads = createSharedReads(SUMS_DUTY);
  const quota = createQuota(database, reads, { ...DEFAULT_QUOTAS, ...quotas });
  const shortWrites = createShortWrites(db, entities.services);
  const guards = createGuards(database);
  const totals = createTotals(database, reads);
  const deletions = createDeletions(database);
  const writes = createWrites(db, transaction, { mostKeys: options.maxIdempotencyKeys, deleted: deletions.known });
  const counted = createCountedStore(database);
  const addressAllocator = createAddressAllocator({ transaction, addresses, guards, subnets: entities.subnets });
  const auditNotes = createAuditNotes(db);
  const sockets = createSockets(entities);
  const sightings = createSightings(database);
  const importJobs = createImportJobs(db);
  const revertJobs = createRevertJobs(db);
  const collectorJobs = createCollectorJobs(db);
  const jobs = { importJobs, revertJobs, collectorJobs };
  const kept = { guards, totals, deletions, quota, sockets, auditNotes, sightings, counted, ...jobs };
  return { database, transaction, writes, ...kept, ...entities, addresses, addressAllocator, shortWrites };
}
